// A background loop that runs something at an interval, survives failures and stops cleanly.
import { sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';

export type Loop = {
  /** Stops the loop; resolves when its last round has ended. */
  stop(): Promise<void>;
};

export function startPeriodic(
  log: Log,
  settings: { name: string; everyMs: number; run: () => Promise<void> },
): Loop {
  const stopping = new AbortController();
  const rounds = async () => {
    for (;;) {
      try {
        await sleepMs(settings.everyMs, stopping.signal);
      } catch {
        return;
      }
      try {
        await settings.run();
      } catch (error) {
        log.warn({ loop: settings.name, reason: String(error) }, 'background round failed');
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
