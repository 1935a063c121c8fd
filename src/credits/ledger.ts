// Reads and writes the ledger and the balances; the only file whose SQL names these tables. The
// ledger is append-only, and a balance changes in the transaction that adds its entries. What is
// booked is decided in settlement.ts.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  heavyStatement,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { readInGroups } from '../database/lane-groups.ts';
import { markedPages } from '../database/marked-pages.ts';
import { chooseMarkers, type MarkerMemory } from '../database/markers.ts';
import { isoTime } from '../foundation/clock.ts';
import { kindList, SHOWN_KIND, SPENDING_KINDS } from './entry-kind.ts';
import {
  BALANCE_COLUMNS,
  type BalanceRow,
  balanceFromRow,
  balanceValues,
  ENTRY_ARRAYS,
  ENTRY_COLUMNS,
  ENTRY_PAGES,
  type EntryFilter,
  type EntryPosition,
  type EntryRow,
  entryArrays,
  entryFromRow,
  markedEntry,
  NEWEST_ENTRY,
  storedWords,
} from './ledger-rows.ts';
import type { Balance, LedgerEntry } from './settlement.ts';

export const LEDGER_TABLE = 'ledger_entries';

/** Balances by account. An account without a plan has no balance. */
const READ_BALANCES = statement(
  'read-balances',
  `select ${BALANCE_COLUMNS}
     from unnest($1::smallint[], $2::uuid[]) as input(lane, account_id)
     join balances b on b.lane = input.lane and b.account_id = input.account_id
      and ${inLanes('b.lane', '$1')}`,
);

/** The same, with row locks. Every path locks in ascending key order, which avoids deadlocks. */
const lockingBalances = (wait: '' | 'skip locked') => `select ${BALANCE_COLUMNS}
     from unnest($1::smallint[], $2::uuid[]) as input(lane, account_id)
     join balances b on b.lane = input.lane and b.account_id = input.account_id
      and ${inLanes('b.lane', '$1')}
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
  const rows = await readInGroups(db, accountIds, (part) =>
    db.read<BalanceRow>(READ_BALANCES, laneArrays(part)),
  );
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
 * Locks without waiting, so that one locked account does not delay the others. `held` lists
 * accounts that another session has locked. An account without a plan is in neither result.
 */
export async function lockFreeBalances(
  tx: Transaction,
  accountIds: readonly string[],
): Promise<{ balances: Map<string, Balance>; held: Set<string> }> {
  const rows = await tx.query<BalanceRow>(LOCK_FREE_BALANCES, laneArrays(accountIds));
  const balances = new Map(rows.map((row) => [row.account_id, balanceFromRow(row)]));
  const missing = accountIds.filter((accountId) => !balances.has(accountId));
  if (missing.length === 0) return { balances, held: new Set() };
  const lockedElsewhere = await tx.query<BalanceRow>(READ_BALANCES, laneArrays(missing));
  return { balances, held: new Set(lockedElsewhere.map((row) => row.account_id)) };
}

/** Inserts an account's first balance. Does nothing if it has one. */
export async function insertBalance(tx: Transaction, balance: Balance): Promise<void> {
  await tx.query(
    `insert into balances (lane, account_id, plan, next_plan, allocation, granted, used,
                           anchor_at, period_start_at, period_end_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict do nothing`,
    balanceValues(balance),
  );
}

/** Writes balances that this transaction has locked. */
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
    where b.lane = n.lane and b.account_id = n.account_id and ${inLanes('b.lane', '$1')}`,
);

export async function updateBalances(tx: Transaction, balances: readonly Balance[]): Promise<void> {
  if (balances.length === 0) return;
  const rows = balances.map(balanceValues);
  await tx.query(
    UPDATE_BALANCES,
    Array.from({ length: 11 }, (_, column) => rows.map((row) => row[column])),
  );
}

/** Which entries exist. The time is a lower bound, because booking may move it forward. */
const FIND_ENTRIES = statement(
  'find-ledger-entries',
  `select l.id, l.at
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[])
            as input(lane, account_id, id, at)
     join ledger_entries l
       on l.lane = input.lane and l.account_id = input.account_id
      and l.at >= input.at and l.id = input.id and ${inLanes('l.lane', '$1')}`,
);

/** Returns when each existing entry was booked, by entry id. */
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

/** Appends entries of balances that this transaction has locked. */
const INSERT_ENTRIES = statement(
  'insert-ledger-entries',
  `insert into ledger_entries (lane, account_id, at, id, kind, credits, operation,
                               retailer_product_code, reference, is_marker)
   select * from ${ENTRY_ARRAYS}`,
);

export async function insertEntries(
  tx: Transaction,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const areMarkers = chooseMarkers(entries.map(markedEntry));
  await tx.query(INSERT_ENTRIES, entryArrays(entries, areMarkers));
}

/**
 * The fast path: one statement books the charges of every account whose sum fits in its current
 * period. An account whose sum does not fit is not changed and gets a null `remaining`. Under READ
 * COMMITTED the update sees the newest version of each row, which `locked` has already locked.
 */
const charging = (wait: { before: string; from: string; clause: string }) =>
  `with entry as materialized (select * from ${ENTRY_ARRAYS}),${wait.before}
        due as (select lane, account_id, (-sum(credits))::bigint as cost from entry group by 1, 2),
        locked as (
          select b.lane, b.account_id, due.cost
            from due join balances b on b.lane = due.lane and b.account_id = due.account_id
             and ${inLanes('b.lane', '$1')} ${wait.from}
           order by b.lane, b.account_id
             for no key update of b ${wait.clause}),
        paid as (
          update balances b
             set used = b.used + locked.cost, updated_at = greatest(b.updated_at, $11::timestamptz)
            from locked
           where b.lane = locked.lane and b.account_id = locked.account_id
             and ${inLanes('b.lane', '$1')}
             and b.used + locked.cost <= b.allocation + b.granted
             and b.period_end_at > $11::timestamptz
          returning b.lane, b.account_id, b.period_start_at,
                    b.allocation + b.granted - b.used as remaining),
        booked as (
          insert into ledger_entries (lane, account_id, at, id, kind, credits, operation,
                                      retailer_product_code, reference, is_marker)
          select lane, account_id, greatest(entry.at, paid.period_start_at), id, kind, credits,
                 operation, retailer_product_code, reference,
                 is_marker or entry.at < paid.period_start_at
            from entry join paid using (lane, account_id))
   select account_id, null as remaining from locked
   union all select account_id, remaining from paid`;

/** Skips balances that another session has locked, so that they do not delay the others. */
const CHARGE_WHAT_FITS = statement(
  'charge-what-fits',
  charging({ before: '', from: '', clause: 'skip locked' }),
);

/** Waits for locked balances. Setting the limit in the statement saves three round trips. */
const CHARGE_WHEN_FREE = statement(
  'charge-when-free',
  charging({
    before: `
        lock_limit as materialized (select set_config('lock_timeout', $12, true)),`,
    from: 'cross join lock_limit',
    clause: '',
  }),
);

/** The same on the shard of the entries' lanes; see migration 108. */
const CHARGE_ON_SHARD = statement(
  'charge-on-shard',
  `select account_id, remaining
     from charge_and_mark($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);

/**
 * Returns what remains for each account: a number if all its charges were booked, null if they do
 * not fit. A missing account has no plan, or another session has locked its balance. With `waitMs`
 * the statement waits that long for locks, then fails.
 */
export async function chargeWhatFits(
  db: Connection,
  entries: readonly LedgerEntry[],
  {
    nowMs,
    waitMs,
    markers,
  }: { nowMs: number; waitMs?: number | undefined; markers?: MarkerMemory | undefined },
): Promise<Map<string, number | null>> {
  // An entry from a clock ahead of this one may already belong to the next period.
  const latestAtMs = entries.reduce((latest, entry) => Math.max(latest, entry.atMs), nowMs);
  const marked = entries.map(markedEntry);
  const values = [...entryArrays(entries, chooseMarkers(marked, markers)), isoTime(latestAtMs)];
  const lockWait = waitMs === undefined ? [] : [String(waitMs)];
  const chargeHere = waitMs === undefined ? CHARGE_WHAT_FITS : CHARGE_WHEN_FREE;
  const isOneServer = db.groups === undefined || db.groups.count() === 1;
  const rows = isOneServer
    ? await db.query<ChargedRow>(chargeHere, [...values, ...lockWait])
    : await db.query<ChargedRow>(CHARGE_ON_SHARD, [
        lane((entries[0] as LedgerEntry).accountId),
        ...values,
        lockWait[0] ?? null,
      ]);
  // A paid account is returned twice, the second time with what remains: a join in the statement
  // took a third of its time.
  const remaining = new Map(rows.map((row) => [row.account_id, row.remaining]));
  markers?.add(marked.filter((_, at) => isNumber(remaining.get(entries[at]?.accountId ?? ''))));
  return remaining;
}

const isNumber = (value: unknown) => typeof value === 'number';

type ChargedRow = { account_id: string; remaining: number | null };

/** An account's entries before a position, newest first. */
const listText = (rest: string) =>
  `select ${ENTRY_COLUMNS} from ledger_entries l
    where l.lane = $1 and account_id = $2 and (at, id) < ($3::timestamptz, $4::uuid)
      and ($5::timestamptz is null or at >= $5) ${rest}`;
const NEWEST_FIRST = 'order by at desc, id desc';

const LIST_ENTRIES = heavyStatement('list-ledger-entries', listText(`${NEWEST_FIRST} limit $6`));

/** A page of a kind other than requests, by its index: a range for each stored word. */
const LIST_BY_KIND = heavyStatement(
  'list-ledger-entries-by-kind',
  `select page.* from unnest($7::text[]) as stored(word)
    cross join lateral (${listText(
      `and kind = stored.word and kind <> 'request' ${NEWEST_FIRST} limit $6`,
    )}) as page
    ${NEWEST_FIRST} limit $6`,
);

/** Pages of an operation or of requests, found by their markers. */
const markedEntries = markedPages<EntryRow>({ ...ENTRY_PAGES, table: LEDGER_TABLE });

export async function listEntries(
  db: Database,
  input: { accountId: string; before?: EntryPosition | undefined; limit: number } & EntryFilter,
): Promise<LedgerEntry[]> {
  const { accountId, kind, operation, limit, fromAtMs, before = NEWEST_ENTRY } = input;
  const owner = [lane(accountId), accountId];
  const words = storedWords(kind);
  if (operation === undefined && kind !== 'request') {
    const from = fromAtMs === undefined ? null : isoTime(fromAtMs);
    const values = [...owner, isoTime(before.atMs), before.id, from, limit];
    const rows = await (kind === undefined
      ? db.read<EntryRow>(LIST_ENTRIES, values)
      : db.read<EntryRow>(LIST_BY_KIND, [...values, plainArray(words)]));
    return rows.map(entryFromRow);
  }
  const rows = await markedEntries.read(db, {
    owner,
    before,
    fromAtMs,
    limit,
    filter: [operation ?? null, plainArray(words)],
    async keys() {
      if (operation !== undefined) return words.map((word) => [word, operation]);
      const operations = await markedEntries.lastKeys(db, [...owner, 'request']);
      return operations.map((one) => ['request', one]);
    },
  });
  return rows.map(entryFromRow);
}

export type DayUse = { on: string; operation: string; credits: number };

/** Credits spent by UTC day and operation. A refund reduces the day on which it was booked. */
const READ_DAILY_USE = heavyStatement(
  'read-daily-use',
  `select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as on,
          coalesce(operation, ${SHOWN_KIND}) as operation,
          -sum(credits)::bigint as credits
     from ledger_entries
    where lane = $1 and account_id = $2 and at >= $3 and at < $4
      and kind in ${kindList(SPENDING_KINDS)}
    group by 1, 2 order by 1, 2`,
);

export async function readDailyUse(
  db: Database,
  input: { accountId: string; fromAtMs: number; toAtMs: number },
): Promise<DayUse[]> {
  const rows = await db.read<DayUse>(READ_DAILY_USE, [
    lane(input.accountId),
    input.accountId,
    isoTime(input.fromAtMs),
    isoTime(input.toAtMs),
  ]);
  return rows.map(({ on, operation, credits }) => ({ on, operation, credits }));
}

/** Credits spent on each product, the most expensive first. */
const READ_PRODUCT_COSTS = heavyStatement(
  'read-product-costs',
  `select retailer_product_code as code, -sum(credits)::bigint as credits from ledger_entries
    where lane = $1 and account_id = $2 and at >= $3 and at < $4
      and kind in ${kindList(SPENDING_KINDS)} and retailer_product_code is not null
    group by 1 order by 2 desc, 1 limit $5`,
);

export function readProductCosts(
  db: Database,
  span: { accountId: string; fromAtMs: number; toAtMs: number; limit: number },
): Promise<{ code: string; credits: number }[]> {
  const [from, to] = [isoTime(span.fromAtMs), isoTime(span.toAtMs)];
  return db.read(READ_PRODUCT_COSTS, [lane(span.accountId), span.accountId, from, to, span.limit]);
}

/** What was charged for a product, less refunds, by the index of migration 99. */
const PAID_FOR_PRODUCT = statement(
  'paid-for-product',
  `select coalesce(-sum(credits), 0)::bigint as credits from ledger_entries
    where lane = $1 and account_id = $2 and retailer_product_code = $3 and at >= $4 and at < $5
      and operation = any($6::text[])
      and (operation like '%-history' or operation like 'chart-%' or operation = 'stats')`,
);

export async function readPaidForProduct(
  db: Database,
  input: {
    accountId: string;
    productCode: string;
    operations: readonly string[];
    fromAtMs: number;
    toAtMs: number;
  },
): Promise<number> {
  const [row] = await db.read<{ credits: number }>(PAID_FOR_PRODUCT, [
    lane(input.accountId),
    input.accountId,
    input.productCode,
    isoTime(input.fromAtMs),
    isoTime(input.toAtMs),
    plainArray(input.operations),
  ]);
  return row?.credits ?? 0;
}
