// Days of estimated sales: totals, descriptions of the methods, and their chart.
import type { ChartSeries } from '../design/chart-data.ts';

type SalesMethod = 'counted' | 'split' | 'restock' | 'rank_curve' | 'typical' | 'unknown';

export type SalesDay = {
  date: string;
  units_sold: number;
  method: SalesMethod;
  confidence: number;
  low: number;
  high: number;
};

export const METHOD_NAMES: Readonly<Record<SalesMethod, string>> = {
  counted: 'Counted',
  split: 'Split',
  restock: 'Restock',
  rank_curve: 'Sales rank',
  typical: 'Typical',
  unknown: 'Unknown',
};

export const METHOD_MEANINGS: Readonly<Record<SalesMethod, string>> = {
  counted: 'the stock decreased by this much on that day',
  split: 'a decrease of the stock, divided among the days between two observations',
  restock: 'stock was added; the sales around it are estimated',
  rank_curve: 'from the sales rank, because the stock was unknown',
  typical: 'the usual sales of the product, without better data',
  unknown: 'no data',
};

/** An estimate of 0 without data is not a day without sales. */
export const unitsOf = (day: SalesDay) => (day.method === 'unknown' ? null : day.units_sold);

export type SalesSummary = {
  days: number;
  units: number;
  unitsPerDay: number | null;
  /** Of the days with data. */
  confidence: number | null;
  /** Most frequent first. */
  methods: { method: SalesMethod; days: number }[];
};

export function summarise(days: readonly SalesDay[]): SalesSummary {
  const daysWithData = days.filter(({ method }) => method !== 'unknown');
  const units = daysWithData.reduce((sum, day) => sum + day.units_sold, 0);
  const counts = new Map<SalesMethod, number>();
  for (const { method } of days) counts.set(method, (counts.get(method) ?? 0) + 1);
  const mean = (sum: number) => (daysWithData.length === 0 ? null : sum / daysWithData.length);
  return {
    days: days.length,
    units,
    unitsPerDay: mean(units),
    confidence: mean(daysWithData.reduce((sum, day) => sum + day.confidence, 0)),
    methods: [...counts]
      .map(([method, count]) => ({ method, days: count }))
      .sort((a, b) => b.days - a.days),
  };
}

export function salesSeries(days: readonly SalesDay[]): ChartSeries[] {
  if (days.length === 0) return [];
  const points = days.map((day) => {
    const value = unitsOf(day);
    const hasData = value !== null;
    return { at: day.date, value, low: hasData ? day.low : null, high: hasData ? day.high : null };
  });
  return [{ name: 'Units sold', unit: 'count', shape: 'linear', colour: 1, points }];
}

export type SalesPeriod = '1month' | '6months' | '1year' | '3years' | 'alltime';

/** From the shortest to the longest. */
export const PERIODS: readonly SalesPeriod[] = ['1month', '6months', '1year', '3years', 'alltime'];

export const PERIOD_NAMES: Readonly<Record<SalesPeriod, { short: string; long: string }>> = {
  '1month': { short: '1m', long: 'One month' },
  '6months': { short: '6m', long: 'Six months' },
  '1year': { short: '1y', long: 'One year' },
  '3years': { short: '3y', long: 'Three years' },
  alltime: { short: 'All', long: 'All time' },
};

/** A longer period includes the days of a shorter one, so the longest bought one is shown. */
export const longest = (periods: readonly SalesPeriod[]): SalesPeriod | null =>
  PERIODS.findLast((period) => periods.includes(period)) ?? null;
