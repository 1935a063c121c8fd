// What one more look means for one watcher: the events it gives, and what is remembered for the next.
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
  /** null: nothing was seen yet; the look sets the baseline, silently. */
  state: WatchState | null;
  /**
   * The watcher's look before, if it is at hand. It decides nothing: it makes `before` of holder, box and
   * stock that of the last look, rather than that of their last change.
   */
  before: ObservedState | null;
  observation: ObservedState;
  watchedSeller: string | null;
  rules: Rules;
  estimatedUnitsPerDay: number | null;
};

export type Detection = {
  /** The same object when nothing has to be remembered anew. */
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
  // The same look again, or an older one: it was held against the state already.
  const seenAt = Math.max(state.atSeconds, before?.atSeconds ?? Number.NEGATIVE_INFINITY);
  if (input.state !== null && observation.atSeconds <= seenAt) return { state, events: NO_EVENTS };
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
  const stock = afterStock(state.stock, comparison);
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
    // Sorting is stable: sellers stay in the order of their names.
    events: events === null ? NO_EVENTS : events.sort(byKind),
  };
}
