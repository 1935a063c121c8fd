// For the tests of change detection: observations as short tables, and their events as one line
// each.
import { expect } from 'vitest';
import { detectChanges } from '../../src/events/change-detection.ts';
import type { DetectedEvent } from '../../src/events/detected-event.ts';
import { afterObserving, type ObservedState } from '../../src/events/observed-state.ts';
import { DEFAULT_RULES, type Rules } from '../../src/events/rule.ts';
import type { WatchState } from '../../src/events/watch-state.ts';
import { HOUR_MS, HOUR_SECONDS } from '../../src/foundation/time.ts';
import type { Observation, SeenOffer } from '../../src/history/observation.ts';

export type Shelf = Readonly<Record<string, readonly [cents: number, units: number | null]>>;
export type Seen = {
  box?: readonly [cents: number, seller: string | null] | null;
  shelf?: Shelf;
  partly?: boolean;
  rank?: number;
  category?: string;
};

/** One observation an hour. */
export function hourly(seen: readonly Seen[]): Observation[] {
  return seen.map(({ box, shelf, partly = false, rank, category = 'Kettles' }, hour) => ({
    atSeconds: hour * HOUR_SECONDS,
    buybox: box && { priceCents: box[0], sellerName: box[1] },
    rank: rank === undefined ? undefined : { position: rank, category },
    offers: shelf && Object.entries(shelf).map(offer).sort(bySeller),
    offersComplete: shelf !== undefined && !partly,
  }));
}
const offer = ([sellerName, [priceCents, unitsInStock]]: [string, Shelf[string]]): SeenOffer => ({
  sellerName,
  priceCents,
  shippingCents: 0,
  unitsInStock,
});
const bySeller = (a: SeenOffer, b: SeenOffer) => (a.sellerName < b.sellerName ? -1 : 1);

type Watching = {
  watched?: string;
  rules?: Partial<Rules>;
  perDay?: number;
  /** Settings that change from this hour on. */
  later?: { fromHour: number; rules?: Partial<Rules>; watched?: string; perDay?: number };
  /** Merge each observation into the state before it, as watchers get it. */
  asListed?: boolean;
};

/** Each observation merged into the state before it. */
export function mergedStates(observations: readonly Observation[]): ObservedState[] {
  let last: ObservedState | null = null;
  return observations.map((observation) => {
    last = afterObserving(last, observation);
    return last;
  });
}

export function eventsOf(seen: readonly Observation[], watching: Watching = {}): DetectedEvent[] {
  let state: WatchState | null = null;
  const observations = watching.asListed ? mergedStates(seen) : seen;
  return observations.flatMap((observation, index) => {
    const { later } = watching;
    const now =
      later && observation.atSeconds >= later.fromHour * HOUR_SECONDS
        ? { ...watching, ...later }
        : watching;
    const detection = detectChanges({
      state,
      observation,
      before: observations[index - 1] ?? null,
      watchedSeller: now.watched ?? null,
      rules: { ...DEFAULT_RULES, ...now.rules },
      estimatedUnitsPerDay: now.perDay ?? null,
    });
    state = detection.state;
    return detection.events;
  });
}

/** Events as `hour kind before → after (reason)`. */
export const emitted = (seen: readonly Seen[], watching?: Watching) =>
  eventsOf(hourly(seen), watching).map(({ kind, before, after, reason }) => {
    const hour = after.observedAt / HOUR_MS;
    const suffix = reason ? ` (${reason})` : '';
    return `${hour} ${kind} ${before.value} → ${after.value}${suffix}`;
  });

export type Row = { why: string; seen: readonly Seen[]; emitted: readonly string[] } & Watching;
export const check = ({ seen, emitted: expected, ...watching }: Row) =>
  expect(emitted(seen, watching)).toEqual(expected);

export const prices = (...cents: number[]): Seen[] => cents.map((price) => ({ box: [price, 'A'] }));
export const ranks = (...positions: number[]): Seen[] => positions.map((rank) => ({ rank }));
export const stocks = (...units: (number | null)[]): Seen[] =>
  units.map((count) => ({ shelf: { A: [900, count] } }));
/**
 * One letter an observation: the holder; `-` offers but no box, `.` no offers, `?` an unnamed
 * holder.
 */
export const holders = (letters: string): Seen[] =>
  [...letters].map((letter): Seen => {
    if (letter === '.') return { box: null, shelf: {} };
    const shelf = { A: [900, 5], B: [900, 5], C: [900, 5], W: [900, 5] } as const;
    return { box: letter === '-' ? null : [900, letter === '?' ? null : letter], shelf };
  });
