// Notes how the units of each day were found while they are estimated: which seller sold them, and
// how the intervals were read that are no plain decrease.
import { bounds } from '../foundation/bounds.ts';
import { dayOf } from './stock-observation.ts';

export const READING_KINDS = [
  'restock_to_level',
  'restock_in_packs',
  'restock',
  'returned',
  'transfer',
  'miscount',
  'at_cap',
  'possible_cap',
  'count_unknown',
  'not_observed',
  'arrived',
  'left',
] as const;
export type ReadingKind = (typeof READING_KINDS)[number];

/** How one interval between two counts of a seller was read. */
export type NotedReading = {
  kind: ReadingKind;
  sellerName: string;
  fromAtSeconds: number;
  toAtSeconds: number;
  /** Counts at both ends; null: not a count. */
  before: number | null;
  after: number | null;
};

export type TracedDay = {
  /** Units by seller, not rounded. */
  sellers: Map<string, number>;
  readings: NotedReading[];
  /** Readings beyond the limit are only counted. */
  moreReadings: number;
};

/** States that go on from interval to interval are one reading a day. */
const LASTING: ReadonlySet<ReadingKind> = new Set(['at_cap', 'possible_cap', 'count_unknown']);

export type SalesTrace = ReturnType<typeof createSalesTrace>;

/** Only days from `fromDay` to `toDay`, both inclusive, are noted. */
export function createSalesTrace({ fromDay, toDay }: { fromDay: number; toDay: number }) {
  const days = new Map<number, TracedDay>();
  const crossing = new Map<number, Map<string, number>>();
  let shares: [sellerName: string, part: number][] = [];
  const at = (day: number): TracedDay | null => {
    if (day < fromDay || day > toDay) return null;
    let traced = days.get(day);
    if (traced === undefined) {
      traced = { sellers: new Map(), readings: [], moreReadings: 0 };
      days.set(day, traced);
    }
    return traced;
  };
  return {
    days,
    /** What follows was sold by this seller; null: by nobody in particular. */
    from(sellerName: string | null): void {
      shares = sellerName === null ? [] : [[sellerName, 1]];
    },
    sold(day: number, units: number): void {
      const sellers = at(day)?.sellers;
      for (const [sellerName, part] of sellers === undefined ? [] : shares)
        sellers?.set(sellerName, (sellers.get(sellerName) ?? 0) + units * part);
    },
    /** Units of the current seller in a span over midnight, which all sellers share. */
    crossed(key: number, units: number): void {
      const sellers = crossing.get(key) ?? new Map<string, number>();
      for (const [sellerName] of shares)
        sellers.set(sellerName, (sellers.get(sellerName) ?? 0) + units);
      crossing.set(key, sellers);
    },
    /** What follows is divided as the units of this span are. */
    sharedBy(key: number): void {
      const sellers = [...(crossing.get(key) ?? [])];
      const all = sellers.reduce((sum, [, units]) => sum + units, 0);
      shares = sellers.map(([sellerName, units]) => [sellerName, all > 0 ? units / all : 0]);
    },
    read(reading: NotedReading): void {
      const first = Math.max(fromDay, dayOf(reading.fromAtSeconds));
      const last = Math.min(toDay, dayOf(reading.toAtSeconds - 1));
      for (let day = first; day <= last; day++) note(at(day) as TracedDay, reading);
    },
  };
}

function note(day: TracedDay, reading: NotedReading): void {
  const { kind, sellerName } = reading;
  const same = LASTING.has(kind)
    ? day.readings.find((one) => one.kind === kind && one.sellerName === sellerName)
    : undefined;
  if (same !== undefined) {
    same.toAtSeconds = reading.toAtSeconds;
    same.after = reading.after;
  } else if (day.readings.length < bounds.explainedReadingsMax) day.readings.push({ ...reading });
  else day.moreReadings++;
}
