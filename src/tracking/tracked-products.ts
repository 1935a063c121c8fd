// What customers track: one row for each product of an account.
import type { Connection, Database, Transaction } from '../database/database.ts';
import { heavyStatement, statement } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Tier } from './tier.ts';

export type TrackedProduct = {
  accountId: string;
  trackedId: string;
  code: string;
  tier: Tier;
  isSuspended: boolean;
  /** null: the account's own, if it has one. */
  sellerName: string | null;
  /** What differs from the defaults, as it was given. */
  rules: Record<string, unknown> | null;
  createdAt: number;
  removedAt: number | null;
};

type TrackedRow = {
  account_id: string;
  tracked_id: string;
  retailer_product_code: string;
  tier: Tier;
  is_suspended: boolean;
  seller_name: string | null;
  rules: Record<string, unknown> | null;
  created_at: number;
  removed_at: number | null;
};

const fromRow = (row: TrackedRow): TrackedProduct => ({
  accountId: row.account_id,
  trackedId: row.tracked_id,
  code: row.retailer_product_code,
  tier: row.tier,
  isSuspended: row.is_suspended,
  sellerName: row.seller_name,
  rules: row.rules,
  createdAt: row.created_at,
  removedAt: row.removed_at,
});

const COLUMNS = `account_id, tracked_id, retailer_product_code, tier, is_suspended, seller_name, rules,
  created_at, removed_at`;

const prefixed = (table: string) => COLUMNS.replace(/\w+/g, `${table}.$&`);

export async function insertTracked(tx: Transaction, tracked: TrackedProduct): Promise<void> {
  await tx.query(
    `insert into tracked_products (lane, ${COLUMNS}, is_pending)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true)`,
    values(tracked),
  );
}

const values = (tracked: TrackedProduct) => [
  ...keyOf(tracked),
  tracked.code,
  tracked.tier,
  tracked.isSuspended,
  tracked.sellerName,
  tracked.rules === null ? null : JSON.stringify(tracked.rules),
  isoTime(tracked.createdAt),
  tracked.removedAt === null ? null : isoTime(tracked.removedAt),
];

/** Writes a changed row; the product's side is told afterwards. */
export async function updateTracked(tx: Transaction, tracked: TrackedProduct): Promise<void> {
  await tx.query(
    `update tracked_products
        set retailer_product_code = $4, tier = $5, is_suspended = $6, seller_name = $7, rules = $8,
            created_at = $9, removed_at = $10, is_pending = true
      where lane = $1 and account_id = $2 and tracked_id = $3`,
    values(tracked),
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

/** Locked, after the account's balance where that is locked too. */
export async function lockTracked(
  tx: Transaction,
  key: TrackedKey,
): Promise<TrackedProduct | undefined> {
  const [row] = await tx.query<TrackedRow>(
    `select ${COLUMNS} from tracked_products
      where lane = $1 and account_id = $2 and tracked_id = $3 and removed_at is null
        for no key update`,
    keyOf(key),
  );
  return row && fromRow(row);
}

export async function findTrackedCode(
  db: Connection,
  { accountId, code }: Pick<TrackedProduct, 'accountId' | 'code'>,
): Promise<TrackedProduct | undefined> {
  const [row] = await db.query<TrackedRow>(
    `select ${COLUMNS} from tracked_products
      where lane = $1 and account_id = $2 and retailer_product_code = $3 and removed_at is null`,
    [lane(accountId), accountId, code],
  );
  return row && fromRow(row);
}

export async function countTracked(tx: Connection, accountId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `select count(*) as n from tracked_products
      where lane = $1 and account_id = $2 and removed_at is null`,
    [lane(accountId), accountId],
  );
  return row?.n ?? 0;
}

/** A text that differs as soon as an account's list does. */
const READ_MARK = heavyStatement(
  'read-tracked-mark',
  `select concat_ws(' ', count(*), sum(hashtext(concat_ws(' ', tracked_id, tier, is_suspended, seller_name,
                                                          rules)))) as mark
     from tracked_products where lane = $1 and account_id = $2 and removed_at is null`,
);

export async function readTrackedMark(db: Database, accountId: string): Promise<string> {
  const [row] = await db.read<{ mark: string }>(READ_MARK, [lane(accountId), accountId]);
  return row?.mark ?? '';
}

export type TrackedPosition = { createdAt: number; trackedId: string };

/** A page of an account's list, the newest first, from just before a given one. */
const LIST_TRACKED = heavyStatement(
  'list-tracked',
  `select ${COLUMNS} from tracked_products
    where lane = $1 and account_id = $2 and removed_at is null
      and (created_at, tracked_id) < ($3::timestamptz, $4::uuid)
    order by created_at desc, tracked_id desc
    limit $5`,
);

const NEWEST: TrackedPosition = {
  createdAt: Date.UTC(9999, 0),
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
    isoTime(before.createdAt),
    before.trackedId,
    input.limit,
  ]);
  return rows.map(fromRow);
}

const PAGE = 1_000;

/** The rest of an account's list, page by page: it may be a hundred thousand rows. */
export async function* walkTracked(
  db: Database,
  input: { accountId: string; before?: TrackedPosition | undefined },
  takeTurn: <T>(part: () => Promise<T>) => Promise<T> = (part) => part(),
): AsyncGenerator<TrackedProduct[], void, undefined> {
  let { before } = input;
  for (;;) {
    const page = { accountId: input.accountId, before, limit: PAGE };
    const rows: TrackedProduct[] = await takeTurn(() => listTracked(db, page));
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    before = rows.at(-1);
  }
}

/** The codes that an account tracks. */
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

/** Rows by lanes, accounts and ids, locked in key order: whoever changes many of them waits in the same order. */
const LOCKED = `
  select t.lane, t.account_id, t.tracked_id
    from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as asked(lane, account_id, tracked_id)
    join tracked_products t on t.lane = asked.lane and t.account_id = asked.account_id
     and t.tracked_id = asked.tracked_id
   order by t.lane, t.account_id, t.tracked_id
     for no key update of t`;

type TrackedKey = Pick<TrackedProduct, 'accountId' | 'trackedId'>;

const keyOf = (key: TrackedKey) => [lane(key.accountId), key.accountId, key.trackedId];

const keyArrays = (keys: readonly TrackedKey[]) => [
  keys.map(({ accountId }) => lane(accountId)),
  keys.map(({ accountId }) => accountId),
  keys.map(({ trackedId }) => trackedId),
];

/** Rows whose last change the product's side may not know. */
export async function listPending(
  db: Database,
  { limit, exceptIds }: { limit: number; exceptIds: readonly string[] },
): Promise<TrackedProduct[]> {
  const rows = await db.read<TrackedRow>(
    `select ${COLUMNS} from tracked_products where is_pending and tracked_id <> all ($2::uuid[])
      limit $1`,
    [limit, exceptIds],
  );
  return rows.map(fromRow);
}

/** Not tried any more, unless it was changed meanwhile. */
export async function stopPending(tx: Transaction, known: TrackedProduct): Promise<void> {
  if (known.removedAt === null) await settleAll(tx, [known]);
  await tx.query(
    `update tracked_products set is_pending = false
      where lane = $1 and account_id = $2 and tracked_id = $3 and removed_at = $4`,
    [...keyOf(known), values(known).at(-1)],
  );
}

/** The account's own seller has changed: it is watched for wherever no other is named. */
export async function markUnnamedPending(tx: Connection, accountId: string): Promise<void> {
  await tx.query(
    `with locked as materialized (
       select tracked_id from tracked_products
        where lane = $1 and account_id = $2 and seller_name is null and removed_at is null
        order by tracked_id for no key update)
     update tracked_products t set is_pending = true from locked
      where t.lane = $1 and t.account_id = $2 and t.tracked_id = locked.tracked_id`,
    [lane(accountId), accountId],
  );
}

/** The next rows of an account in the order of their ids, marked: what its closing means for them is not known yet. */
export async function markSomePending(
  tx: Transaction,
  input: { accountId: string; after: string | null; limit: number },
): Promise<TrackedProduct[]> {
  const rows = await tx.query<TrackedRow>(
    `with locked as materialized (
       select tracked_id from tracked_products
        where lane = $1 and account_id = $2 and ($3::uuid is null or tracked_id > $3)
          and removed_at is null
        order by tracked_id limit $4 for no key update)
     update tracked_products t set is_pending = true from locked
      where t.lane = $1 and t.account_id = $2 and t.tracked_id = locked.tracked_id
     returning ${prefixed('t')}`,
    [lane(input.accountId), input.accountId, input.after, input.limit],
  );
  return rows.map(fromRow).sort((a, b) => (a.trackedId < b.trackedId ? -1 : 1));
}

/** These must be told to the product's side again. */
export async function markPending(db: Connection, keys: readonly TrackedKey[]): Promise<void> {
  if (keys.length === 0) return;
  await db.query(
    `with locked as materialized (${LOCKED})
     update tracked_products t set is_pending = true from locked
      where t.lane = locked.lane and t.account_id = locked.account_id
        and t.tracked_id = locked.tracked_id`,
    keyArrays(keys),
  );
}

/** Some products of an account that is deleted, taken from its list; the rows go once the product's side knows. */
export async function removeSome(
  tx: Transaction,
  input: { accountId: string; now: number; limit: number },
): Promise<TrackedProduct[]> {
  const rows = await tx.query<TrackedRow>(
    `with locked as materialized (
       select tracked_id from tracked_products where lane = $1 and account_id = $2
        order by tracked_id limit $4 for no key update)
     update tracked_products t set is_pending = true, removed_at = coalesce(t.removed_at, $3)
       from locked
      where t.lane = $1 and t.account_id = $2 and t.tracked_id = locked.tracked_id
     returning ${prefixed('t')}`,
    [lane(input.accountId), input.accountId, isoTime(input.now), input.limit],
  );
  return rows.map(fromRow);
}

/** The product's side knows this state; a removed row goes. False: it was to stay, but is removed meanwhile. */
export async function settlePending(db: Connection, known: TrackedProduct): Promise<boolean> {
  if (known.removedAt === null) return (await settleAll(db, [known])) === 1;
  await db.query(
    `delete from tracked_products
      where lane = $1 and account_id = $2 and tracked_id = $3 and removed_at is not null`,
    keyOf(known),
  );
  return true;
}

/**
 * The product's side knows these states, of rows that stay; answers how many are there. One that was changed
 * meanwhile is pending, also when it was settled already: its older state may have been told last.
 */
export async function settleAll(db: Connection, known: readonly TrackedProduct[]): Promise<number> {
  if (known.length === 0) return 0;
  const rows = await db.query(
    `with locked as materialized (${LOCKED})
     update tracked_products t
        set is_pending = t.tier <> n.tier or t.is_suspended <> n.is_suspended
              or t.seller_name is distinct from n.seller_name or t.rules is distinct from n.rules
       from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::smallint[], $5::boolean[],
                   $6::text[], $7::text[]::jsonb[])
              as n(lane, account_id, tracked_id, tier, is_suspended, seller_name, rules),
            locked
      where (locked.lane, locked.account_id, locked.tracked_id) = (n.lane, n.account_id, n.tracked_id)
        and t.lane = n.lane and t.account_id = n.account_id and t.tracked_id = n.tracked_id
        and t.removed_at is null
     returning t.tracked_id`,
    [
      ...keyArrays(known),
      known.map((one) => one.tier),
      known.map((one) => one.isSuspended),
      known.map((one) => one.sellerName),
      known.map((one) => (one.rules === null ? null : JSON.stringify(one.rules))),
    ],
  );
  return rows.length;
}

/** Accounts with products that wait for credits. */
export async function listWaitingAccounts(db: Database): Promise<string[]> {
  const rows = await db.read<Pick<TrackedRow, 'account_id'>>(
    `select lane, account_id from tracked_products where is_suspended and removed_at is null
      group by lane, account_id order by lane, account_id`,
    [],
  );
  return rows.map((row) => row.account_id);
}

/** Products of an account that wait for credits, the oldest first. */
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

/** Suspends or resumes rows, locked in key order; answers those that were changed. */
export async function setSuspended(
  tx: Transaction,
  keys: readonly TrackedKey[],
  isSuspended: boolean,
): Promise<TrackedProduct[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<TrackedRow>(
    `with asked as materialized (${LOCKED})
     update tracked_products t set is_suspended = $4, is_pending = true
       from asked
      where t.lane = asked.lane and t.account_id = asked.account_id
        and t.tracked_id = asked.tracked_id and t.removed_at is null and t.is_suspended <> $4
      returning ${prefixed('t')}`,
    [...keyArrays(keys), isSuspended],
  );
  return rows.map(fromRow);
}
