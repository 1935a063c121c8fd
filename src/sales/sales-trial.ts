// The trial: turns known sales of many items into observations of a stock that sold them, each item
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

/** A generator of pseudo-random numbers in [0, 1) that depend only on the seed. */
export function seededDraws(seed: number): () => number {
  let state = Math.trunc(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The whole weeks, in seconds, that move the last sale as close as possible to now, but not after
 * it.
 */
export function weeksForward(lastSaleSeconds: number, nowSeconds: number): number {
  return Math.floor((nowSeconds - lastSaleSeconds) / WEEK_SECONDS) * WEEK_SECONDS;
}

/** The items in the order of their codes, with their sales moved forward to end before now. */
export function* trialItems(
  truth: ReadonlyMap<string, readonly Sale[]>,
  { seed, nowSeconds }: { seed: number; nowSeconds: number },
): Generator<TrialItem & { code: string }> {
  let lastAtSeconds = 0;
  for (const sales of truth.values())
    lastAtSeconds = Math.max(lastAtSeconds, sales.at(-1)?.atSeconds ?? 0);
  const movedSeconds = weeksForward(lastAtSeconds, nowSeconds);
  const draw = seededDraws(seed);
  for (const [code, sales] of [...truth].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const movedSales = sales.map(({ atSeconds, units }) => ({
      atSeconds: atSeconds + movedSeconds,
      units,
    }));
    yield { code, ...trialItem(movedSales, draw) };
  }
}

/**
 * The trial of one item. There is at least one sale; sales are ascending and have units above 0.
 */
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

/** Observations from a random phase before the first sale to the first one after the last sale. */
function observationsAt(
  sales: readonly Sale[],
  draw: () => number,
  intervalHours: number,
): StockObservation[] {
  const stepSeconds = intervalHours * HOUR_SECONDS;
  const firstAtSeconds = (sales[0] as Sale).atSeconds;
  const lastAtSeconds = (sales.at(-1) as Sale).atSeconds;
  let atSeconds = Math.floor(firstAtSeconds - stepSeconds * draw()) - 1;
  const refills = refillsOf(sales, atSeconds, draw);
  const observations: StockObservation[] = [];
  let stock = 0;
  let refilled = 0;
  let sold = 0;
  for (; ; atSeconds += stepSeconds) {
    for (;;) {
      const refillAtSeconds = refills[refilled]?.atSeconds ?? Number.POSITIVE_INFINITY;
      const saleAtSeconds = sales[sold]?.atSeconds ?? Number.POSITIVE_INFINITY;
      if (Math.min(refillAtSeconds, saleAtSeconds) > atSeconds) break;
      // A refill in the same second as a sale comes first.
      if (refillAtSeconds <= saleAtSeconds)
        stock = Math.max(stock, (refills[refilled++] as Refill).units);
      else stock -= (sales[sold++] as Sale).units;
    }
    // The first and the last observation are never missed.
    const isEnd = observations.length === 0 || atSeconds >= lastAtSeconds;
    if (draw() >= OBSERVATION_MISSED_PART || isEnd)
      observations.push(trialObservation(atSeconds, stock));
    if (atSeconds >= lastAtSeconds) return observations;
  }
}

type Refill = { atSeconds: number; units: number };

/** Refills at random times, each to what will sell until the next one and a few units more. */
function refillsOf(sales: readonly Sale[], fromAtSeconds: number, draw: () => number): Refill[] {
  const refills: Refill[] = [];
  let atSeconds = fromAtSeconds;
  let sold = 0;
  while (sold < sales.length) {
    const gapSeconds = Math.ceil(-Math.log(1 - draw()) * REFILL_DAYS_MEAN * DAY_SECONDS);
    let units = Math.floor(draw() * (SPARE_UNITS_MAX + 1));
    for (; (sales[sold]?.atSeconds ?? Number.POSITIVE_INFINITY) < atSeconds + gapSeconds; sold++)
      units += (sales[sold] as Sale).units;
    refills.push({ atSeconds, units });
    atSeconds += gapSeconds;
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
