// Credits by day and operation: the query, the bars of the chart and its summary.
import { queryOptions } from '@tanstack/react-query';
import { call } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';
import { DAY_MS } from '../app/server-clock.ts';
import type { Bar, BarSeries } from '../design/chart.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { shortDayText } from '../design/time.tsx';

export type Usage = {
  from: string;
  to: string;
  entries: readonly { date: string; operation: string; credits: number }[];
};

export const DAYS_DEFAULT = '30';

export const usageQuery = (days: string) =>
  queryOptions({
    queryKey: queryKey('usage', days),
    queryFn: ({ signal }) => call('GET /session/usage', { query: { days: Number(days) }, signal }),
  });

/** In stacking order; the last group also takes unknown operations. */
const GROUPS: readonly { series: BarSeries; has: (operation: string) => boolean }[] = [
  { series: { name: 'Tracking', colour: 1 }, has: (one) => one.startsWith('tracking') },
  { series: { name: 'Product details', colour: 2 }, has: (one) => one === 'details' },
  {
    series: { name: 'Price and buybox history', colour: 3 },
    has: (one) => one === 'price-history' || one === 'buybox-history',
  },
  { series: { name: 'Units sold', colour: 4 }, has: (one) => one === 'units-sold-history' },
  {
    series: { name: 'Offers and stock', colour: 5 },
    has: (one) => one === 'offers' || one === 'units-in-stock' || one === 'offer-history',
  },
  { series: { name: 'Fees and other', colour: 6 }, has: () => true },
];

/** A wrong response must not cause an endless loop. */
const DAYS_MAX = 400;

/** Every day from the first to the last, used or not, with only the groups that occur. */
export function usageBars(usage: Usage): { series: BarSeries[]; bars: Bar[]; total: number } {
  const days = daysBetween(usage.from, usage.to);
  const byDay = new Map(days.map((on) => [on, GROUPS.map(() => 0)]));
  const sums = GROUPS.map(() => 0);
  for (const { date, operation, credits } of usage.entries) {
    const group = GROUPS.findIndex(({ has }) => has(operation));
    const day = byDay.get(date);
    if (day === undefined) continue;
    day[group] = (day[group] ?? 0) + credits;
    sums[group] = (sums[group] ?? 0) + credits;
  }
  const used = GROUPS.map((_, group) => group).filter((group) => sums[group] !== 0);
  return {
    series: used.flatMap((group) => GROUPS[group]?.series ?? []),
    bars: days.map((on) => ({
      label: shortDayText(on),
      values: used.map((group) => byDay.get(on)?.[group] ?? 0),
    })),
    total: sums.reduce((sum, credits) => sum + credits, 0),
  };
}

/** "1,240 credits in 30 days, most on 3 Nov (210)." */
export function usageSummary(bars: readonly Bar[], total: number): string {
  const sumOf = (bar: Bar) => bar.values.reduce((sum, value) => sum + value, 0);
  let most: Bar | undefined;
  for (const bar of bars) if (most === undefined || sumOf(bar) > sumOf(most)) most = bar;
  if (most === undefined || total <= 0) return `No credits used in ${bars.length} days.`;
  const top = `most on ${most.label} (${countText(sumOf(most))})`;
  return `${creditsText(total)} in ${bars.length} days, ${top}.`;
}

function daysBetween(from: string, to: string): string[] {
  const firstMs = Date.parse(`${from}T00:00:00Z`);
  const lastMs = Date.parse(`${to}T00:00:00Z`);
  const count = Math.min(DAYS_MAX, Math.max(0, Math.round((lastMs - firstMs) / DAY_MS) + 1));
  return Array.from({ length: count || 0 }, (_, day) =>
    new Date(firstMs + day * DAY_MS).toISOString().slice(0, 10),
  );
}
