// Explains the estimate of a day: what was observed, how it was read and who sold how much.
import { bounds } from '../foundation/bounds.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import type { Method } from './day-sums.ts';
import type { NotedReading, ReadingKind, TracedDay } from './sales-trace.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

export type DayExplanation = {
  observations: ObservedDay;
  sellers: { sellerName: string; units: number }[];
  otherSellers: number;
  readings: readonly NotedReading[];
  moreReadings: number;
};

/** Observations of a day that name offers. */
export type ObservedDay = {
  count: number;
  firstAtSeconds: number | null;
  lastAtSeconds: number | null;
  /** The longest time of the day between two observations. */
  longestGapSeconds: number;
};

/** The explanations of the days of a range, both inclusive, that have an estimate. */
export function explanationsOf(
  observations: readonly StockObservation[],
  traced: ReadonlyMap<number, TracedDay>,
  days: readonly number[],
): Map<number, DayExplanation> {
  const observed = observedDays(observations, days);
  return new Map(days.map((day) => [day, explanationOf(observed.get(day), traced.get(day))]));
}

function explanationOf(
  observations: ObservedDay = NOT_OBSERVED,
  traced: TracedDay | undefined = undefined,
): DayExplanation {
  const all = [...(traced?.sellers ?? [])]
    .map(([sellerName, units]) => ({ sellerName, units: Math.round(units * 100) / 100 }))
    .filter(({ units }) => units > 0)
    .sort((one, other) => other.units - one.units);
  return {
    observations,
    sellers: all.slice(0, bounds.explainedSellersMax),
    otherSellers: Math.max(0, all.length - bounds.explainedSellersMax),
    readings: traced?.readings ?? [],
    moreReadings: traced?.moreReadings ?? 0,
  };
}

const NOT_OBSERVED: ObservedDay = {
  count: 0,
  firstAtSeconds: null,
  lastAtSeconds: null,
  longestGapSeconds: DAY_SECONDS,
};

function observedDays(
  observations: readonly StockObservation[],
  days: readonly number[],
): Map<number, ObservedDay> {
  const observed = new Map<number, ObservedDay>(
    days.map((day) => [day, { ...NOT_OBSERVED, longestGapSeconds: 0 }]),
  );
  let beforeAtSeconds = Number.NEGATIVE_INFINITY;
  const pass = (fromAtSeconds: number, toAtSeconds: number) => {
    const first = Math.max(days[0] ?? 0, dayOf(fromAtSeconds));
    const last = Math.min(days.at(-1) ?? -1, dayOf(toAtSeconds));
    for (let day = first; day <= last; day++) {
      const one = observed.get(day);
      if (one === undefined) continue;
      const from = Math.max(fromAtSeconds, day * DAY_SECONDS);
      const to = Math.min(toAtSeconds, (day + 1) * DAY_SECONDS);
      one.longestGapSeconds = Math.max(one.longestGapSeconds, to - from);
    }
  };
  for (const { atSeconds, offers } of observations) {
    if (offers === undefined) continue;
    pass(beforeAtSeconds, atSeconds);
    beforeAtSeconds = atSeconds;
    const one = observed.get(dayOf(atSeconds));
    if (one === undefined) continue;
    one.count++;
    one.firstAtSeconds ??= atSeconds;
    one.lastAtSeconds = atSeconds;
  }
  pass(beforeAtSeconds, Number.POSITIVE_INFINITY);
  return observed;
}

const RESTOCKS: ReadonlySet<ReadingKind> = new Set([
  'restock_to_level',
  'restock_in_packs',
  'restock',
]);

/** Why the day has its method, in a sentence. */
export function reasonOf(method: Method, { observations, readings }: DayExplanation): string {
  const has = (...kinds: ReadingKind[]) => readings.some(({ kind }) => kinds.includes(kind));
  switch (method) {
    case 'counted':
      return 'The displayed stock decreased by this much on this day.';
    case 'inferred':
      if (readings.some(({ kind }) => RESTOCKS.has(kind)))
        return 'A restock came between two observations. What sold beside it follows from the usual sales and from how this shelf is restocked.';
      if (has('returned'))
        return 'Units seem to have come back between two observations, so the stock decreased by less than was sold.';
      if (has('arrived', 'left'))
        return 'A seller arrived or left between two observations and sold for a part of the time.';
      return 'A decrease over midnight is divided by the hours in which the market sells, and a little may be hidden in it.';
    case 'typical':
      return observations.count === 0
        ? 'Nobody observed the stock on this day. This is what the product usually sells.'
        : 'The stock was not displayed, or not observed for long. This is what the product usually sells.';
    case 'at_least':
      return has('possible_cap')
        ? 'A count rested at a number that marketplaces use as a cap. At least this much was sold.'
        : 'Some stock is displayed only up to a cap, or not at all. At least this much was sold.';
    case 'unknown':
      return 'Nothing supports a number: no count, no usual sales and no rank.';
  }
}
