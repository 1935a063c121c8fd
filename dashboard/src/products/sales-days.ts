// Days of estimated sales: totals, and descriptions of the methods.

type SalesMethod = 'counted' | 'inferred' | 'typical' | 'at_least' | 'unknown';

export type SalesDay = {
  date: string;
  /** null, as the band, if nothing supports a number. */
  units_sold: number | null;
  method: SalesMethod;
  confidence: number;
  low: number | null;
  high: number | null;
  /** Absent in responses that were stored before days were explained. */
  explanation?: DayExplanation | undefined;
};

export type DayExplanation = {
  reason: string;
  observations: {
    count: number;
    first_at: string | null;
    last_at: string | null;
    longest_gap_hours: number;
  };
  sellers: { seller_name: string; units_sold: number }[];
  other_sellers: number;
  readings: {
    kind: ReadingKind;
    seller_name: string;
    from: string;
    to: string;
    units_before: number | null;
    units_after: number | null;
  }[];
  other_readings: number;
};

export type ReadingKind =
  | 'restock_to_level'
  | 'restock_in_packs'
  | 'restock'
  | 'returned'
  | 'transfer'
  | 'miscount'
  | 'at_cap'
  | 'possible_cap'
  | 'count_unknown'
  | 'not_observed'
  | 'arrived'
  | 'left';

export const READING_NAMES: Readonly<Record<ReadingKind, string>> = {
  restock_to_level: 'Restocked to its level',
  restock_in_packs: 'Restocked in packs',
  restock: 'Restocked',
  returned: 'Units came back',
  transfer: 'Stock moved between sellers',
  miscount: 'Wrong count, ignored',
  at_cap: 'Displayed up to a cap',
  possible_cap: 'May be displayed up to a cap',
  count_unknown: 'Count not displayed',
  not_observed: 'Not observed',
  arrived: 'Seller arrived',
  left: 'Seller left',
};

export const METHOD_NAMES: Readonly<Record<SalesMethod, string>> = {
  counted: 'Counted',
  inferred: 'Inferred',
  typical: 'Typical',
  at_least: 'At least',
  unknown: 'Unknown',
};

export const METHOD_MEANINGS: Readonly<Record<SalesMethod, string>> = {
  counted: 'the stock decreased by this much on that day',
  inferred: 'from counts around a restock, or a decrease divided among two days',
  typical: 'the day was not observed; the usual sales of the product',
  at_least: 'some stock is not displayed; more may have been sold',
  unknown: 'no data',
};

export const unitsOf = (day: SalesDay) => day.units_sold;

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
  const daysWithData = days.filter(({ units_sold }) => units_sold !== null);
  const units = daysWithData.reduce((sum, day) => sum + (day.units_sold ?? 0), 0);
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
