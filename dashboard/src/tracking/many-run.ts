// Runs one action on many products, a part of the list per call; ends when stopped or when its
// page is left.
import { useEffect, useRef } from 'react';
import { withRetries } from './patience.ts';

/** Products per call: few enough that progress is seen and a stop takes effect soon. */
export const PART = 100;

/** Retries when the server reports a rate limit. */
export type Retrying = <T>(ask: () => Promise<T>) => Promise<T>;

export function useManyRun() {
  const stopper = useRef<AbortController | null>(null);
  const stop = () => stopper.current?.abort();
  useEffect(() => () => stopper.current?.abort(), []);
  const runParts = async <T>(
    items: readonly T[],
    act: (part: readonly T[], retrying: Retrying) => Promise<void>,
  ): Promise<void> => {
    const controller = new AbortController();
    stopper.current = controller;
    const { signal } = controller;
    const retrying: Retrying = (ask) => withRetries(ask, signal);
    for (let at = 0; at < items.length && !signal.aborted; at += PART)
      await act(items.slice(at, at + PART), retrying);
  };
  return { runParts, stop };
}
