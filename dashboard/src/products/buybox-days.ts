// The shares of the buybox by day, as the bars of a chart.
import { DAY_MS } from '../app/server-clock.ts';
import type { Bar, BarSeries } from '../design/chart.tsx';
import { shortDayText } from '../design/time.tsx';

type Share = { seller_name: string | null; share: number };
export type BuyboxDays = {
  from: string | null;
  to: string;
  days: readonly {
    date: string;
    observed_share: number;
    suppressed_share: number;
    sellers: readonly Share[];
  }[];
  sellers: readonly (Share & { seconds: number })[];
};

/** Sellers with a colour of their own; the rest are one group. */
const NAMED_MAX = 4;
const OTHERS = 'Other sellers';
export const NOBODY = 'Nobody';
export const UNNAMED = 'Unnamed seller';
/** A wrong response must not cause an endless loop. */
const DAYS_MAX = 400;

const nameOf = ({ seller_name }: Share) => seller_name ?? UNNAMED;

/** Percent of each day. What is missing to 100 was not observed. */
export function buyboxBars(history: BuyboxDays): { series: BarSeries[]; bars: Bar[] } {
  const named = history.sellers.slice(0, NAMED_MAX).map(nameOf);
  const groups = [...named];
  if (history.sellers.length > named.length) groups.push(OTHERS);
  if (history.days.some(({ suppressed_share }) => suppressed_share > 0)) groups.push(NOBODY);
  const byDate = new Map(history.days.map((day) => [day.date, day]));
  const bars = datesOf(history).map((date) => {
    const day = byDate.get(date);
    const shares = new Map<string, number>();
    for (const one of day?.sellers ?? []) {
      const group = named.includes(nameOf(one)) ? nameOf(one) : OTHERS;
      shares.set(group, (shares.get(group) ?? 0) + one.share);
    }
    shares.set(NOBODY, day?.suppressed_share ?? 0);
    const observed = day?.observed_share ?? 0;
    const values = groups.map((group) => percent((shares.get(group) ?? 0) * observed));
    return { label: shortDayText(date), values };
  });
  const series = groups.map((name, index) => ({
    name,
    colour: (index + 1) as BarSeries['colour'],
  }));
  return { series, bars };
}

/** Rounded down, so that the parts of a day never exceed it. */
const percent = (share: number) => Math.floor(share * 1000) / 10;

function datesOf({ from, to }: BuyboxDays): string[] {
  if (from === null) return [];
  const firstMs = Math.floor(Date.parse(from) / DAY_MS) * DAY_MS;
  const count = Math.min(DAYS_MAX, Math.max(0, Math.ceil((Date.parse(to) - firstMs) / DAY_MS)));
  return Array.from({ length: count || 0 }, (_, day) =>
    new Date(firstMs + day * DAY_MS).toISOString().slice(0, 10),
  );
}

/** "Acme held the buybox 62 % of the observed time." */
export function buyboxSummary({ sellers }: BuyboxDays): string {
  const first = sellers[0];
  if (first === undefined) return 'Nobody held the buybox.';
  return `${nameOf(first)} held the buybox ${Math.round(first.share * 100)} % of the observed time.`;
}
