// Accounts and their e-mail addresses. What an account may spend belongs to credits.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { readInGroups, rotationOf } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import { isId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';

export type Account = {
  accountId: string;
  email: string;
  sellerName: string | null;
  /** Rates above the default, by bucket. */
  requestsPerSecond: Readonly<Record<string, number>>;
  createdAtMs: number;
  closedAtMs: number | null;
  /** Why it is closed: by the operator, or because its deletion is pending. */
  closedBy: ClosedBy | null;
  /** When it will be deleted, unless it is restored before. */
  deleteAtMs: number | null;
  /** The deletion has started and cannot be undone. */
  isDeleting: boolean;
};

export type ClosedBy = 'operator' | 'deletion';

type AccountRow = {
  account_id: string;
  email: string;
  seller_name: string | null;
  requests_per_second: Record<string, number>;
  created_at: number;
  closed_at: number | null;
  closed_by: ClosedBy | null;
  delete_at: number | null;
  is_deleting: boolean;
};

const fromRow = (row: AccountRow): Account => ({
  accountId: row.account_id,
  email: row.email,
  sellerName: row.seller_name,
  requestsPerSecond: row.requests_per_second,
  createdAtMs: row.created_at,
  closedAtMs: row.closed_at,
  // Closed by an older release, which did not record why.
  closedBy: row.closed_by ?? (row.closed_at === null ? null : 'operator'),
  deleteAtMs: row.delete_at,
  isDeleting: row.is_deleting,
});

const COLUMNS = `a.account_id, a.email, a.seller_name, a.requests_per_second, a.created_at,
  a.closed_at, a.closed_by, a.delete_at, a.anonymous_id is not null as is_deleting`;

/** Normalizes an e-mail address; throws if it is not one. */
export function normalEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > 254 || !/^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(email)) {
    throw new Problem('email_malformed', `"${text.slice(0, 100)}" is not a valid e-mail address.`, {
      field: 'email',
    });
  }
  return email;
}

/**
 * Claims an address and returns the account that owns it: this one, or an earlier one. A claim
 * without an account was left by a crash; the next attempt completes it.
 */
export async function claimEmail(
  db: Database,
  input: { email: string; accountId: string },
): Promise<string> {
  await db.query(
    `insert into account_emails (lane, email, account_id) values ($1, $2, $3) on conflict do nothing`,
    [lane(input.email), input.email, input.accountId],
  );
  const accountId = await accountIdOfEmail(db, input.email);
  return accountId ?? input.accountId;
}

async function accountIdOfEmail(db: Database, email: string): Promise<string | undefined> {
  const [row] = await db.read<{ account_id: string }>(
    'select account_id from account_emails where lane = $1 and email = $2',
    [lane(email), email],
  );
  return row?.account_id;
}

export async function insertAccount(tx: Transaction, account: Account): Promise<void> {
  await tx.query(
    `insert into accounts (lane, account_id, email, seller_name, requests_per_second, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      lane(account.accountId),
      account.accountId,
      account.email,
      account.sellerName,
      JSON.stringify(account.requestsPerSecond),
      isoTime(account.createdAtMs),
    ],
  );
}

/** Accounts by id. */
const READ_ACCOUNTS = statement(
  'read-accounts',
  `select ${COLUMNS} from unnest($1::smallint[], $2::uuid[]) as input(lane, account_id)
     join accounts a on a.lane = input.lane and a.account_id = input.account_id
      and ${inLanes('a.lane', '$1')}`,
);

/** The accounts are in one lane group. */
export async function readAccounts(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, Account>> {
  const rows = await db.read<AccountRow>(READ_ACCOUNTS, [
    plainArray(accountIds.map(lane)),
    plainArray(accountIds),
  ]);
  return new Map(rows.map((row) => [row.account_id, fromRow(row)]));
}

export async function findAccount(db: Database, accountId: string): Promise<Account | undefined> {
  return (await readAccounts(db, [accountId])).get(accountId);
}

/** Locks the account's row until the transaction ends, so that counts of its rows stay true. */
export async function lockAccount(tx: Transaction, accountId: string): Promise<void> {
  await tx.query('select 1 from accounts where lane = $1 and account_id = $2 for no key update', [
    lane(accountId),
    accountId,
  ]);
}

export async function hasAccount(db: Database, email: string): Promise<boolean> {
  const accountId = await accountIdOfEmail(db, email);
  return accountId !== undefined && (await findAccount(db, accountId)) !== undefined;
}

/** Finds the account that an operator names by id or e-mail. */
export async function accountNamed(db: Database, idOrEmail: string): Promise<Account> {
  const accountId = isId(idOrEmail)
    ? idOrEmail
    : await accountIdOfEmail(db, normalEmail(idOrEmail));
  const account = accountId === undefined ? undefined : await findAccount(db, accountId);
  if (account === undefined)
    throw new Problem('account_not_found', `There is no account ${idOrEmail}.`);
  return account;
}

export async function listAccounts(db: Database): Promise<Account[]> {
  const rows = await db.read<AccountRow>(
    `select ${COLUMNS} from accounts a order by a.created_at, a.account_id`,
  );
  return rows.map(fromRow);
}

export async function setRequestsPerSecond(
  db: Database,
  input: { accountId: string; buckets: readonly string[]; perSecond: number },
): Promise<void> {
  const change = Object.fromEntries(input.buckets.map((bucket) => [bucket, input.perSecond]));
  await db.query(
    `update accounts set requests_per_second = requests_per_second || $3::jsonb
      where lane = $1 and account_id = $2`,
    [lane(input.accountId), input.accountId, JSON.stringify(change)],
  );
}

export async function setSellerName(
  tx: Transaction,
  input: { accountId: string; sellerName: string | null },
): Promise<void> {
  await tx.query('update accounts set seller_name = $3 where lane = $1 and account_id = $2', [
    lane(input.accountId),
    input.accountId,
    input.sellerName,
  ]);
}

/** Returns accounts that must not be charged, collected for or notified: closed or deleted ones. */
const OPEN_ACCOUNTS = statement(
  'open-accounts',
  `select a.account_id from unnest($1::smallint[], $2::uuid[]) as input(lane, account_id)
     join accounts a on a.lane = input.lane and a.account_id = input.account_id
      and ${inLanes('a.lane', '$1')}
    where a.closed_at is null`,
);

/** The accounts are in one lane group. */
export async function closedAmong(
  db: Connection,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const rows = await readInGroups(db, accountIds, (part) =>
    db.query<{ account_id: string }>(OPEN_ACCOUNTS, [plainArray(part.map(lane)), plainArray(part)]),
  );
  const open = new Set(rows.map((row) => row.account_id));
  return new Set(accountIds.filter((accountId) => !open.has(accountId)));
}

/** Reads and locks the account's row. */
export async function lockedAccount(
  tx: Transaction,
  accountId: string,
): Promise<Account | undefined> {
  const [row] = await tx.query<AccountRow>(
    `select ${COLUMNS} from accounts a where a.lane = $1 and a.account_id = $2 for no key update`,
    [lane(accountId), accountId],
  );
  return row && fromRow(row);
}

/**
 * Closes, reopens or schedules the deletion of an account whose row is locked, and marks its
 * consequences as to be done.
 */
export async function writeClosure(
  tx: Transaction,
  account: Pick<Account, 'accountId' | 'closedAtMs' | 'closedBy' | 'deleteAtMs'>,
): Promise<void> {
  await tx.query(
    `update accounts set closed_at = $3, closed_by = $4, delete_at = $5, is_settling = true
      where lane = $1 and account_id = $2`,
    [
      lane(account.accountId),
      account.accountId,
      timeOrNull(account.closedAtMs),
      account.closedBy,
      timeOrNull(account.deleteAtMs),
    ],
  );
}

const timeOrNull = (atMs: number | null) => (atMs === null ? null : isoTime(atMs));

/** Accounts that were closed or reopened and whose consequences are not all done. */
export async function listSettling(db: Database, limitAll: number): Promise<string[]> {
  const rows = await rotationOf(db, 'settle-closures')(limitAll, ({ lanes, limit }) =>
    db.read<{ account_id: string }>(
      `select a.account_id from accounts a
        where ${inLanes('a.lane', '$1')} and a.is_settling
        order by a.lane, a.account_id limit $2`,
      [plainArray(lanes), limit],
    ),
  );
  return rows.map((row) => row.account_id);
}

/** Marks the consequences of this state as done. Returns false if the state has changed. */
export async function noteSettled(db: Database, account: Account): Promise<boolean> {
  const rows = await db.query(
    `update accounts set is_settling = false
      where lane = $1 and account_id = $2 and (closed_at is null) = $3
        and coalesce(closed_by, 'operator') is not distinct from $4
     returning account_id`,
    [
      lane(account.accountId),
      account.accountId,
      account.closedAtMs === null,
      account.closedBy ?? 'operator',
    ],
  );
  return rows.length > 0;
}

/** Accounts whose waiting period has ended, longest ago first. */
export async function listToDelete(
  db: Database,
  nowMs: number,
  limitAll: number,
): Promise<string[]> {
  const rows = await rotationOf(db, 'delete-accounts')(limitAll, ({ lanes, limit }) =>
    db.read<{ account_id: string }>(
      `select a.account_id from accounts a
        where ${inLanes('a.lane', '$1')} and a.delete_at <= $2
        order by a.delete_at limit $3`,
      [plainArray(lanes), isoTime(nowMs), limit],
    ),
  );
  return rows.map((row) => row.account_id);
}

/**
 * Starts the deletion, which cannot be undone. Returns the id that ledger entries move to, which is
 * stable.
 */
export async function beginDeletion(
  tx: Transaction,
  input: { accountId: string; anonymousId: string; now: number },
): Promise<string | undefined> {
  const [row] = await tx.query<{ anonymous_id: string }>(
    `update accounts set anonymous_id = coalesce(anonymous_id, $3)
      where lane = $1 and account_id = $2 and delete_at <= $4
     returning anonymous_id`,
    [lane(input.accountId), input.accountId, input.anonymousId, isoTime(input.now)],
  );
  return row?.anonymous_id;
}

/** Deletes the account's row and frees its e-mail address. */
export async function deleteAccountRow(
  db: Database,
  account: Pick<Account, 'accountId' | 'email'>,
): Promise<void> {
  await db.query('delete from account_emails where lane = $1 and email = $2 and account_id = $3', [
    lane(account.email),
    account.email,
    account.accountId,
  ]);
  await db.query(
    `delete from accounts where lane = $1 and account_id = $2 and anonymous_id is not null`,
    [lane(account.accountId), account.accountId],
  );
}
