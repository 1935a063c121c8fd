// Tracked products whose last change may not have reached the product's side: their mark in the
// rows of tracked-products.ts.
import { plainArray } from '../database/array-parameter.ts';
import type { Connection, Database, Transaction } from '../database/database.ts';
import { inLanes } from '../database/database.ts';
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
import { LOCKED, prefixed, TRACKED_TABLE } from './tracked-products.ts';

/** Rows whose last change may not have reached the product's side. */
export async function listPending(
  db: Database,
  { limit, exceptIds }: { limit: number; exceptIds: readonly string[] },
): Promise<TrackedProduct[]> {
  const rows = await rotationOf(db, 'list-pending')(limit, (turn) =>
    db.read<TrackedRow>(
      `select ${COLUMNS} from ${TRACKED_TABLE} t
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
      `select from ${TRACKED_TABLE} t where is_pending and ${inLanes('t.lane', '$2')} limit $1`,
      [max, plainArray(lanes)],
    ),
  );
  return rows.length;
}

/** Stops syncing a row, unless it was changed meanwhile. */
export async function stopPending(tx: Transaction, tracked: TrackedProduct): Promise<void> {
  if (tracked.removedAtMs === null) await clearPending(tx, [tracked]);
  await tx.query(
    `update ${TRACKED_TABLE} set is_pending = false
      where lane = $1 and account_id = $2 and tracked_id = $3 and removed_at = $4`,
    [...keyOf(tracked), tracked.removedAtMs === null ? null : isoTime(tracked.removedAtMs)],
  );
}

const markSome = (condition: string) =>
  `with locked as materialized (
     select o.tracked_id from ${TRACKED_TABLE} o
      where o.lane = $1 and account_id = $2 and ${condition} and removed_at is null
      order by tracked_id for no key update)
   update ${TRACKED_TABLE} t set is_pending = true from locked
    where t.lane = $1 and t.account_id = $2 and t.tracked_id = locked.tracked_id`;

/** Marks the rows that use the account's seller: it has changed. */
export async function markAccountSellerPending(tx: Connection, accountId: string): Promise<void> {
  await tx.query(markSome('seller_name is null'), [lane(accountId), accountId]);
}

/** Marks the rows with one of these tags, or all: a rule for them has changed. */
export async function markTaggedPending(
  tx: Connection,
  { accountId, tags }: { accountId: string; tags: readonly string[] | null },
): Promise<void> {
  const key = [lane(accountId), accountId];
  await tx.query(markSome('($3::text[] is null or tags && $3)'), [...key, tags]);
}

/** Marks and returns an account's next rows in order of id, after it was closed or reopened. */
export async function markSomePending(
  tx: Transaction,
  input: { accountId: string; after: string | null; limit: number },
): Promise<TrackedProduct[]> {
  const rows = await tx.query<TrackedRow>(
    `with locked as materialized (
       select o.tracked_id from ${TRACKED_TABLE} o
        where o.lane = $1 and account_id = $2 and ($3::uuid is null or tracked_id > $3)
          and removed_at is null
        order by tracked_id limit $4 for no key update)
     update ${TRACKED_TABLE} t set is_pending = true from locked
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
     update ${TRACKED_TABLE} t set is_pending = true from locked
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
       select o.tracked_id from ${TRACKED_TABLE} o where o.lane = $1 and account_id = $2
        order by tracked_id limit $4 for no key update)
     update ${TRACKED_TABLE} t set is_pending = true, removed_at = coalesce(t.removed_at, $3)
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
         delete from ${TRACKED_TABLE} t using locked
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
         update ${TRACKED_TABLE} t
            set is_pending = t.tier <> n.tier or t.is_suspended <> n.is_suspended
                  or t.seller_name is distinct from n.seller_name
                  or t.rules is distinct from n.rules or t.tags <> lists.tags
                  or t.ends_at is distinct from n.ends_at
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
