// The watchers of products: at which tier each watches, and what it has been served.
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { inGroups, readInGroups, rotationOf } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Tier } from './tier.ts';
import type { ServedState, Watcher } from './watcher.ts';
import { type WatcherKey, watcherKeyArrays } from './watcher-key.ts';
import {
  COLUMNS,
  fromRow,
  json,
  type Seen,
  type SeenRow,
  seenFromRow,
  servedArrays,
  times,
  type WatcherRow,
} from './watcher-row.ts';

/** Locks all watchers of some products; their products' rows are locked before. */
const LOCK_WATCHERS = statement(
  'lock-watchers',
  `select ${COLUMNS}
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join watchers w on w.lane = n.lane and w.retailer_product_code = n.code
      and ${inLanes('w.lane', '$1')}
    order by w.lane, w.retailer_product_code, w.account_id
      for no key update of w`,
);

export async function lockWatchers(
  tx: Transaction,
  codes: readonly string[],
): Promise<Map<string, Watcher[]>> {
  const rows = await tx.query<WatcherRow>(LOCK_WATCHERS, [
    plainArray(codes.map(lane)),
    plainArray(codes),
  ]);
  return Map.groupBy(rows.map(fromRow), (watcher) => watcher.code);
}

const FIND_WATCHER = statement(
  'find-watcher',
  `select ${COLUMNS} from watchers w
    where w.lane = $1 and w.retailer_product_code = $2 and w.account_id = $3`,
);

export async function findWatcher(
  db: Connection,
  { code, accountId }: { code: string; accountId: string },
): Promise<Watcher | undefined> {
  const [row] = await db.query<WatcherRow>(FIND_WATCHER, [lane(code), code, accountId]);
  return row && fromRow(row);
}

/** What one account sees of its products, by code, and how punctually. */
const READ_SEEN = statement(
  'read-seen',
  `select w.retailer_product_code, w.seen_at, w.tier, w.is_suspended, w.since_at, w.served_at,
          w.in_time_days
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join watchers w on w.lane = n.lane and w.retailer_product_code = n.code
      and ${inLanes('w.lane', '$1')}
    where w.account_id = $3`,
);

export async function readSeen(
  db: Database,
  { accountId, codes }: { accountId: string; codes: readonly string[] },
): Promise<Map<string, Seen>> {
  const rows = await readInGroups(db, codes, (part) =>
    db.read<SeenRow>(READ_SEEN, [plainArray(part.map(lane)), plainArray(part), accountId]),
  );
  return new Map(rows.map((row) => [row.retailer_product_code, seenFromRow(row)]));
}

export type NewWatcher = Pick<
  Watcher,
  | 'code'
  | 'accountId'
  | 'trackedId'
  | 'tier'
  | 'isSuspended'
  | 'sinceAtMs'
  | 'seenAtMs'
  | 'servedAtMs'
  | 'sellerName'
  | 'rules'
  | 'conditions'
  | 'endsAtMs'
  | 'state'
>;

/** Inserts watchers, or updates their settings; what they were served stays. */
export async function upsertWatchers(
  tx: Transaction,
  watchers: readonly NewWatcher[],
): Promise<void> {
  if (watchers.length === 0) return;
  await tx.query(
    `insert into watchers as w (lane, retailer_product_code, account_id, tracked_id, tier,
                                is_suspended, since_at, served_at, seen_at, seller_name, rules,
                                state, conditions, ends_at)
     select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::smallint[],
                          $6::boolean[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[],
                          $10::text[], $11::text[]::jsonb[], $12::text[], $13::text[]::jsonb[],
                          $14::timestamptz[])
     on conflict (lane, retailer_product_code, account_id) do update
        set tracked_id = excluded.tracked_id, tier = excluded.tier,
            is_suspended = excluded.is_suspended, seller_name = excluded.seller_name,
            rules = excluded.rules, conditions = excluded.conditions, ends_at = excluded.ends_at,
            since_at = case when w.tier <> excluded.tier or w.is_suspended <> excluded.is_suspended
                              or w.tracked_id <> excluded.tracked_id
                            then excluded.since_at else w.since_at end,
            -- A finer tier costs more: the day is charged again, for the difference.
            charged_on = case when w.tier > excluded.tier then null else w.charged_on end,
            -- Removed and added again: it starts over with the present observation.
            counted_on = case when w.tracked_id = excluded.tracked_id then w.counted_on end,
            slots_served = case when w.tracked_id = excluded.tracked_id
                                then w.slots_served else 0 end,
            slots_served_before = case when w.tracked_id = excluded.tracked_id
                                       then w.slots_served_before else 0 end,
            served_at = case when w.tracked_id = excluded.tracked_id then w.served_at
                             else excluded.served_at end,
            seen_at = case when w.tracked_id = excluded.tracked_id then w.seen_at
                           else excluded.seen_at end,
            state = case when w.tracked_id = excluded.tracked_id then w.state
                         else excluded.state end,
            condition_state = case when w.tracked_id = excluded.tracked_id
                                   then w.condition_state end
      where w.tracked_id <> excluded.tracked_id or w.tier <> excluded.tier
         or w.is_suspended <> excluded.is_suspended
         or w.seller_name is distinct from excluded.seller_name
         or w.rules is distinct from excluded.rules
         or w.conditions is distinct from excluded.conditions
         or w.ends_at is distinct from excluded.ends_at`,
    [
      ...watcherKeyArrays(watchers),
      plainArray(watchers.map(({ trackedId }) => trackedId)),
      plainArray(watchers.map(({ tier }) => tier)),
      plainArray(watchers.map(({ isSuspended }) => String(isSuspended))),
      times(watchers.map(({ sinceAtMs }) => sinceAtMs)),
      times(watchers.map(({ servedAtMs }) => servedAtMs)),
      times(watchers.map(({ seenAtMs }) => seenAtMs)),
      textArray(watchers.map(({ sellerName }) => sellerName)),
      textArray(watchers.map(({ rules }) => json(rules))),
      textArray(watchers.map(({ state }) => json(state))),
      textArray(watchers.map(({ conditions }) => json(conditions))),
      times(watchers.map(({ endsAtMs }) => endsAtMs)),
    ],
  );
}

/** Updates the settings of existing watchers; returns the tracked ids of those it found. */
export async function updateWatchers(
  tx: Transaction,
  watchers: readonly Pick<
    Watcher,
    | 'code'
    | 'accountId'
    | 'trackedId'
    | 'tier'
    | 'isSuspended'
    | 'sellerName'
    | 'rules'
    | 'conditions'
    | 'endsAtMs'
  >[],
  nowMs: number,
): Promise<Set<string>> {
  if (watchers.length === 0) return new Set();
  const rows = await tx.query<{ tracked_id: string }>(
    `update watchers w
        set tier = n.tier, is_suspended = n.is_suspended, seller_name = n.seller_name,
            rules = n.rules, conditions = n.conditions, ends_at = n.ends_at,
            since_at = case when w.tier <> n.tier or w.is_suspended <> n.is_suspended
                            then $11::timestamptz else w.since_at end,
            -- As in upsertWatcher: a finer tier costs more.
            charged_on = case when w.tier > n.tier then null else w.charged_on end
       from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::smallint[],
                   $6::boolean[], $7::text[], $8::text[]::jsonb[], $9::text[]::jsonb[],
                   $10::timestamptz[])
              as n(lane, code, account_id, tracked_id, tier, is_suspended, seller_name, rules,
                   conditions, ends_at)
      where w.lane = n.lane and w.retailer_product_code = n.code and w.account_id = n.account_id
        and w.tracked_id = n.tracked_id and ${inLanes('w.lane', '$1')}
      returning w.tracked_id`,
    [
      plainArray(watchers.map(({ code }) => lane(code))),
      plainArray(watchers.map(({ code }) => code)),
      plainArray(watchers.map(({ accountId }) => accountId)),
      plainArray(watchers.map(({ trackedId }) => trackedId)),
      plainArray(watchers.map(({ tier }) => tier)),
      plainArray(watchers.map(({ isSuspended }) => String(isSuspended))),
      textArray(watchers.map(({ sellerName }) => sellerName)),
      textArray(watchers.map(({ rules }) => json(rules))),
      textArray(watchers.map(({ conditions }) => json(conditions))),
      times(watchers.map(({ endsAtMs }) => endsAtMs)),
      isoTime(nowMs),
    ],
  );
  return new Set(rows.map((row) => row.tracked_id));
}

export async function deleteWatchers(
  tx: Transaction,
  keys: readonly Pick<Watcher, 'code' | 'accountId' | 'trackedId'>[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `delete from watchers w
      using unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[])
              as n(lane, code, account_id, tracked_id)
      where w.lane = n.lane and w.retailer_product_code = n.code and w.account_id = n.account_id
        and w.tracked_id = n.tracked_id and ${inLanes('w.lane', '$1')}`,
    [...watcherKeyArrays(keys), plainArray(keys.map(({ trackedId }) => trackedId))],
  );
}

const FINEST_TIERS = statement(
  'finest-tiers',
  `select w.retailer_product_code, min(w.tier) filter (where not w.is_suspended) as tier
       from unnest($1::smallint[], $2::text[]) as n(lane, code)
       join watchers w on w.lane = n.lane and w.retailer_product_code = n.code
        and ${inLanes('w.lane', '$1')}
      group by w.retailer_product_code`,
);

/**
 * The finest tier of the watchers that are not suspended; null when there is none. Products
 * without watchers are missing.
 */
export async function finestTiers(
  db: Connection,
  codes: readonly string[],
): Promise<Map<string, Tier | null>> {
  const rows = await readInGroups(db, codes, (part) =>
    db.query<{ retailer_product_code: string; tier: Tier | null }>(FINEST_TIERS, [
      plainArray(part.map(lane)),
      plainArray(part),
    ]),
  );
  return new Map(rows.map((row) => [row.retailer_product_code, row.tier]));
}

/** Counts the products with watchers that are not suspended, up to a limit. */
export async function countWatched(db: Database, limit: number): Promise<number> {
  const watched = await rotationOf(db, 'count-watched')(limit, (turn) =>
    db.query(
      `select distinct w.lane, w.retailer_product_code from watchers w
        where not w.is_suspended and ${inLanes('w.lane', '$2')} limit $1`,
      [turn.limit, plainArray(turn.lanes)],
    ),
  );
  return watched.length;
}

/** Writes the served state of watchers that are locked. */
const WRITE_SERVED = statement(
  'write-served',
  `update watchers w
      set served_at = n.served_at, seen_at = n.seen_at, counted_on = n.counted_on,
          slots_served = n.slots_served, slots_served_before = n.slots_served_before,
          charged_on = n.charged_on, state = coalesce(n.state, w.state),
          condition_state = coalesce(n.condition_state, w.condition_state),
          in_time_days = n.in_time_days
     from unnest($1::smallint[], $2::text[], $3::uuid[], $4::timestamptz[], $5::timestamptz[],
                 $6::integer[], $7::smallint[], $8::smallint[], $9::integer[],
                 $10::text[], $11::text[], $12::text[])
            as n(lane, code, account_id, served_at, seen_at, counted_on, slots_served,
                 slots_served_before, charged_on, state, condition_state, in_time_days)
    where w.lane = n.lane and w.retailer_product_code = n.code and w.account_id = n.account_id
      and ${inLanes('w.lane', '$1')}`,
);

export async function writeServed(tx: Transaction, watchers: readonly Watcher[]): Promise<void> {
  if (watchers.length === 0) return;
  const inTimeDays = textArray(watchers.map((watcher) => watcher.inTimeDays));
  await tx.query(WRITE_SERVED, [...servedArrays(watchers), inTimeDays]);
}

/**
 * Reverts watchers to their state before a slot was served. A watcher that is before that slot
 * already stays as it is. The schedule entries are locked.
 */
const REVERT_SERVED = statement(
  'revert-served',
  `update watchers w
      set served_at = n.served_at, seen_at = n.seen_at, counted_on = n.counted_on,
          slots_served = n.slots_served, slots_served_before = n.slots_served_before,
          charged_on = n.charged_on, state = n.state, condition_state = n.condition_state
     from unnest($1::smallint[], $2::text[], $3::uuid[], $4::timestamptz[], $5::timestamptz[],
                 $6::integer[], $7::smallint[], $8::smallint[], $9::integer[],
                 $10::text[], $11::text[], $12::uuid[], $13::timestamptz[])
            as n(lane, code, account_id, served_at, seen_at, counted_on, slots_served,
                 slots_served_before, charged_on, state, condition_state, tracked_id, slot_at)
    where w.lane = n.lane and w.retailer_product_code = n.code and w.account_id = n.account_id
      and w.tracked_id = n.tracked_id and w.served_at >= n.slot_at
      and ${inLanes('w.lane', '$1')}`,
);

export async function revertServed(
  tx: Transaction,
  slots: readonly (Pick<Watcher, 'code' | 'accountId' | 'trackedId'> & {
    atMs: number;
    before: ServedState;
  })[],
): Promise<void> {
  if (slots.length === 0) return;
  await tx.query(REVERT_SERVED, [
    ...servedArrays(slots.map(({ code, accountId, before }) => ({ ...before, code, accountId }))),
    plainArray(slots.map(({ trackedId }) => trackedId)),
    times(slots.map(({ atMs }) => atMs)),
  ]);
}

/** Reads some watchers; those that do not exist are missing. */
const READ_WATCHERS = statement(
  'read-watchers',
  `select ${COLUMNS}
     from unnest($1::smallint[], $2::text[], $3::uuid[]) as n(lane, code, account_id)
     join watchers w on w.lane = n.lane and w.retailer_product_code = n.code
      and w.account_id = n.account_id and ${inLanes('w.lane', '$1')}`,
);

export async function readWatchers(
  db: Connection,
  keys: readonly WatcherKey[],
): Promise<Watcher[]> {
  const parts = await inGroups(db, keys, {
    keyOf: ({ code }) => code,
    work: (part) => db.query<WatcherRow>(READ_WATCHERS, watcherKeyArrays(part)),
  });
  return parts.flat().map(fromRow);
}
