// Retries actions that a rate limit rejected; stoppable.
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
