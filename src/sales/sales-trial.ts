// The trial of estimates: true sales of many items are turned into looks at a stock that sold them, each item
// at one of five intervals. docs/sales-estimates.md describes the protocol.

import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

export const TRIAL_INTERVAL_HOURS = [1, 2, 6, 12, 24] as const;
export type TrialIntervalHours = (typeof TRIAL_INTERVAL_HOURS)[number];

const REFILL_DAYS_MEAN = 10;
const OBSERVATION_MISSED_PART = 0.05;
const SPARE_UNITS_MAX = 5;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const TRIAL_SELLER = 'Trial seller';
const TRIAL_PRICE_CENTS = 1_000;

export type Sale = { atSeconds: number; units: number };

export type TrialItem = {
  intervalHours: TrialIntervalHours;
  observations: StockObservation[];
  truth: ItemTruth;
};

/** True units of each day from the first to the last sale. */
export type ItemTruth = { firstDay: number; units: number[] };

/** Numbers in [0, 1), always the same ones for a seed. */
export function seededDraws(seed: number): () => number {
  let state = Math.trunc(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Seconds to add so that the last sale comes nearest before now, at the same hour of the week. */
export function weeksForward(lastSaleSeconds: number, nowSeconds: number): number {
  return Math.floor((nowSeconds - lastSaleSeconds) / WEEK_SECONDS) * WEEK_SECONDS;
}

/** The items of a truth by code, whatever the order of its rows, moved to before now. */
export function* trialItems(
  truth: ReadonlyMap<string, readonly Sale[]>,
  { seed, nowSeconds }: { seed: number; nowSeconds: number },
): Generator<TrialItem & { code: string }> {
  let last = 0;
  for (const sales of truth.values()) last = Math.max(last, sales.at(-1)?.atSeconds ?? 0);
  const moved = weeksForward(last, nowSeconds);
  const draw = seededDraws(seed);
  for (const [code, sales] of [...truth].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const now = sales.map(({ atSeconds, units }) => ({ atSeconds: atSeconds + moved, units }));
    yield { code, ...trialItem(now, draw) };
  }
}

/** Sales are of one item, ascending by time, with units above 0; at least one. */
export function trialItem(
  sales: readonly Sale[],
  draw: () => number,
  intervalHours: TrialIntervalHours = TRIAL_INTERVAL_HOURS[
    Math.floor(draw() * TRIAL_INTERVAL_HOURS.length)
  ] as TrialIntervalHours,
): TrialItem {
  return {
    intervalHours,
    observations: observationsAt(sales, draw, intervalHours),
    truth: truthOf(sales),
  };
}

export function truthOf(sales: readonly Sale[]): ItemTruth {
  const firstDay = dayOf((sales[0] as Sale).atSeconds);
  const lastDay = dayOf((sales.at(-1) as Sale).atSeconds);
  const units = new Array<number>(lastDay - firstDay + 1).fill(0);
  for (const sale of sales) {
    const index = dayOf(sale.atSeconds) - firstDay;
    units[index] = (units[index] as number) + sale.units;
  }
  return { firstDay, units };
}

/** From a random phase before the first sale to the first look after the last one; those two are never missed. */
function observationsAt(
  sales: readonly Sale[],
  draw: () => number,
  intervalHours: number,
): StockObservation[] {
  const step = intervalHours * HOUR_SECONDS;
  const first = (sales[0] as Sale).atSeconds;
  const last = (sales.at(-1) as Sale).atSeconds;
  let at = Math.floor(first - step * draw()) - 1;
  const refills = refillsOf(sales, at, draw);
  const observations: StockObservation[] = [];
  let stock = 0;
  let refilled = 0;
  let sold = 0;
  for (; ; at += step) {
    for (;;) {
      const refillAt = refills[refilled]?.atSeconds ?? Number.POSITIVE_INFINITY;
      const saleAt = sales[sold]?.atSeconds ?? Number.POSITIVE_INFINITY;
      if (Math.min(refillAt, saleAt) > at) break;
      // Goods that come in the second of a sale come before it.
      if (refillAt <= saleAt) stock = Math.max(stock, (refills[refilled++] as Refill).units);
      else stock -= (sales[sold++] as Sale).units;
    }
    const isEnd = observations.length === 0 || at >= last;
    if (draw() >= OBSERVATION_MISSED_PART || isEnd) observations.push(trialObservation(at, stock));
    if (at >= last) return observations;
  }
}

type Refill = { atSeconds: number; units: number };

/** At random times, each to what will be sold until the next and a little more. */
function refillsOf(sales: readonly Sale[], fromAtSeconds: number, draw: () => number): Refill[] {
  const refills: Refill[] = [];
  let atSeconds = fromAtSeconds;
  let sold = 0;
  while (sold < sales.length) {
    const gap = Math.ceil(-Math.log(1 - draw()) * REFILL_DAYS_MEAN * DAY_SECONDS);
    let units = Math.floor(draw() * (SPARE_UNITS_MAX + 1));
    for (; (sales[sold]?.atSeconds ?? Number.POSITIVE_INFINITY) < atSeconds + gap; sold++)
      units += (sales[sold] as Sale).units;
    refills.push({ atSeconds, units });
    atSeconds += gap;
  }
  return refills;
}

function trialObservation(atSeconds: number, units: number): StockObservation {
  return {
    atSeconds,
    rankPosition: null,
    rankCategory: null,
    offers: [{ sellerName: TRIAL_SELLER, units, priceCents: TRIAL_PRICE_CENTS }],
    offersComplete: true,
  };
}
