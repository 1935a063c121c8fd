// Compares one observation with a watcher's state; returns the events and the state for the next
// one.
import { afterBox, afterPrice } from './box-change.ts';
import type { Comparison } from './comparison.ts';
import type { DetectedEvent } from './detected-event.ts';
import { byKind } from './kind.ts';
import type { ObservedState } from './observed-state.ts';
import { afterRank } from './rank-change.ts';
import type { Rules } from './rule.ts';
import { afterSellers } from './seller-change.ts';
import { afterStock } from './stock-change.ts';
import type { WatchState } from './watch-state.ts';

export type DetectionInput = {
  /** null: nothing was observed yet; this observation sets the baseline without events. */
  state: WatchState | null;
  /**
   * The watcher's previous observation, if available. It never decides whether an event fires; it
   * only makes `before` of holder, box and stock events that observation instead of their last
   * change.
   */
  before: ObservedState | null;
  observation: ObservedState;
  watchedSeller: string | null;
  rules: Rules;
  estimatedUnitsPerDay: number | null;
};

export type Detection = {
  /** The same object as the input when nothing changed. */
  state: WatchState;
  /** In the order of the kinds. */
  events: readonly DetectedEvent[];
};

const NO_EVENTS: readonly DetectedEvent[] = [];

const NOTHING_SEEN: WatchState = {
  atSeconds: Number.NEGATIVE_INFINITY,
  price: null,
  box: null,
  sellers: null,
  stock: null,
  rank: null,
};

export function detectChanges(input: DetectionInput): Detection {
  const { observation, before } = input;
  const state = input.state ?? NOTHING_SEEN;
  // The same observation again, or an older one: the state already includes it.
  const lastAtSeconds = Math.max(state.atSeconds, before?.atSeconds ?? Number.NEGATIVE_INFINITY);
  if (input.state !== null && observation.atSeconds <= lastAtSeconds)
    return { state, events: NO_EVENTS };
  const comparison: Comparison = {
    observation,
    before,
    stateAtSeconds: state.atSeconds,
    watchedSeller: input.watchedSeller,
    rules: input.rules,
    estimatedUnitsPerDay: input.estimatedUnitsPerDay,
    events: null,
  };
  const box = afterBox(state.box, state.price, comparison);
  const price = afterPrice(state.price, comparison);
  const sellers = afterSellers(state.sellers, comparison);
  const stock = afterStock(state.stock, state.box, comparison);
  const rank = afterRank(state.rank, comparison);
  const { events } = comparison;
  const isSame =
    input.state !== null &&
    box === state.box &&
    price === state.price &&
    sellers === state.sellers &&
    stock === state.stock &&
    rank === state.rank;
  return {
    state: isSame ? state : { atSeconds: observation.atSeconds, price, box, sellers, stock, rank },
    // Sorting is stable, so sellers stay ordered by name.
    events: events === null ? NO_EVENTS : events.sort(byKind),
  };
}
