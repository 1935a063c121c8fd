// A background loop that works as long as there is work. While there is none, it polls ever less
// often, unless a signal wakes it.
import type { Loop, LoopDeps } from './periodic.ts';
import { createSignal, type Signal } from './signal.ts';

const IDLE_MIN_MS = 100;
const IDLE_MAX_MS = 1_000;

/** `work` returns how much it did. After 0 or a failure the loop waits. */
export function startClaimLoop(
  deps: LoopDeps,
  settings: {
    name: string;
    work: (stopping: AbortSignal) => Promise<number>;
    /** Raised by code in this process that creates work. */
    signal?: Signal;
    /** The longest wait while there is no work; 1 s by default. */
    idleMaxMs?: number;
  },
): Loop {
  const stopping = new AbortController();
  const signal = settings.signal ?? createSignal();
  const rounds = async () => {
    let idleMs = IDLE_MIN_MS;
    while (!stopping.signal.aborted) {
      let done = 0;
      try {
        done = await settings.work(stopping.signal);
        deps.loopHealth?.succeeded(settings.name);
      } catch (error) {
        deps.log.warn({ loop: settings.name, reason: String(error) }, 'background round failed');
        deps.loopHealth?.failed(settings.name, error);
      }
      if (done > 0) {
        idleMs = IDLE_MIN_MS;
        continue;
      }
      await signal.wait(idleMs, stopping.signal);
      idleMs = Math.min(idleMs * 2, settings.idleMaxMs ?? IDLE_MAX_MS);
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
