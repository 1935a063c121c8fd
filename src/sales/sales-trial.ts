// The trial: turns known sales of many items into observations of the stock that sold them, in one
// of the worlds of trial-world. docs/sales-estimates.md describes the protocol.
import { DAY_SECONDS } from '../foundation/time.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';
import { type PlayedItem, playItem, type Sale } from './trial-shelf.ts';
import { TRIAL_WORLDS, type TrialWorld } from './trial-world.ts';

export const TRIAL_INTERVAL_HOURS = [1, 2, 6, 12, 24] as const;
export type TrialIntervalHours = (typeof TRIAL_INTERVAL_HOURS)[number];

const WEEK_SECONDS = 7 * DAY_SECONDS;
/** A rank compares the sales of this many days, and is displayed with this much noise. */
const RANK_DAYS = 6;
const RANK_NOISE = 0.35;

export type TrialItem = {
  intervalHours: TrialIntervalHours;
  observations: StockObservation[];
  gaps: PlayedItem['gaps'];
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
export function movedSales(
  truth: ReadonlyMap<string, readonly Sale[]>,
  nowSeconds: number,
): Sale[][] {
  let lastAtSeconds = 0;
  for (const sales of truth.values())
    lastAtSeconds = Math.max(lastAtSeconds, sales.at(-1)?.atSeconds ?? 0);
  const movedSeconds = weeksForward(lastAtSeconds, nowSeconds);
  return [...truth]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sales]) =>
      sales.map(({ atSeconds, units }) => ({ atSeconds: atSeconds + movedSeconds, units })),
    );
}

/** Plays all items in a world. `half` says which items fit the model that scores the others. */
export function* trialItems(
  items: readonly (readonly Sale[])[],
  { seed, world }: { seed: number; world: TrialWorld },
): Generator<TrialItem & { half: 0 | 1 }> {
  const ranks = world.rankedPart > 0 ? dailyRanks(items) : null;
  for (const [index, sales] of items.entries()) {
    // Halves and intervals are the same in every world.
    const shared = seededDraws(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
    const half = shared() < 0.5 ? 0 : 1;
    const intervalHours = drawnInterval(shared);
    const draw = seededDraws(
      Math.floor(shared() * 2 ** 32) ^ Math.imul(TRIAL_WORLDS.indexOf(world) + 2, 0xc2b2ae35),
    );
    const ranked = draw() < world.rankedPart;
    const rankAt = ranks === null || !ranked ? null : rankReader(ranks, index, draw);
    yield { half, ...trialItem(sales, { world, draw, intervalHours, rankAt }) };
  }
}

const drawnInterval = (draw: () => number) =>
  TRIAL_INTERVAL_HOURS[Math.floor(draw() * TRIAL_INTERVAL_HOURS.length)] as TrialIntervalHours;

/**
 * The trial of one item. There is at least one sale; sales are ascending and have units above 0.
 */
export function trialItem(
  sales: readonly Sale[],
  trial: {
    draw: () => number;
    world?: TrialWorld;
    intervalHours?: TrialIntervalHours;
    rankAt?: ((atSeconds: number) => number) | null;
  },
): TrialItem {
  const { draw, world = TRIAL_WORLDS[0] as TrialWorld, rankAt = null } = trial;
  const intervalHours = trial.intervalHours ?? drawnInterval(draw);
  const { observations, gaps, sold } = playItem(sales, { world, intervalHours, draw, rankAt });
  return { intervalHours, observations, gaps, truth: truthOf(sold) };
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

type DailyRanks = { firstDay: number; byDay: Uint32Array[] };

/** The rank of each item by the units of the days before, for each day. */
function dailyRanks(items: readonly (readonly Sale[])[]): DailyRanks {
  const firstDay = Math.min(...items.map((sales) => dayOf((sales[0] as Sale).atSeconds)));
  const lastDay = Math.max(...items.map((sales) => dayOf((sales.at(-1) as Sale).atSeconds)));
  const days = lastDay - firstDay + 2;
  const sums = items.map((sales) => {
    const units = new Float64Array(days + 1);
    for (const sale of sales) {
      const index = dayOf(sale.atSeconds) - firstDay + 1;
      units[index] = (units[index] as number) + sale.units;
    }
    for (let index = 1; index <= days; index++)
      units[index] = (units[index] as number) + (units[index - 1] as number);
    return units;
  });
  const byDay = Array.from({ length: days }, (_, day) => {
    const recent = sums.map(
      (units) => (units[day] as number) - (units[Math.max(0, day - RANK_DAYS)] as number),
    );
    const order = recent.map((_units, item) => item);
    order.sort((one, other) => (recent[other] as number) - (recent[one] as number));
    const ranks = new Uint32Array(items.length);
    order.forEach((item, place) => {
      ranks[item] = place + 1;
    });
    return ranks;
  });
  return { firstDay, byDay };
}

function rankReader({ firstDay, byDay }: DailyRanks, item: number, draw: () => number) {
  return (atSeconds: number) => {
    const day = Math.min(byDay.length - 1, Math.max(0, dayOf(atSeconds) - firstDay));
    const noise = Math.exp(RANK_NOISE * (draw() + draw() + draw() - 1.5));
    return Math.max(1, Math.round((byDay[day]?.[item] ?? 1) * noise));
  };
}
