// Runs many actions under a rate limit: a few in parallel, with retries, stoppable.
import { ApiProblem } from '../app/api-problem.ts';

const TRIES_MAX = 30;
const WAIT_DEFAULT_MS = 250;

/** Retries actions that were rejected by the rate limit. */
export async function withRetries<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
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

/** Ends early when the signal aborts. */
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
 * Runs `act` over all items in order, at most `atOnce` in parallel. Once stopped it starts no more,
 * but waits for running actions: a sent request may have taken effect.
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
