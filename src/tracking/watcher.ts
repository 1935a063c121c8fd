// A watcher: one account's tracking of a product, as the product's side stores it.
import type { WatcherCondition } from '../events/condition-state.ts';
import type { Tier } from './tier.ts';

export type Watcher = {
  code: string;
  accountId: string;
  trackedId: string;
  tier: Tier;
  isSuspended: boolean;
  /** Slots are due to the watcher from this instant on. */
  sinceAtMs: number;
  /** When its last slot was served; null before the first. */
  servedAtMs: number | null;
  /** The time of the observation that the customer sees; null before the first. */
  seenAtMs: number | null;
  /** The day that `slotsServed` counts; `slotsServedBefore` counts the day before it. */
  countedDay: number | null;
  slotsServed: number;
  slotsServedBefore: number;
  /** Slots served in time, by day (in-time-days.ts); null before the first. */
  inTimeDays: string | null;
  /** The last day for which a charge was requested. */
  chargedDay: number | null;
  /** Not served from this instant on; null: no end. */
  endsAtMs: number | null;
  /** The seller whose buybox is watched; null for none. */
  sellerName: string | null;
  /** The rules that differ from the defaults. */
  rules: Record<string, unknown> | null;
  /** The conditions of rules that apply to the product; null for none. */
  conditions: readonly WatcherCondition[] | null;
  /** What is kept to evaluate them, as JSON; null before the first observation. */
  conditionState: string | null;
  /** The state of change detection; null before the first observation. */
  state: unknown;
};

/** The part of a watcher that serving changes. */
export type ServedState = Pick<
  Watcher,
  | 'servedAtMs'
  | 'seenAtMs'
  | 'countedDay'
  | 'slotsServed'
  | 'slotsServedBefore'
  | 'chargedDay'
  | 'state'
  | 'conditionState'
>;

export const servedState = (watcher: Watcher): ServedState => ({
  servedAtMs: watcher.servedAtMs,
  seenAtMs: watcher.seenAtMs,
  countedDay: watcher.countedDay,
  slotsServed: watcher.slotsServed,
  slotsServedBefore: watcher.slotsServedBefore,
  chargedDay: watcher.chargedDay,
  state: watcher.state,
  conditionState: watcher.conditionState,
});
