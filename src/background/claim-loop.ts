// A background loop that takes work as long as there is any, and looks for it ever less often while there is none,
// unless it is called.
import type { Log } from '../foundation/log.ts';
import type { Loop } from './periodic.ts';
import { createSignal, type Signal } from './signal.ts';

const IDLE_MIN_MS = 100;
const IDLE_MAX_MS = 1_000;

/** `work` answers how much it did; after a failure, or after nothing, the loop waits. */
export function startClaimLoop(
  log: Log,
  settings: {
    name: string;
    work: (stopping: AbortSignal) => Promise<number>;
    /** Raised by whoever makes work for it in this process. */
    signal?: Signal;
    /** The longest it waits while there is nothing to do; 1 s unless said. */
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
      } catch (error) {
        log.warn({ loop: settings.name, reason: String(error) }, 'background round failed');
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
