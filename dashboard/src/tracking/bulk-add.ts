// Adds pasted codes one by one, a few in parallel, and reports the outcome of each.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { refresh } from '../app/query-keys.ts';
import { serverNowMs } from '../app/server-clock.ts';
import { type AddLine, linesOf, outcomeOfError, outcomeOfResponse } from './add-outcome.ts';
import { type Retrying, useManyRun } from './many-run.ts';
import type { PastedCode, PasteProblem } from './pasted-codes.ts';
import type { Tier } from './tier-words.tsx';

const SHOW_EVERY_MS = 200;
/** The local reading of the server's clock may be off by the time that a response takes. */
const CLOCK_SLACK_MS = 2_000;

type ToAdd = { codes: readonly PastedCode[]; problems: readonly PasteProblem[] };
export type AddRun = { lines: readonly AddLine[]; isOver: boolean };

export function useBulkAdd() {
  const client = useQueryClient();
  const [run, setRun] = useState<AddRun | null>(null);
  const { runMany, stop } = useManyRun();

  const start = async ({ codes, problems }: ToAdd, tier: number) => {
    const lines: AddLine[] = linesOf(codes, problems);
    const indexAt = new Map(lines.map(({ position }, index) => [position, index]));
    const show = (isOver: boolean) => setRun({ lines: [...lines], isOver });
    show(false);
    const timer = setInterval(() => show(false), SHOW_EVERY_MS);
    const startedAtMs = serverNowMs() - CLOCK_SLACK_MS;
    let limit: string | null = null;
    const addOne = async ({ code }: PastedCode, retrying: Retrying) => {
      // All other codes would be rejected for the same reason.
      if (limit !== null) return { state: 'limit', detail: limit } as const;
      const body = { retailer_product_code: code, tier: tier as Tier };
      const response = await retrying(() => call('POST /retailer/oversight/products', { body }));
      return outcomeOfResponse(response.created_at, startedAtMs);
    };
    await runMany(codes, async (one, _, retrying) => {
      const outcome = await addOne(one, retrying).catch((error) => outcomeOfError(error, one.code));
      if (outcome.state === 'limit') limit = outcome.detail;
      lines[indexAt.get(one.position) ?? 0] = { ...one, ...outcome };
    });
    clearInterval(timer);
    for (const [index, line] of lines.entries())
      if (line.state === 'waiting') lines[index] = { ...line, state: 'stopped' };
    show(true);
    void refresh(client, 'tracked', 'plan');
  };

  return {
    run,
    start: (toAdd: ToAdd, tier: number) => void start(toAdd, tier),
    stop,
    reset: () => setRun(null),
  };
}
