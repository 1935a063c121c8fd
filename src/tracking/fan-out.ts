// Fan-out: what observations left for accounts becomes the day's charge, events and deliveries, in one transaction of
// the account's side; or a suspension where the day cannot be paid; or a day given back.
import type { HoldOff } from '../background/hold-off.ts';
import { isolate } from '../background/isolate.ts';
import type { Signal } from '../background/signal.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { blameFor } from '../database/blame.ts';
import type { Transaction } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import { chargeDays } from './charge-tracking.ts';
import { claimOutgoing, deleteOutgoing, type Outgoing } from './outgoing.ts';
import { FAN_OUT, quarantineOutgoing } from './quarantine-outgoing.ts';
import { refundDay } from './refund-days.ts';
import { sinceFirstUnpaid, takeBackUnpaid } from './reverse-unpaid.ts';
import { dayOf } from './slot.ts';
import { setSuspended } from './tracked-products.ts';

const AT_ONCE = 200;
const REST_MAX_MS = 100;
/**
 * How long the first account that somebody keeps locked is waited for, and each further one of the round. The product's
 * side stands open meanwhile: all of them together must stay within its idle limit.
 */
const LOCK_WAIT_MS = { first: 250, further: 20 };

export type FanOutDeps = BookingDeps & {
  /** Records the events of rows and their deliveries, in the account's transaction. */
  recordNotifications: (tx: Transaction, rows: readonly Outgoing[], now: number) => Promise<void>;
  /** Of events and deliveries. */
  webhookMonths: PartitionKeeper;
  /** Raised when products were suspended. */
  pendingSignal?: Signal;
  /** Accounts whose rows were locked: claimed again after a while, so that they fill no batch. */
  heldAccounts?: HoldOff;
};

/**
 * Carries some over; returns how many. The product's side is held meanwhile, the account's side committed first:
 * after a crash in between they come again, find the day paid and the events written, and change nothing.
 */
export async function fanOut(deps: FanOutDeps): Promise<number> {
  await deps.webhookMonths.ready(deps.clock.nowMs());
  const startedMs = monotonicMs();
  const { carried, suspended } = await carrySome(deps);
  // The loop for pending ones tells the product's side: one by one it kept all others waiting, 2.2 s for 200.
  if (suspended > 0) deps.pendingSignal?.raise();
  // A backlog, as at midnight: half of the time is left to those who ask meanwhile. Without this the p99 of their
  // requests was 3.7 times its quiet value while 100,000 days were booked.
  if (carried === AT_ONCE) await sleepMs(Math.min(monotonicMs() - startedMs, REST_MAX_MS));
  return carried;
}

/** What a round has come to so far. */
type Round = {
  deps: FanOutDeps;
  tx: Transaction;
  suspended: number;
  /** Accounts that somebody keeps locked; their other rows are not tried in this round. */
  busyAccounts: Set<string>;
  /** Rows that are neither paid nor told: their watchers are taken back. */
  takenBack: Outgoing[];
};

function carrySome(deps: FanOutDeps): Promise<{ carried: number; suspended: number }> {
  return withLockTimeout(deps.db, LOCK_WAIT_MS.first).transaction(async (tx) => {
    const rows = await claimOutgoing(tx, {
      limit: AT_ONCE,
      exceptAccounts: deps.heldAccounts?.keys() ?? [],
    });
    if (rows.length === 0) return { carried: 0, suspended: 0 };
    const round: Round = { deps, tx, suspended: 0, busyAccounts: new Set(), takenBack: [] };
    const told = rows.filter(({ kind }) => kind !== 'return');
    const served = await fanOutChanges(round, told);
    const returned = await carryReturns(
      round,
      rows.filter(({ kind }) => kind === 'return'),
    );
    const carried = await finishRows(round, [...served, ...returned]);
    deps.heldAccounts?.add(round.busyAccounts);
    return { carried, suspended: round.suspended };
  });
}

const keyOf = ({ code, accountId }: Outgoing) => `${code}/${accountId}`;

/**
 * Charges and tells; returns the rows that the account's side has. The rows of one tracked product stay together: the
 * first day that cannot be paid decides about all that was served after it.
 */
async function fanOutChanges(round: Round, rows: readonly Outgoing[]): Promise<Outgoing[]> {
  const groups = [...Map.groupBy(rows, ({ trackedId }) => trackedId).values()];
  const further: Outgoing[] = [];
  const { done } = await isolate(groups, {
    ...{ loop: FAN_OUT, log: round.deps.log },
    keyOf: (group) => keyOf(group[0] as Outgoing),
    run: (batch) => chargeAndNotify(round, batch.flat()),
    setAside: async (group, reason) => {
      const only = group.length === 1 ? group[0] : undefined;
      if (only !== undefined) return setRowAside(round, only, reason);
      further.push(...(await carryOneByOne(round, group)));
      return 'opened';
    },
  });
  return [...done.flat(), ...further];
}

/** Of a product one of whose rows fails: that row is set aside, those before and after it are carried over. */
async function carryOneByOne(round: Round, group: readonly Outgoing[]): Promise<Outgoing[]> {
  const carried: Outgoing[] = [];
  for (const row of group) {
    // Once one could not be paid, the later ones are taken back with it.
    if (round.takenBack.some(({ trackedId }) => trackedId === row.trackedId)) {
      round.takenBack.push(row);
      carried.push(row);
      continue;
    }
    const { done } = await isolate([row], {
      ...{ loop: FAN_OUT, log: round.deps.log, keyOf },
      run: (batch) => chargeAndNotify(round, batch),
      setAside: (one, reason) => setRowAside(round, one, reason),
    });
    carried.push(...done);
  }
  return carried;
}

async function carryReturns(round: Round, rows: readonly Outgoing[]): Promise<Outgoing[]> {
  const carried: Outgoing[] = [];
  for (const row of rows) {
    const { done } = await isolate([row], {
      ...{ loop: FAN_OUT, log: round.deps.log, keyOf },
      run: () => onAccount(round, [row], (deps) => refundDay(deps, row)),
      setAside: (one, reason) => setRowAside(round, one, reason),
    });
    carried.push(...done);
  }
  return carried;
}

const setRowAside = (round: Round, row: Outgoing, reason: string) =>
  inSavepoint(round.tx, () =>
    quarantineOutgoing(round.tx, { row, reason, atMs: round.deps.clock.nowMs() }),
  );

/** Work under the locks of accounts: who is known to be locked is not waited for again. */
async function onAccount<T>(
  { deps, busyAccounts }: Round,
  rows: readonly Outgoing[],
  work: (deps: FanOutDeps) => Promise<T>,
): Promise<T> {
  if (rows.some(({ accountId }) => busyAccounts.has(accountId))) throw new AccountBusy();
  const waitMs = busyAccounts.size === 0 ? LOCK_WAIT_MS.first : LOCK_WAIT_MS.further;
  try {
    return await work({ ...deps, db: withLockTimeout(deps.db, waitMs) });
  } catch (error) {
    const accounts = new Set(rows.map(({ accountId }) => accountId));
    if (blameFor(error) === 'busy' && accounts.size === 1) {
      for (const accountId of accounts) busyAccounts.add(accountId);
    }
    throw error;
  }
}

/** As if the lock had been waited for: lock_not_available. */
class AccountBusy extends Error {
  readonly code = '55P03';
  constructor() {
    super('the account is locked by another session');
  }
}

async function chargeAndNotify(round: Round, rows: readonly Outgoing[]): Promise<void> {
  // A day that is over for long was not served to anybody in time: it is not charged any more.
  const oldest = dayOf(round.deps.clock.nowMs()) - 1;
  const charged = rows.filter(({ kind, day }) => kind === 'served' && day >= oldest);
  let suspended = 0;
  let takenBack: Outgoing[] = [];
  await onAccount(round, rows, (deps) =>
    chargeDays(
      deps,
      charged,
      async (tx, outcomes, closed) => {
        const unpaid = charged.filter((_, index) => !outcomes[index]?.paid);
        // What a closed account tracks is as before when it is reopened: nothing is suspended, charged or notified.
        const ofClosed = rows.filter(({ accountId }) => closed.has(accountId));
        const poor = unpaid.filter(({ accountId }) => !closed.has(accountId));
        suspended = (await setSuspended(tx, poor, true)).length;
        takenBack = sinceFirstUnpaid(rows, [...unpaid, ...ofClosed]);
        const untold = new Set(takenBack);
        await deps.recordNotifications(
          tx,
          rows.filter((row) => !untold.has(row)),
          deps.clock.nowMs(),
        );
      },
      rows.map(({ accountId }) => accountId),
    ),
  );
  round.suspended += suspended;
  round.takenBack.push(...takenBack);
}

/** The product's side of what the account's side has: watchers taken back, rows deleted. Returns how many rows. */
async function finishRows(round: Round, rows: readonly Outgoing[]): Promise<number> {
  const { tx, deps } = round;
  const takenBack = new Set(round.takenBack);
  const groups = [...Map.groupBy(rows, ({ trackedId }) => trackedId).values()];
  const { done, left } = await isolate(groups, {
    ...{ loop: FAN_OUT, log: deps.log },
    keyOf: (group) => keyOf(group[0] as Outgoing),
    run: (batch) =>
      inSavepoint(tx, async () => {
        const own = batch.flat();
        await takeBackUnpaid(
          tx,
          own.filter((row) => takenBack.has(row)),
        );
        await deleteOutgoing(tx, own);
      }),
    setAside: async (group, reason) => {
      for (const row of group) await setRowAside(round, row, reason);
    },
  });
  // They come again and change nothing on the account's side, but must not fill every batch meanwhile.
  for (const { accountId } of left.flat()) round.busyAccounts.add(accountId);
  return done.flat().length;
}
