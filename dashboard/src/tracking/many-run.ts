// Runs one action on many products, a few in parallel; ends when stopped or when its page is left.
import { useEffect, useRef } from 'react';
import { runEach, withRetries } from './patience.ts';

const AT_ONCE = 4;

/** Retries when the server reports a rate limit. */
export type Retrying = <T>(ask: () => Promise<T>) => Promise<T>;

export function useManyRun() {
  const stopper = useRef<AbortController | null>(null);
  const stop = () => stopper.current?.abort();
  useEffect(() => () => stopper.current?.abort(), []);
  const runMany = <T>(
    items: readonly T[],
    act: (item: T, index: number, retrying: Retrying) => Promise<void>,
  ): Promise<void> => {
    const controller = new AbortController();
    stopper.current = controller;
    const { signal } = controller;
    const retrying: Retrying = (ask) => withRetries(ask, signal);
    return runEach(items, (item, index) => act(item, index, retrying), { atOnce: AT_ONCE, signal });
  };
  return { runMany, stop };
}
