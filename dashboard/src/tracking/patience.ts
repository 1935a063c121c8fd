// Doing many things at the server's pace: a few at a time, waiting when it asks for that, stoppable.
import { ApiProblem } from '../app/api-problem.ts';

const TRIES_MAX = 30;
const WAIT_DEFAULT_MS = 250;

/** Repeats what was refused only for coming too fast. */
export async function patiently<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      const isTooFast = error instanceof ApiProblem && error.status === 429;
      if (!isTooFast || tries >= TRIES_MAX || signal?.aborted) throw error;
      await pause(error.retryAfterMs ?? WAIT_DEFAULT_MS, signal);
    }
  }
}

/** Ends early when the signal does. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}

/**
 * Runs `act` over all items, at most `atOnce` at a time and in their order. Once stopped it begins no
 * other, but waits for those under way: what was sent may have taken effect.
 */
export async function runEach<T>(
  items: readonly T[],
  act: (item: T, index: number) => Promise<void>,
  { atOnce, signal }: { atOnce: number; signal: AbortSignal },
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < items.length && !signal.aborted) {
      const index = next++;
      await act(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}
