// Fans outbox rows out to accounts. One transaction on the account's side charges the day, records
// the events and their deliveries, or suspends the product when the day cannot be paid.
import type { HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import type { Signal } from '../background/signal.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { blameFor } from '../database/blame.ts';
import type { Transaction } from '../database/database.ts';
import { cutByGroup, type GroupTurn, rotationOf } from '../database/lane-groups.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import { chargeDays } from './charge-tracking.ts';
import { claimOutboxRows, deleteOutboxRows, hasOutboxRows } from './outbox.ts';
import type { OutboxRow } from './outbox-row.ts';
import { FAN_OUT, quarantineOutboxRow } from './quarantine-outbox-row.ts';
import { refundDay } from './refund-days.ts';
import { reverseUnpaid, sinceFirstUnpaid } from './reverse-unpaid.ts';
import { dayOf } from './slot.ts';
import { setSuspended } from './tracked-products.ts';

const ROWS_PER_ROUND = 200;
const REST_MAX_MS = 100;
/**
 * How long a round waits for the first locked account, and for each further one. The transaction on
 * the product's side stays open meanwhile, so the sum must stay below its idle timeout.
 */
const LOCK_WAIT_MS = { first: 250, further: 20 };

export type FanOutDeps = BookingDeps & {
  /** Records the events of rows and their deliveries, in the account's transaction. */
  recordNotifications: (
    tx: Transaction,
    rows: readonly OutboxRow[],
    nowMs: number,
  ) => Promise<void>;
  /** The partitions of events and deliveries. */
  webhookMonths: PartitionKeeper;
  /** Raised when products were suspended. */
  pendingSignal?: Signal;
  /** Accounts that were locked. They are not claimed for a while, so that they fill no batch. */
  heldAccounts?: HoldOff;
};

/**
 * Fans out one batch; returns the number of rows. The rows stay locked on the product's side while
 * the account's side commits first. After a crash in between, the rows are processed again, find
 * the day paid and the events recorded, and change nothing.
 */
export async function fanOut(deps: FanOutDeps): Promise<number> {
  await deps.webhookMonths.ready(deps.clock.nowMs());
  const startedMs = monotonicMs();
  let suspended = 0;
  const done = await rotationOf(deps.db, FAN_OUT)(ROWS_PER_ROUND, async (turn) => {
    const isEmpty = deps.db.groups.count() > 1 && !(await hasOutboxRows(deps.db, turn.lanes));
    if (isEmpty) return [];
    const batch = await fanOutBatch(deps, turn);
    suspended += batch.suspended;
    return batch.rows;
  });
  const rowCount = done.length;
  // The sync-watchers loop updates the product's side. Done here one by one, 200 took 2.2 s and
  // blocked all other rows.
  if (suspended > 0) deps.pendingSignal?.raise();
  // During a backlog, as at midnight, half of the time is left to requests. Without this their p99
  // was 3.7 times its quiet value while 100,000 days were booked.
  if (rowCount === ROWS_PER_ROUND) {
    await sleepMs(Math.min(monotonicMs() - startedMs, REST_MAX_MS));
  }
  return rowCount;
}

/** The state of one round. */
type Round = {
  deps: FanOutDeps;
  tx: Transaction;
  suspended: number;
  /** Accounts that another session has locked; the round skips their other rows. */
  busyAccounts: Set<string>;
  /** Rows that are neither charged nor notified; their watchers are reverted. */
  reversed: OutboxRow[];
};

type FannedOut = { rows: readonly OutboxRow[]; suspended: number };

/** The rows of one group of products. */
function fanOutBatch(deps: FanOutDeps, { lanes, limit }: GroupTurn): Promise<FannedOut> {
  return withLockTimeout(deps.db, LOCK_WAIT_MS.first).transaction(async (tx) => {
    const rows = await claimOutboxRows(tx, {
      lanes,
      limit,
      exceptAccounts: deps.heldAccounts?.keys() ?? [],
    });
    if (rows.length === 0) return { rows: [], suspended: 0 };
    const round: Round = { deps, tx, suspended: 0, busyAccounts: new Set(), reversed: [] };
    const notified = await fanOutChanges(
      round,
      rows.filter(({ kind }) => kind !== 'return'),
    );
    const refunded = await fanOutRefunds(
      round,
      rows.filter(({ kind }) => kind === 'return'),
    );
    const finished = await finishRows(round, [...notified, ...refunded]);
    deps.heldAccounts?.add(round.busyAccounts);
    return { rows: finished, suspended: round.suspended };
  });
}

const keyOf = ({ code, accountId }: OutboxRow) => `${code}/${accountId}`;

/**
 * Charges and notifies; returns the rows that the account's side has committed. The rows of one
 * tracked product stay together: its first day that cannot be paid decides about everything served
 * after it.
 */
async function fanOutChanges(round: Round, rows: readonly OutboxRow[]): Promise<OutboxRow[]> {
  const groups = [...Map.groupBy(rows, ({ trackedId }) => trackedId).values()];
  const parts = cutByGroup(round.deps.db, groups, (group) => (group[0] as OutboxRow).accountId);
  const finished: OutboxRow[] = [];
  let failures = 0;
  // One after the other: they share the transaction on the product's side.
  for (const part of parts) {
    try {
      finished.push(...(await fanOutPart(round, part)));
    } catch (error) {
      failures += 1;
      if (failures === parts.length) throw error;
      // The shard of these accounts cannot be reached: their rows must not fill every batch.
      round.deps.log.warn({ loop: FAN_OUT, reason: String(error) }, 'accounts held for a while');
      for (const { accountId } of part.flat()) round.busyAccounts.add(accountId);
    }
  }
  return finished;
}

/** The same for accounts of one lane group. */
async function fanOutPart(
  round: Round,
  groups: readonly (readonly OutboxRow[])[],
): Promise<OutboxRow[]> {
  const fannedOutSingly: OutboxRow[] = [];
  const { done } = await isolate(groups, {
    loop: FAN_OUT,
    log: round.deps.log,
    keyOf: (group) => keyOf(group[0] as OutboxRow),
    run: (batch) => chargeAndNotify(round, batch.flat()),
    setAside: async (group, reason) => {
      const onlyRow = group.length === 1 ? group[0] : undefined;
      if (onlyRow !== undefined) return setRowAside(round, onlyRow, reason);
      fannedOutSingly.push(...(await fanOutOneByOne(round, group)));
      return 'opened';
    },
  });
  return [...done.flat(), ...fannedOutSingly];
}

/** For a product with a failing row: quarantines that row and fans out the others. */
async function fanOutOneByOne(round: Round, group: readonly OutboxRow[]): Promise<OutboxRow[]> {
  const finished: OutboxRow[] = [];
  for (const row of group) {
    // Rows after an unpaid one are reversed with it.
    if (round.reversed.some(({ trackedId }) => trackedId === row.trackedId)) {
      round.reversed.push(row);
      finished.push(row);
      continue;
    }
    const { done } = await isolate([row], {
      loop: FAN_OUT,
      log: round.deps.log,
      keyOf,
      run: (batch) => chargeAndNotify(round, batch),
      setAside: (failing, reason) => setRowAside(round, failing, reason),
    });
    finished.push(...done);
  }
  return finished;
}

async function fanOutRefunds(round: Round, rows: readonly OutboxRow[]): Promise<OutboxRow[]> {
  const finished: OutboxRow[] = [];
  for (const row of rows) {
    const { done } = await isolate([row], {
      loop: FAN_OUT,
      log: round.deps.log,
      keyOf,
      run: () => onAccount(round, [row], (deps) => refundDay(deps, row)),
      setAside: (failing, reason) => setRowAside(round, failing, reason),
    });
    finished.push(...done);
  }
  return finished;
}

const setRowAside = (round: Round, row: OutboxRow, reason: string) =>
  inSavepoint(round.tx, () =>
    quarantineOutboxRow(round.tx, { row, reason, atMs: round.deps.clock.nowMs() }),
  );

/** Runs work under the locks of accounts. Does not wait again for an account known to be locked. */
async function onAccount<T>(
  { deps, busyAccounts }: Round,
  rows: readonly OutboxRow[],
  work: (deps: FanOutDeps) => Promise<T>,
): Promise<T> {
  if (rows.some(({ accountId }) => busyAccounts.has(accountId))) throw new AccountBusy();
  const waitMs = busyAccounts.size === 0 ? LOCK_WAIT_MS.first : LOCK_WAIT_MS.further;
  try {
    return await work({ ...deps, db: withLockTimeout(deps.db, waitMs) });
  } catch (error) {
    const accountIds = new Set(rows.map(({ accountId }) => accountId));
    if (blameFor(error) === 'busy' && accountIds.size === 1) {
      for (const accountId of accountIds) busyAccounts.add(accountId);
    }
    throw error;
  }
}

/** Has the code of a lock timeout (lock_not_available), so that it is handled like one. */
class AccountBusy extends Error {
  readonly code = '55P03';
  constructor() {
    super('the account is locked by another session');
  }
}

async function chargeAndNotify(round: Round, rows: readonly OutboxRow[]): Promise<void> {
  // A day before yesterday was not served in time and is not charged any more.
  const oldestDay = dayOf(round.deps.clock.nowMs()) - 1;
  const charged = rows.filter(({ kind, day }) => kind === 'served' && day >= oldestDay);
  let suspended = 0;
  let reversed: OutboxRow[] = [];
  await onAccount(round, rows, (deps) =>
    chargeDays(
      deps,
      charged,
      async (tx, outcomes, closedIds) => {
        const unpaid = charged.filter((_, index) => !outcomes[index]?.paid);
        // A closed account keeps its tracked products unchanged until it is reopened: nothing is
        // suspended, charged or notified.
        const ofClosed = rows.filter(({ accountId }) => closedIds.has(accountId));
        const ofOpen = unpaid.filter(({ accountId }) => !closedIds.has(accountId));
        suspended = (await setSuspended(tx, ofOpen, true)).length;
        reversed = sinceFirstUnpaid(rows, [...unpaid, ...ofClosed]);
        const skipped = new Set(reversed);
        await deps.recordNotifications(
          tx,
          rows.filter((row) => !skipped.has(row)),
          deps.clock.nowMs(),
        );
      },
      rows.map(({ accountId }) => accountId),
    ),
  );
  round.suspended += suspended;
  round.reversed.push(...reversed);
}

/** Finishes the product's side: reverts watchers and deletes rows. Returns the finished rows. */
async function finishRows(round: Round, rows: readonly OutboxRow[]): Promise<OutboxRow[]> {
  const { tx, deps } = round;
  const reversed = new Set(round.reversed);
  const groups = [...Map.groupBy(rows, ({ trackedId }) => trackedId).values()];
  const { done, left } = await isolate(groups, {
    loop: FAN_OUT,
    log: deps.log,
    keyOf: (group) => keyOf(group[0] as OutboxRow),
    run: (batch) =>
      inSavepoint(tx, async () => {
        const batchRows = batch.flat();
        await reverseUnpaid(
          tx,
          batchRows.filter((row) => reversed.has(row)),
        );
        await deleteOutboxRows(tx, batchRows);
      }),
    setAside: async (group, reason) => {
      for (const row of group) await setRowAside(round, row, reason);
    },
  });
  // These rows are claimed again and change nothing on the account's side, but they must not fill
  // every batch until then.
  for (const { accountId } of left.flat()) round.busyAccounts.add(accountId);
  return done.flat();
}
