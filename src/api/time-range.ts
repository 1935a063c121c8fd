// The `from` and `to` of a history. Either may be absent, or lie beyond the stored data.
import { Type } from 'typebox';
import { INSTANT_MAX_MS, INSTANT_MIN_MS } from '../foundation/instant.ts';
import { Problem } from '../foundation/problem.ts';
import { boundOf } from './wire.ts';

const Instant = (description: string) =>
  Type.String({
    format: 'date-time',
    maxLength: 40,
    description: `a time such as 2026-11-14T12:00:00Z: ${description}`,
  });

export const RangeQuery = {
  from: Type.Optional(Instant('start of the range, inclusive')),
  to: Type.Optional(Instant('end of the range, exclusive')),
};

export type TimeRange = { from?: string; to?: string };

/** A range may be open at either end, or reach beyond the stored data. */
export function rangeOf({ from, to }: TimeRange): { fromAtSeconds: number; toAtSeconds: number } {
  const fromMs = from === undefined ? INSTANT_MIN_MS : boundOf(from, 'Query parameter from');
  const toMs = to === undefined ? INSTANT_MAX_MS : boundOf(to, 'Query parameter to');
  return { fromAtSeconds: Math.ceil(fromMs / 1000), toAtSeconds: Math.ceil(toMs / 1000) };
}

export function refuseBackwards(query: TimeRange): void {
  const { from, to } = query;
  if (from === undefined || to === undefined) return;
  const [fromMs, toMs] = [boundOf(from, 'Query parameter from'), boundOf(to, 'Query parameter to')];
  if (fromMs <= toMs) return;
  throw new Problem(
    'time_range_invalid',
    `from must not be later than to; got ${from} and ${to}.`,
    { field: 'from' },
  );
}
