// Runs one action on many products, a few in parallel; ends when stopped or when its page is left.
import { useEffect, useRef } from 'react';
import { patiently, runEach } from './patience.ts';

const AT_ONCE = 4;

/** Retries when the server reports a rate limit. */
export type Patient = <T>(ask: () => Promise<T>) => Promise<T>;

export function useManyRun() {
  const stopper = useRef<AbortController | null>(null);
  const stop = () => stopper.current?.abort();
  useEffect(() => () => stopper.current?.abort(), []);
  const runMany = <T>(
    items: readonly T[],
    act: (item: T, index: number, patient: Patient) => Promise<void>,
  ): Promise<void> => {
    const own = new AbortController();
    stopper.current = own;
    const { signal } = own;
    const patient: Patient = (ask) => patiently(ask, signal);
    return runEach(items, (item, index) => act(item, index, patient), { atOnce: AT_ONCE, signal });
  };
  return { runMany, stop };
}
