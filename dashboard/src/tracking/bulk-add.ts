// Adds pasted codes, a part of them per call, and reports the outcome of each.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { refresh } from '../app/query-keys.ts';
import { type AddLine, linesOf, outcomeOfError, outcomeOfResult } from './add-outcome.ts';
import { type Retrying, useManyRun } from './many-run.ts';
import type { PastedCode, PasteProblem } from './pasted-codes.ts';
import type { Tier } from './tier-words.tsx';

type ToAdd = { codes: readonly PastedCode[]; problems: readonly PasteProblem[] };
export type AddRun = { lines: readonly AddLine[]; isOver: boolean };

export function useBulkAdd() {
  const client = useQueryClient();
  const [run, setRun] = useState<AddRun | null>(null);
  const { runParts, stop } = useManyRun();

  const start = async ({ codes, problems }: ToAdd, tier: number) => {
    const lines: AddLine[] = linesOf(codes, problems);
    const indexAt = new Map(lines.map(({ position }, index) => [position, index]));
    const show = (isOver: boolean) => setRun({ lines: [...lines], isOver });
    show(false);
    let limit: string | null = null;
    const addPart = async (part: readonly PastedCode[], retrying: Retrying) => {
      // All other codes would be rejected for the same reason.
      if (limit !== null) return part.map(() => ({ state: 'limit', detail: limit }) as const);
      const items = part.map(({ code }) => ({ retailer_product_code: code, tier: tier as Tier }));
      const { results } = await retrying(() =>
        call('POST /retailer/oversight/products/bulk', { body: { items } }),
      );
      return part.map(({ code }, index) => outcomeOfResult(results[index], code));
    };
    await runParts(codes, async (part, retrying) => {
      const outcomes = await addPart(part, retrying).catch((error) =>
        part.map(({ code }) => outcomeOfError(error, code)),
      );
      for (const [index, one] of part.entries()) {
        const outcome = outcomes[index] as (typeof outcomes)[number];
        if (outcome.state === 'limit') limit = outcome.detail;
        lines[indexAt.get(one.position) ?? 0] = { ...one, ...outcome };
      }
      show(false);
    });
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
