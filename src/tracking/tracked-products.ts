// Tracked products: one row per account and product.
import { plainArray } from '../database/array-parameter.ts';
import type { Connection, Database, Transaction } from '../database/database.ts';
import { heavyStatement, inLanes, statement } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { fromEachGroup, rotationOf } from '../database/lane-groups.ts';
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

export const TRACKED_TABLE = 'tracked_products';

export const prefixed = (table: string) => COLUMNS.replace(/\w+/g, `${table}.$&`);

/** Rows `t` by `keyArrays`. */
const KEYS_JOINED = `
    unnest($1::smallint[], $2::uuid[], $3::uuid[]) as n(lane, account_id, tracked_id)
    join ${TRACKED_TABLE} t on t.lane = n.lane and t.account_id = n.account_id
     and t.tracked_id = n.tracked_id and ${inLanes('t.lane', '$1')}`;
/** So that two sessions that change many rows do not deadlock. */
const IN_KEY_ORDER = `order by t.lane, t.account_id, t.tracked_id for no key update of t`;
export const LOCKED = `select t.lane, t.account_id, t.tracked_id from ${KEYS_JOINED} ${IN_KEY_ORDER}`;

export async function insertTracked(
  tx: Transaction,
  tracked: readonly TrackedProduct[],
): Promise<void> {
  if (tracked.length === 0) return;
  await tx.query(
    `insert into tracked_products (lane, ${COLUMNS}, is_pending)
     select n.lane, ${prefixed('n').replace('n.tags', 'lists.tags')}, true from ${ROWS}`,
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
            rules = n.rules, tags = lists.tags, metadata = n.metadata, ends_at = n.ends_at,
            removed_at = n.removed_at, is_pending = true
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

export type TrackedLabels = Pick<TrackedProduct, 'tags' | 'metadata'>;

/** The labels of products by id; removed ones may be missing. */
export async function readLabels(
  db: Connection,
  keys: readonly TrackedKey[],
): Promise<Map<string, TrackedLabels>> {
  const rows = await db.query<Pick<TrackedRow, 'tracked_id' | 'tags' | 'metadata'>>(
    `select t.tracked_id, t.tags, t.metadata from ${KEYS_JOINED}`,
    keyArrays(keys),
  );
  return new Map(rows.map(({ tracked_id, tags, metadata }) => [tracked_id, { tags, metadata }]));
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
                                           rules, tags, metadata, ends_at)))) as mark
     from tracked_products where lane = $1 and account_id = $2 and removed_at is null`,
);

export async function readTrackedMark(db: Database, accountId: string): Promise<string> {
  const [row] = await db.read<{ mark: string }>(READ_MARK, [lane(accountId), accountId]);
  return row?.mark ?? '';
}

export type TrackedPosition = { createdAtMs: number; trackedId: string };

/** A page of an account's list, newest first, from just before a position. */
const listStatement = (name: string, filter: string) =>
  heavyStatement(
    name,
    `select ${COLUMNS} from tracked_products
      where lane = $1 and account_id = $2 and removed_at is null
        and (created_at, tracked_id) < ($3::timestamptz, $4::uuid) ${filter}
      order by created_at desc, tracked_id desc
      limit $5`,
  );
const LIST_TRACKED = listStatement('list-tracked', '');
const LIST_FILTERED = listStatement(
  'list-tracked-filtered',
  'and ($6::text[] is null or tags @> $6) and ($7::jsonb is null or metadata @> $7)',
);

/** Products that have all these tags, and metadata with all these members. */
export type TrackedFilter = {
  tags?: readonly string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
};

const NEWEST: TrackedPosition = {
  createdAtMs: Date.UTC(9999, 0),
  trackedId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

export async function listTracked(
  db: Database,
  input: {
    accountId: string;
    before?: TrackedPosition | undefined;
    limit: number;
    filter?: TrackedFilter | undefined;
  },
): Promise<TrackedProduct[]> {
  const { accountId, before = NEWEST, limit, filter } = input;
  const { tags, metadata } = filter ?? {};
  const page = [lane(accountId), accountId, isoTime(before.createdAtMs), before.trackedId, limit];
  const isFiltered = tags !== undefined || metadata !== undefined;
  const rows = isFiltered
    ? await db.read<TrackedRow>(LIST_FILTERED, [
        ...page,
        tags ?? null,
        metadata === undefined ? null : JSON.stringify(metadata),
      ])
    : await db.read<TrackedRow>(LIST_TRACKED, page);
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

/** Products whose tracking has ended by its time, without those of some accounts. */
export async function listEnded(
  db: Database,
  { nowMs, limit, except }: { nowMs: number; limit: number; except: readonly string[] },
): Promise<TrackedProduct[]> {
  const rows = await rotationOf(db, 'list-ended')(limit, (turn) =>
    db.read<TrackedRow>(
      `select ${prefixed('t')} from ${TRACKED_TABLE} t
        where t.ends_at <= $2 and t.removed_at is null and ${inLanes('t.lane', '$3')}
          and t.account_id <> all($4::uuid[])
        order by t.lane, t.ends_at limit $1`,
      [turn.limit, isoTime(nowMs), plainArray(turn.lanes), plainArray(except)],
    ),
  );
  return rows.map(fromRow);
}

const LIST_WAITING = statement(
  'list-waiting-accounts',
  `select t.lane, t.account_id from tracked_products t
    where is_suspended and removed_at is null and ${inLanes('t.lane', '$1')}
    group by t.lane, t.account_id order by t.lane, t.account_id`,
);

/** Accounts with suspended products. */
export async function listWaitingAccounts(db: Database): Promise<string[]> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read<Pick<TrackedRow, 'account_id'>>(LIST_WAITING, [plainArray(lanes)]),
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
