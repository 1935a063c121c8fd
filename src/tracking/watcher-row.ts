// Converts watchers from rows of `watchers`, and to arrays that write many at once.
import { plainArray, textArray } from '../database/array-parameter.ts';
import type { WatcherCondition } from '../events/condition-state.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Tier } from './tier.ts';
import type { ServedState, Watcher } from './watcher.ts';
import { watcherKeyArrays } from './watcher-key.ts';

export type WatcherRow = {
  retailer_product_code: string;
  account_id: string;
  tracked_id: string;
  tier: Tier;
  is_suspended: boolean;
  since_at: number;
  served_at: number | null;
  seen_at: number | null;
  counted_on: number | null;
  slots_served: number;
  slots_served_before: number;
  in_time_days: string | null;
  charged_on: number | null;
  ends_at: number | null;
  seller_name: string | null;
  rules: Record<string, unknown> | null;
  state: string | null;
  conditions: WatcherCondition[] | null;
  condition_state: string | null;
};

export function fromRow(row: WatcherRow): Watcher {
  let state: unknown;
  return {
    code: row.retailer_product_code,
    accountId: row.account_id,
    trackedId: row.tracked_id,
    tier: row.tier,
    isSuspended: row.is_suspended,
    sinceAtMs: row.since_at,
    servedAtMs: row.served_at,
    seenAtMs: row.seen_at,
    countedDay: row.counted_on,
    slotsServed: row.slots_served,
    slotsServedBefore: row.slots_served_before,
    inTimeDays: row.in_time_days,
    chargedDay: row.charged_on,
    endsAtMs: row.ends_at,
    sellerName: row.seller_name,
    rules: row.rules,
    conditions: row.conditions,
    conditionState: row.condition_state,
    // Parsed once, on first use: a damaged state fails its own watcher, not the whole batch.
    get state() {
      state ??= row.state === null ? null : JSON.parse(row.state);
      return state;
    },
  };
}

/** The part of a watcher that its customer sees. */
export type Seen = Pick<
  Watcher,
  'code' | 'seenAtMs' | 'tier' | 'isSuspended' | 'sinceAtMs' | 'servedAtMs' | 'inTimeDays'
>;
export type SeenRow = Pick<
  WatcherRow,
  | 'retailer_product_code'
  | 'seen_at'
  | 'tier'
  | 'is_suspended'
  | 'since_at'
  | 'served_at'
  | 'in_time_days'
>;

export const seenFromRow = (row: SeenRow): Seen => ({
  code: row.retailer_product_code,
  seenAtMs: row.seen_at,
  tier: row.tier,
  isSuspended: row.is_suspended,
  sinceAtMs: row.since_at,
  servedAtMs: row.served_at,
  inTimeDays: row.in_time_days,
});

/** The columns of `watchers` under the alias `w`. */
export const COLUMNS = `w.retailer_product_code, w.account_id, w.tracked_id, w.tier, w.is_suspended,
  w.since_at, w.served_at, w.seen_at, w.counted_on, w.slots_served, w.slots_served_before,
  w.in_time_days, w.charged_on, w.seller_name, w.rules, w.state, w.conditions,
  w.condition_state, w.ends_at`;

/** JSON text; null for null and undefined. */
export const json = (value: unknown) =>
  value === null || value === undefined ? null : JSON.stringify(value);

export const times = (values: readonly (number | null)[]) =>
  plainArray(values.map((value) => (value === null ? 'NULL' : isoTime(value))));
const numbers = (values: readonly (number | null)[]) =>
  plainArray(values.map((value) => value ?? 'NULL'));

/** The keys and the served state of watchers. */
export const servedArrays = (
  watchers: readonly (ServedState & Pick<Watcher, 'code' | 'accountId'>)[],
) => [
  ...watcherKeyArrays(watchers),
  times(watchers.map(({ servedAtMs }) => servedAtMs)),
  times(watchers.map(({ seenAtMs }) => seenAtMs)),
  numbers(watchers.map(({ countedDay }) => countedDay)),
  numbers(watchers.map(({ slotsServed }) => slotsServed)),
  numbers(watchers.map(({ slotsServedBefore }) => slotsServedBefore)),
  numbers(watchers.map(({ chargedDay }) => chargedDay)),
  textArray(watchers.map(({ state }) => json(state))),
  textArray(watchers.map(({ conditionState }) => conditionState)),
];
