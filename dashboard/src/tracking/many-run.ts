// One act on many products, a few at a time, that ends when it is stopped and when its page is left.
import { useEffect, useRef } from 'react';
import { patiently, runEach } from './patience.ts';

const AT_ONCE = 4;

/** Asks again when the server says that it was too fast. */
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
