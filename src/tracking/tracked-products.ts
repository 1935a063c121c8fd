// Tracked products: one row per account and product.
import { plainArray } from '../database/array-parameter.ts';
import type { Connection, Database, Transaction } from '../database/database.ts';
import { heavyStatement, inLanes, statement } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { fromEachGroup, inGroups, rotationOf } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import {
  COLUMNS,
  fromRow,
  keyArrays,
  keyOf,
  ROWS,
  rowArrays,
  type TrackedKey,
  type TrackedProduct,
  type TrackedRow,
} from './tracked-product.ts';

const prefixed = (table: string) => COLUMNS.replace(/\w+/g, `${table}.$&`);

export async function insertTracked(
  tx: Transaction,
  tracked: readonly TrackedProduct[],
): Promise<void> {
  if (tracked.length === 0) return;
  await tx.query(
    `insert into tracked_products (lane, ${COLUMNS}, is_pending)
     select n.lane, ${prefixed('n')}, true from ${ROWS}`,
    rowArrays(tracked),
  );
}

/** Writes changed rows, which are locked; the product's side is synced afterwards. */
export async function updateTracked(
  tx: Transaction,
  tracked: readonly TrackedProduct[],
): Promise<void> {
  if (tracked.length === 0) return;
  await tx.query(
    `update tracked_products t
        set tier = n.tier, is_suspended = n.is_suspended, seller_name = n.seller_name,
            rules = n.rules, removed_at = n.removed_at, is_pending = true
       from ${ROWS}
      where t.lane = n.lane and t.account_id = n.account_id and t.tracked_id = n.tracked_id
        and ${inLanes('t.lane', '$1')}`,
    rowArrays(tracked),
  );
}

const FIND = statement(
  'find-tracked',
  `select ${COLUMNS} from tracked_products
    where lane = $1 and account_id = $2 and tracked_id = $3 and removed_at is null`,
);

export async function findTracked(
  db: Connection,
  key: TrackedKey,
): Promise<TrackedProduct | undefined> {
  const [row] = await db.query<TrackedRow>(FIND, keyOf(key));
  return row && fromRow(row);
}

/** Some of an account's products by id. */
export async function readTracked(
  db: Connection,
  { accountId, trackedIds }: { accountId: string; trackedIds: readonly string[] },
): Promise<TrackedProduct[]> {
  const rows = await db.query<TrackedRow>(
    `select ${COLUMNS} from tracked_products
      where lane = $1 and account_id = $2 and tracked_id = any ($3::uuid[])
        and removed_at is null`,
    [lane(accountId), accountId, plainArray(trackedIds)],
  );
  return rows.map(fromRow);
}

/** Locks rows in key order. Lock the account's balance first where both are locked. */
export async function lockTracked(
  tx: Transaction,
  keys: readonly TrackedKey[],
): Promise<TrackedProduct[]> {
  const rows = await tx.query<TrackedRow>(
    `select ${prefixed('t')} from ${KEYS_JOINED} where t.removed_at is null ${IN_KEY_ORDER}`,
    keyArrays(keys),
  );
  return rows.map(fromRow);
}

/** Some of an account's products by product code. */
export async function readTrackedCodes(
  db: Connection,
  { accountId, codes }: { accountId: string; codes: readonly string[] },
): Promise<TrackedProduct[]> {
  const rows = await db.query<TrackedRow>(
    `select ${COLUMNS} from tracked_products
      where lane = $1 and account_id = $2 and retailer_product_code = any ($3::text[])
        and removed_at is null`,
    [lane(accountId), accountId, plainArray(codes)],
  );
  return rows.map(fromRow);
}

export async function countTracked(tx: Connection, accountId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `select count(*) as n from tracked_products
      where lane = $1 and account_id = $2 and removed_at is null`,
    [lane(accountId), accountId],
  );
  return row?.n ?? 0;
}

/** A text that changes whenever an account's list changes. */
const READ_MARK = heavyStatement(
  'read-tracked-mark',
  `select concat_ws(' ', count(*),
                    sum(hashtext(concat_ws(' ', tracked_id, tier, is_suspended, seller_name,
                                           rules)))) as mark
     from tracked_products where lane = $1 and account_id = $2 and removed_at is null`,
);

export async function readTrackedMark(db: Database, accountId: string): Promise<string> {
  const [row] = await db.read<{ mark: string }>(READ_MARK, [lane(accountId), accountId]);
  return row?.mark ?? '';
}

export type TrackedPosition = { createdAtMs: number; trackedId: string };

/** A page of an account's list, newest first, from just before a position. */
const LIST_TRACKED = heavyStatement(
  'list-tracked',
  `select ${COLUMNS} from tracked_products
    where lane = $1 and account_id = $2 and removed_at is null
      and (created_at, tracked_id) < ($3::timestamptz, $4::uuid)
    order by created_at desc, tracked_id desc
    limit $5`,
);

const NEWEST: TrackedPosition = {
  createdAtMs: Date.UTC(9999, 0),
  trackedId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

export async function listTracked(
  db: Database,
  input: { accountId: string; before?: TrackedPosition | undefined; limit: number },
): Promise<TrackedProduct[]> {
  const before = input.before ?? NEWEST;
  const rows = await db.read<TrackedRow>(LIST_TRACKED, [
    lane(input.accountId),
    input.accountId,
    isoTime(before.createdAtMs),
    before.trackedId,
    input.limit,
  ]);
  return rows.map(fromRow);
}

/** The product codes that an account tracks. */
const LIST_CODES = heavyStatement(
  'list-tracked-codes',
  `select retailer_product_code from tracked_products
    where lane = $1 and account_id = $2 and removed_at is null`,
);

export async function listTrackedCodes(db: Database, accountId: string): Promise<string[]> {
  const rows = await db.read<{ retailer_product_code: string }>(LIST_CODES, [
    lane(accountId),
    accountId,
  ]);
  return rows.map((row) => row.retailer_product_code);
}

/** Rows `t` by `keyArrays`. */
const KEYS_JOINED = `
    unnest($1::smallint[], $2::uuid[], $3::uuid[]) as n(lane, account_id, tracked_id)
    join tracked_products t on t.lane = n.lane and t.account_id = n.account_id
     and t.tracked_id = n.tracked_id and ${inLanes('t.lane', '$1')}`;
/** So that two sessions that change many rows do not deadlock. */
const IN_KEY_ORDER = `order by t.lane, t.account_id, t.tracked_id for no key update of t`;
const LOCKED = `select t.lane, t.account_id, t.tracked_id from ${KEYS_JOINED} ${IN_KEY_ORDER}`;

/** Rows whose last change may not have reached the product's side. */
export async function listPending(
  db: Database,
  { limit, exceptIds }: { limit: number; exceptIds: readonly string[] },
): Promise<TrackedProduct[]> {
  const rows = await rotationOf(db, 'list-pending')(limit, (turn) =>
    db.read<TrackedRow>(
      `select ${COLUMNS} from tracked_products t
        where is_pending and tracked_id <> all ($2::uuid[]) and ${inLanes('t.lane', '$3')}
        limit $1`,
      [turn.limit, exceptIds, plainArray(turn.lanes)],
    ),
  );
  return rows.map(fromRow);
}

/** Counts rows to sync, up to `max` per group of lanes. */
export async function countPending(db: Database, max: number): Promise<number> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read(
      `select from tracked_products t where is_pending and ${inLanes('t.lane', '$2')} limit $1`,
      [max, plainArray(lanes)],
    ),
  );
  return rows.length;
}

/** Stops syncing a row, unless it was changed meanwhile. */
export async function stopPending(tx: Transaction, tracked: TrackedProduct): Promise<void> {
  if (tracked.removedAtMs === null) await clearPending(tx, [tracked]);
  await tx.query(
    `update tracked_products set is_pending = false
      where lane = $1 and account_id = $2 and tracked_id = $3 and removed_at = $4`,
    [...keyOf(tracked), tracked.removedAtMs === null ? null : isoTime(tracked.removedAtMs)],
  );
}

/** Marks the rows that use the account's seller: it has changed. */
export async function markAccountSellerPending(tx: Connection, accountId: string): Promise<void> {
  await tx.query(
    `with locked as materialized (
       select o.tracked_id from tracked_products o
        where o.lane = $1 and account_id = $2 and seller_name is null and removed_at is null
        order by tracked_id for no key update)
     update tracked_products t set is_pending = true from locked
      where t.lane = $1 and t.account_id = $2 and t.tracked_id = locked.tracked_id`,
    [lane(accountId), accountId],
  );
}

/** Marks and returns an account's next rows in order of id, after it was closed or reopened. */
export async function markSomePending(
  tx: Transaction,
  input: { accountId: string; after: string | null; limit: number },
): Promise<TrackedProduct[]> {
  const rows = await tx.query<TrackedRow>(
    `with locked as materialized (
       select o.tracked_id from tracked_products o
        where o.lane = $1 and account_id = $2 and ($3::uuid is null or tracked_id > $3)
          and removed_at is null
        order by tracked_id limit $4 for no key update)
     update tracked_products t set is_pending = true from locked
      where t.lane = $1 and t.account_id = $2 and t.tracked_id = locked.tracked_id
     returning ${prefixed('t')}`,
    [lane(input.accountId), input.accountId, input.after, input.limit],
  );
  return rows.map(fromRow).sort((a, b) => (a.trackedId < b.trackedId ? -1 : 1));
}

/** Marks rows to be synced to the product's side again. */
export async function markPending(db: Connection, keys: readonly TrackedKey[]): Promise<void> {
  await inGroups(db, keys, {
    keyOf: ({ accountId }) => accountId,
    work: (part) => markGroupPending(db, part),
  });
}

async function markGroupPending(db: Connection, keys: readonly TrackedKey[]): Promise<void> {
  await db.query(
    `with locked as materialized (${LOCKED})
     update tracked_products t set is_pending = true from locked
      where t.lane = locked.lane and t.account_id = locked.account_id
        and t.tracked_id = locked.tracked_id and ${inLanes('t.lane', '$1')}`,
    keyArrays(keys),
  );
}

/** Marks some products of a deleted account as removed; their rows go once they are synced. */
export async function removeSome(
  tx: Transaction,
  input: { accountId: string; nowMs: number; limit: number },
): Promise<TrackedProduct[]> {
  const rows = await tx.query<TrackedRow>(
    `with locked as materialized (
       select o.tracked_id from tracked_products o where o.lane = $1 and account_id = $2
        order by tracked_id limit $4 for no key update)
     update tracked_products t set is_pending = true, removed_at = coalesce(t.removed_at, $3)
       from locked
      where t.lane = $1 and t.account_id = $2 and t.tracked_id = locked.tracked_id
     returning ${prefixed('t')}`,
    [lane(input.accountId), input.accountId, isoTime(input.nowMs), input.limit],
  );
  return rows.map(fromRow);
}

/**
 * Called once the product's side has this state: clears the marks, and deletes removed rows.
 * Returns the rows that were to stay and have been removed meanwhile.
 */
export async function finishPending(
  db: Connection,
  synced: readonly TrackedProduct[],
): Promise<TrackedProduct[]> {
  const [removed, staying] = [
    synced.filter(({ removedAtMs }) => removedAtMs !== null),
    synced.filter(({ removedAtMs }) => removedAtMs === null),
  ];
  await inGroups(db, removed, {
    keyOf: ({ accountId }) => accountId,
    work: (part) =>
      db.query(
        `with locked as materialized (${LOCKED})
         delete from tracked_products t using locked
          where t.lane = locked.lane and t.account_id = locked.account_id
            and t.tracked_id = locked.tracked_id and t.removed_at is not null
            and ${inLanes('t.lane', '$1')}`,
        keyArrays(part),
      ),
  });
  const stayed = await clearPending(db, staying);
  return staying.filter(({ trackedId }) => !stayed.has(trackedId));
}

/**
 * Clears the mark of rows whose state the product's side has; returns the ids of those that exist.
 * A row that was changed meanwhile becomes pending, even if its mark was clear: its older state may
 * have been synced last.
 */
export async function clearPending(
  db: Connection,
  synced: readonly TrackedProduct[],
): Promise<Set<string>> {
  const parts = await inGroups(db, synced, {
    keyOf: ({ accountId }) => accountId,
    work: (part) =>
      db.query<Pick<TrackedRow, 'tracked_id'>>(
        `with locked as materialized (${LOCKED})
         update tracked_products t
            set is_pending = t.tier <> n.tier or t.is_suspended <> n.is_suspended
                  or t.seller_name is distinct from n.seller_name
                  or t.rules is distinct from n.rules
           from ${ROWS}, locked
          where (locked.lane, locked.account_id, locked.tracked_id)
                  = (n.lane, n.account_id, n.tracked_id)
            and t.lane = n.lane and t.account_id = n.account_id and t.tracked_id = n.tracked_id
            and t.removed_at is null and ${inLanes('t.lane', '$1')}
         returning t.tracked_id`,
        rowArrays(part),
      ),
  });
  return new Set(parts.flat().map((row) => row.tracked_id));
}

/** Accounts with suspended products. */
export async function listWaitingAccounts(db: Database): Promise<string[]> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read<Pick<TrackedRow, 'account_id'>>(
      `select t.lane, t.account_id from tracked_products t
        where is_suspended and removed_at is null and ${inLanes('t.lane', '$1')}
        group by t.lane, t.account_id order by t.lane, t.account_id`,
      [plainArray(lanes)],
    ),
  );
  return rows.map((row) => row.account_id);
}

/** The suspended products of an account, oldest first. */
export async function listSuspended(
  db: Database,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<TrackedProduct[]> {
  const rows = await db.read<TrackedRow>(
    `select ${COLUMNS} from tracked_products
      where lane = $1 and account_id = $2 and is_suspended and removed_at is null
      order by created_at, tracked_id limit $3`,
    [lane(accountId), accountId, limit],
  );
  return rows.map(fromRow);
}

/** Suspends or resumes rows; returns those that changed. */
export async function setSuspended(
  tx: Transaction,
  keys: readonly TrackedKey[],
  isSuspended: boolean,
): Promise<TrackedProduct[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<TrackedRow>(
    `with locked as materialized (${LOCKED})
     update tracked_products t set is_suspended = $4, is_pending = true
       from locked
      where t.lane = locked.lane and t.account_id = locked.account_id
        and t.tracked_id = locked.tracked_id and t.removed_at is null and t.is_suspended <> $4
        and ${inLanes('t.lane', '$1')}
      returning ${prefixed('t')}`,
    [...keyArrays(keys), isSuspended],
  );
  return rows.map(fromRow);
}
