// The ledger and the balances it explains: the only file whose SQL names them. Append-only; the
// balance is a projection changed in the same transaction. Deciding is settlement.ts's.
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  heavyStatement,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Balance, EntryKind, LedgerEntry } from './settlement.ts';
import { kindOf, SHOWN_KIND, SPENDING_KINDS, storedKind, storedKinds } from './stored-kind.ts';

export const LEDGER_TABLE = 'ledger_entries';

type BalanceRow = {
  account_id: string;
  plan: string;
  next_plan: string | null;
  allocation: number;
  granted: number;
  used: number;
  anchor_at: number;
  period_start_at: number;
  period_end_at: number;
  updated_at: number;
};

const balanceFromRow = (row: BalanceRow): Balance => ({
  accountId: row.account_id,
  plan: row.plan,
  nextPlan: row.next_plan,
  allocation: row.allocation,
  granted: row.granted,
  used: row.used,
  anchorAtMs: row.anchor_at,
  periodStartAtMs: row.period_start_at,
  periodEndAtMs: row.period_end_at,
  updatedAtMs: row.updated_at,
});

const BALANCE_COLUMNS = `b.account_id, b.plan, b.next_plan, b.allocation, b.granted, b.used,
  b.anchor_at, b.period_start_at, b.period_end_at, b.updated_at`;

/** The balances of some accounts; an account without a plan has none. */
const READ_BALANCES = statement(
  'read-balances',
  `select ${BALANCE_COLUMNS}
     from unnest($1::smallint[], $2::uuid[]) as asked(lane, account_id)
     join balances b using (lane, account_id)`,
);

/** The same, locked in ascending key order, the order that every path keeps. */
const lockingBalances = (wait: '' | 'skip locked') => `select ${BALANCE_COLUMNS}
     from unnest($1::smallint[], $2::uuid[]) as asked(lane, account_id)
     join balances b using (lane, account_id)
    order by b.lane, b.account_id
      for no key update of b ${wait}`;

const LOCK_BALANCES = statement('lock-balances', lockingBalances(''));
const LOCK_FREE_BALANCES = statement('lock-free-balances', lockingBalances('skip locked'));

const laneArrays = (accountIds: readonly string[]) => [
  plainArray(accountIds.map(lane)),
  plainArray(accountIds),
];

export async function readBalances(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, Balance>> {
  const rows = await db.read<BalanceRow>(READ_BALANCES, laneArrays(accountIds));
  return new Map(rows.map((row) => [row.account_id, balanceFromRow(row)]));
}

export async function lockBalances(
  tx: Transaction,
  accountIds: readonly string[],
): Promise<Map<string, Balance>> {
  const rows = await tx.query<BalanceRow>(LOCK_BALANCES, laneArrays(accountIds));
  return new Map(rows.map((row) => [row.account_id, balanceFromRow(row)]));
}

/**
 * Locks what nobody else holds, without waiting: one account whose row is held by somebody must not
 * hold up the others. `held` are those that somebody else holds; an account without a plan is in
 * neither.
 */
export async function lockFreeBalances(
  tx: Transaction,
  accountIds: readonly string[],
): Promise<{ balances: Map<string, Balance>; held: Set<string> }> {
  const rows = await tx.query<BalanceRow>(LOCK_FREE_BALANCES, laneArrays(accountIds));
  const balances = new Map(rows.map((row) => [row.account_id, balanceFromRow(row)]));
  const missing = accountIds.filter((accountId) => !balances.has(accountId));
  if (missing.length === 0) return { balances, held: new Set() };
  const there = await tx.query<BalanceRow>(READ_BALANCES, laneArrays(missing));
  return { balances, held: new Set(there.map((row) => row.account_id)) };
}

/**
 * From here to the end of the transaction a lock is waited for this long, then given up with an
 * error.
 */
export async function limitLockWait(tx: Transaction, waitMs: number): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [String(waitMs)]);
}

/** Gives an account its first balance; nothing happens when it has one. */
export async function insertBalance(tx: Transaction, balance: Balance): Promise<void> {
  await tx.query(
    `insert into balances (lane, account_id, plan, next_plan, allocation, granted, used,
                           anchor_at, period_start_at, period_end_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict do nothing`,
    balanceValues(balance),
  );
}

/** Writes balances that were locked before in this transaction. */
const UPDATE_BALANCES = statement(
  'update-balances',
  `update balances b
      set plan = n.plan, next_plan = n.next_plan, allocation = n.allocation, granted = n.granted,
          used = n.used, anchor_at = n.anchor_at, period_start_at = n.period_start_at,
          period_end_at = n.period_end_at, updated_at = n.updated_at
     from unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
                 $7::bigint[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[],
                 $11::timestamptz[])
            as n(lane, account_id, plan, next_plan, allocation, granted, used, anchor_at,
                 period_start_at, period_end_at, updated_at)
    where b.lane = n.lane and b.account_id = n.account_id`,
);

export async function updateBalances(tx: Transaction, balances: readonly Balance[]): Promise<void> {
  if (balances.length === 0) return;
  const rows = balances.map(balanceValues);
  await tx.query(
    UPDATE_BALANCES,
    Array.from({ length: 11 }, (_, column) => rows.map((row) => row[column])),
  );
}

const balanceValues = (balance: Balance) => [
  lane(balance.accountId),
  balance.accountId,
  balance.plan,
  balance.nextPlan,
  balance.allocation,
  balance.granted,
  balance.used,
  isoTime(balance.anchorAtMs),
  isoTime(balance.periodStartAtMs),
  isoTime(balance.periodEndAtMs),
  isoTime(balance.updatedAtMs),
];

/** Which of these entries the ledger has. Their time is a lower bound: booking may move it on. */
const FIND_ENTRIES = statement(
  'find-ledger-entries',
  `select l.id, l.at
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[])
            as asked(lane, account_id, id, at)
     join ledger_entries l
       on l.lane = asked.lane and l.account_id = asked.account_id
      and l.at >= asked.at and l.id = asked.id`,
);

/** When each of these that the ledger has was booked, by id. */
export async function findEntries(
  tx: Transaction,
  entries: readonly LedgerEntry[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ id: string; at: number }>(FIND_ENTRIES, [
    plainArray(entries.map((entry) => lane(entry.accountId))),
    plainArray(entries.map((entry) => entry.accountId)),
    plainArray(entries.map((entry) => entry.id)),
    plainArray(entries.map((entry) => isoTime(entry.atMs))),
  ]);
  return new Map(rows.map((row) => [row.id, row.at]));
}

const ENTRY_ARRAYS = `unnest($1::smallint[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::text[],
         $6::bigint[], $7::text[], $8::text[], $9::text[])
    as entry(lane, account_id, at, id, kind, credits, operation, retailer_product_code, reference)`;

const entryArrays = (entries: readonly LedgerEntry[]) => [
  plainArray(entries.map((entry) => lane(entry.accountId))),
  plainArray(entries.map((entry) => entry.accountId)),
  plainArray(entries.map((entry) => isoTime(entry.atMs))),
  plainArray(entries.map((entry) => entry.id)),
  plainArray(entries.map((entry) => storedKind(entry.kind))),
  plainArray(entries.map((entry) => entry.credits)),
  textArray(entries.map((entry) => entry.operation)),
  textArray(entries.map((entry) => entry.productCode)),
  textArray(entries.map((entry) => entry.reference)),
];

/** Appends entries whose balances were locked before in this transaction. */
const INSERT_ENTRIES = statement(
  'insert-ledger-entries',
  `insert into ledger_entries (lane, account_id, at, id, kind, credits, operation,
                               retailer_product_code, reference)
   select * from ${ENTRY_ARRAYS}`,
);

export async function insertEntries(
  tx: Transaction,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length > 0) await tx.query(INSERT_ENTRIES, entryArrays(entries));
}

/**
 * The fast path: books all charges of every account whose whole sum fits in its current period, in
 * one statement and so in one commit. Accounts that do not fit are left alone and returned without
 * a remaining. Under READ COMMITTED the update meets the newest version of each row, which `locked`
 * already holds, and decides on that.
 */
const charging = (wait: { before: string; from: string; clause: string }) =>
  `with entry as materialized (select * from ${ENTRY_ARRAYS}),${wait.before}
        asked as (select lane, account_id, (-sum(credits))::bigint as cost from entry group by 1, 2),
        locked as (
          select b.lane, b.account_id, asked.cost
            from asked join balances b using (lane, account_id) ${wait.from}
           order by b.lane, b.account_id
             for no key update of b ${wait.clause}),
        paid as (
          update balances b
             set used = b.used + locked.cost, updated_at = greatest(b.updated_at, $10::timestamptz)
            from locked
           where b.lane = locked.lane and b.account_id = locked.account_id
             and b.used + locked.cost <= b.allocation + b.granted
             and b.period_end_at > $10::timestamptz
          returning b.lane, b.account_id, b.period_start_at,
                    b.allocation + b.granted - b.used as remaining),
        booked as (
          insert into ledger_entries (lane, account_id, at, id, kind, credits, operation,
                                      retailer_product_code, reference)
          select lane, account_id, greatest(entry.at, paid.period_start_at), id, kind, credits,
                 operation, retailer_product_code, reference
            from entry join paid using (lane, account_id))
   select account_id, null as remaining from locked
   union all select account_id, remaining from paid`;

/** Passes over accounts whose balance somebody else holds: they would hold up all others. */
const CHARGE_WHAT_FITS = statement(
  'charge-what-fits',
  charging({ before: '', from: '', clause: 'skip locked' }),
);

/**
 * Waits for them, but only so long; the limit goes with the statement and saves three round trips.
 */
const CHARGE_WHEN_FREE = statement(
  'charge-when-free',
  charging({
    before: `
        patience as materialized (select set_config('lock_timeout', $11, true)),`,
    from: 'cross join patience',
    clause: '',
  }),
);

/**
 * What remains to each account whose charges were all booked, null to one whose charges do not fit.
 * The others have no plan, or somebody else holds their balance; with `waitMs` that is waited for,
 * and fails when it takes longer.
 */
export async function chargeWhatFits(
  db: Connection,
  entries: readonly LedgerEntry[],
  { now, waitMs }: { now: number; waitMs?: number | undefined },
): Promise<Map<string, number | null>> {
  // An entry made by a clock ahead of this one may belong to the next period already.
  const latestAt = entries.reduce((latest, entry) => Math.max(latest, entry.atMs), now);
  const values = [...entryArrays(entries), isoTime(latestAt)];
  const rows = await db.query<{ account_id: string; remaining: number | null }>(
    waitMs === undefined ? CHARGE_WHAT_FITS : CHARGE_WHEN_FREE,
    waitMs === undefined ? values : [...values, String(waitMs)],
  );
  // Who has paid comes twice, the second time with what remains: a join in the statement cost a
  // third of it.
  return new Map(rows.map((row) => [row.account_id, row.remaining]));
}

type EntryRow = {
  account_id: string;
  at: number;
  id: string;
  kind: string;
  credits: number;
  operation: string | null;
  retailer_product_code: string | null;
  reference: string;
};

const entryFromRow = (row: EntryRow): LedgerEntry => ({
  accountId: row.account_id,
  atMs: row.at,
  id: row.id,
  kind: kindOf(row.kind),
  credits: row.credits,
  operation: row.operation,
  productCode: row.retailer_product_code,
  reference: row.reference,
});

/** One page of an account's entries, the newest first, from just before a given one. */
const LIST_ENTRIES = heavyStatement(
  'list-ledger-entries',
  `select account_id, at, id, kind, credits, operation, retailer_product_code, reference
     from ledger_entries
    where lane = $1 and account_id = $2 and (at, id) < ($3::timestamptz, $4::uuid)
      and ($6::timestamptz is null or at >= $6) and ($7::text[] is null or kind = any ($7::text[]))
      and ($8::text is null or operation = $8)
    order by at desc, id desc
    limit $5`,
);

/** Which entries are wanted; all without. */
export type EntryFilter = {
  fromAtMs?: number | undefined;
  kind?: EntryKind | undefined;
  operation?: string | undefined;
};

export type EntryPosition = { atMs: number; id: string };
const NEWEST: EntryPosition = {
  atMs: Date.UTC(9999, 0),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

export async function listEntries(
  db: Database,
  input: { accountId: string; before?: EntryPosition | undefined; limit: number } & EntryFilter,
): Promise<LedgerEntry[]> {
  const before = input.before ?? NEWEST;
  const rows = await db.read<EntryRow>(LIST_ENTRIES, [
    lane(input.accountId),
    input.accountId,
    isoTime(before.atMs),
    before.id,
    input.limit,
    input.fromAtMs === undefined ? null : isoTime(input.fromAtMs),
    input.kind === undefined ? null : plainArray(storedKinds(input.kind)),
    input.operation ?? null,
  ]);
  return rows.map(entryFromRow);
}

export type DayUse = { on: string; operation: string; credits: number };

/** What an account spent, by UTC day and operation; what was given back is taken off its day. */
const READ_DAILY_USE = heavyStatement(
  'read-daily-use',
  `select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as on, coalesce(operation, ${SHOWN_KIND}) as operation,
          -sum(credits)::bigint as credits
     from ledger_entries
    where lane = $1 and account_id = $2 and at >= $3 and at < $4
      and kind in ${SPENDING_KINDS}
    group by 1, 2 order by 1, 2`,
);

export async function readDailyUse(
  db: Database,
  input: { accountId: string; fromAtMs: number; toAtMs: number },
): Promise<DayUse[]> {
  const rows = await db.read<DayUse>(READ_DAILY_USE, [
    lane(input.accountId),
    input.accountId,
    ...[isoTime(input.fromAtMs), isoTime(input.toAtMs)],
  ]);
  return rows.map(({ on, operation, credits }) => ({ on, operation, credits }));
}

export type LedgerFault = { accountId: string; fault: string };

/** Accounts whose balance and ledger disagree: there must be none. The first hundred are named. */
export async function findLedgerFaults(db: Database): Promise<LedgerFault[]> {
  const rows = await db.read<{ account_id: string; fault: string }>(
    `with booked as (
       select b.lane, b.account_id, b.used, b.allocation + b.granted as total,
              coalesce(-sum(l.credits) filter (where l.kind in ${SPENDING_KINDS}), 0)
                as used_by_entries,
              coalesce(sum(l.credits) filter (where l.kind in ('refresh', 'grant')), 0)
                as total_by_entries
         from balances b
         left join ledger_entries l
           on l.lane = b.lane and l.account_id = b.account_id and l.at >= b.period_start_at
        group by b.lane, b.account_id)
     select account_id,
            format('used %s, entries say %s; total %s, entries say %s',
                   used, used_by_entries, total, total_by_entries) as fault
       from booked
      where used <> used_by_entries or total <> total_by_entries or used > total or used < 0
      order by account_id
      limit 100`,
  );
  return rows.map((row) => ({ accountId: row.account_id, fault: row.fault }));
}

export async function countBalances(db: Database): Promise<number> {
  const [row] = await db.read<{ n: number }>('select count(*) as n from balances');
  return row?.n ?? 0;
}
