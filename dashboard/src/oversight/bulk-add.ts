// Adds pasted codes one by one, a few at a time, and tells what became of each.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../api-client.ts';
import { refresh } from '../query-keys.ts';
import { serverNow } from '../server-clock.ts';
import { type AddLine, outcomeOfAnswer, outcomeOfError } from './add-outcome.ts';
import type { PastedCode } from './pasted-codes.ts';
import { patiently, runEach } from './patience.ts';

const AT_ONCE = 4;
const SHOW_EVERY_MS = 200;
/** Our reading of the server's clock may be off by as much as an answer takes. */
const CLOCK_SLACK_MS = 2_000;

export type AddRun = { lines: readonly AddLine[]; isOver: boolean };

export function useBulkAdd() {
  const client = useQueryClient();
  const [run, setRun] = useState<AddRun | null>(null);
  const stopper = useRef<AbortController | null>(null);
  // A page that is left adds nothing more.
  useEffect(() => () => stopper.current?.abort(), []);

  const start = async (codes: readonly PastedCode[], tier: number) => {
    const own = new AbortController();
    stopper.current = own;
    const lines: AddLine[] = codes.map((one) => ({ ...one, state: 'waiting', detail: null }));
    const show = (isOver: boolean) => setRun({ lines: [...lines], isOver });
    show(false);
    const timer = setInterval(() => show(false), SHOW_EVERY_MS);
    const begunAtMs = serverNow() - CLOCK_SLACK_MS;
    let limit: string | null = null;
    const addOne = async ({ code }: PastedCode) => {
      // Every other one would be refused for the same reason.
      if (limit !== null) return { state: 'limit', detail: limit } as const;
      const body = { retailer_product_code: code, tier: tier as 0 | 1 | 2 | 3 | 4 };
      const ask = () => call('POST /retailer/oversight/products', { body });
      const answer = await patiently(ask, own.signal);
      return outcomeOfAnswer(answer.created_at, begunAtMs);
    };
    await runEach(
      codes,
      async (one, index) => {
        const outcome = await addOne(one).catch(outcomeOfError);
        if (outcome.state === 'limit') limit = outcome.detail;
        lines[index] = { ...one, ...outcome };
      },
      { atOnce: AT_ONCE, signal: own.signal },
    );
    clearInterval(timer);
    for (const [index, line] of lines.entries())
      if (line.state === 'waiting') lines[index] = { ...line, state: 'stopped' };
    show(true);
    void refresh(client, 'tracked', 'plan', 'product');
  };

  return {
    run,
    start: (codes: readonly PastedCode[], tier: number) => void start(codes, tier),
    stop: () => stopper.current?.abort(),
    reset: () => setRun(null),
  };
}
