// A background loop that runs something at an interval, survives failures and stops cleanly.
import { sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { LoopHealth } from './loop-health.ts';

export type Loop = {
  /** Stops the loop; resolves when its last round has ended. */
  stop(): Promise<void>;
};

export type LoopDeps = {
  log: Log;
  loopHealth?: LoopHealth;
  /** Without it, this process is the only one. */
  membership?: { holds(loop: string): boolean };
};

export function startPeriodic(
  deps: LoopDeps,
  settings: {
    name: string;
    everyMs: number;
    run: () => Promise<void>;
    /** Only the process that holds the loop's lease runs it. */
    inOneProcess?: boolean;
    /** Called instead of `run` while another process runs the loop. */
    otherwise?: () => void;
  },
): Loop {
  const { name, inOneProcess = false } = settings;
  const stopping = new AbortController();
  const isOurs = () => !inOneProcess || (deps.membership?.holds(name) ?? true);
  isOurs(); // applies for the lease
  const rounds = async () => {
    for (;;) {
      try {
        await sleepMs(settings.everyMs, stopping.signal);
      } catch {
        return;
      }
      if (!isOurs()) {
        settings.otherwise?.();
        deps.loopHealth?.succeeded(name);
        continue;
      }
      try {
        await settings.run();
        deps.loopHealth?.succeeded(name);
      } catch (error) {
        deps.log.warn({ loop: name, reason: String(error) }, 'background round failed');
        deps.loopHealth?.failed(name, error);
      }
    }
  };
  const ended = rounds();
  return {
    async stop() {
      stopping.abort(new Error('stopping'));
      await ended;
    },
  };
}
