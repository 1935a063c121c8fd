// Books for accounts whose balance another session has locked: each account alone and in order, on
// few connections, so that it can wait for its lock without delaying others.
import { Failed } from '../database/batch.ts';
import { databaseAway, isLockTimeout } from '../database/failure.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import {
  type Booking,
  type BookingDeps,
  bookOneByOne,
  bookTogether,
  type ChargeOutcome,
  Held,
  type OnUnresolved,
  resolveDoubt,
} from './book-entries.ts';
import type { Balance, LedgerEntry } from './settlement.ts';

type Waiting<Result> = {
  sinceMs: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
};
type WaitingEntry = Waiting<ChargeOutcome> & { entry: LedgerEntry; inDoubt: boolean };

type Job = {
  accountId: string;
  entries: WaitingEntry[];
  refreshes: Waiting<Balance | undefined>[];
  /** How often waiting for its lock has timed out. */
  tries: number;
  isRunning: boolean;
  /** How many of its entries are being booked. */
  inFlight: number;
};

/** The first waits are short, so that a long lock of one account does not delay a short one. */
const LOCK_WAITS_MS = [20, 50, 100, 250];

export function createHeldBooking(deps: BookingDeps, onUnresolved: OnUnresolved) {
  const jobs = new Map<string, Job>();
  let lanes = 0;
  let drained: (() => void)[] = [];

  const jobOf = (accountId: string): Job => {
    const existing = jobs.get(accountId);
    if (existing !== undefined) return existing;
    const job: Job = {
      accountId,
      entries: [],
      refreshes: [],
      tries: 0,
      isRunning: false,
      inFlight: 0,
    };
    jobs.set(accountId, job);
    return job;
  };

  const addTo = <Result>(
    accountId: string,
    push: (job: Job, waiting: Waiting<Result>) => void,
  ): Promise<Result> => {
    const job = jobOf(accountId);
    if (job.entries.length + job.refreshes.length >= bounds.heldPerAccountMax) {
      return Promise.reject(accountHeld());
    }
    return new Promise((resolve, reject) => {
      push(job, { sinceMs: monotonicMs(), resolve, reject });
      if (lanes < bounds.heldLanesMax) void lane();
    });
  };

  const lane = async () => {
    lanes += 1;
    try {
      for (let job = nextOf(jobs); job !== undefined; job = nextOf(jobs)) {
        job.isRunning = true;
        await runJob(deps, job, onUnresolved);
        job.isRunning = false;
        if (job.entries.length + job.refreshes.length === 0) jobs.delete(job.accountId);
      }
    } finally {
      lanes -= 1;
      if (jobs.size === 0) for (const resolve of drained.splice(0)) resolve();
    }
  };

  return {
    isEmpty: (): boolean => jobs.size === 0,
    /** Whether new entries of this account must wait behind others. */
    has: (accountId: string): boolean => jobs.has(accountId),
    /** Books the entry once the balance is free. In doubt, the ledger is searched first. */
    add: (entry: LedgerEntry, inDoubt: boolean): Promise<ChargeOutcome> =>
      addTo<ChargeOutcome>(entry.accountId, (job, waiting) =>
        job.entries.push({ ...waiting, entry, inDoubt }),
      ),
    /** Returns the refreshed balance; concurrent calls share one transaction. */
    refresh: (accountId: string): Promise<Balance | undefined> =>
      addTo<Balance | undefined>(accountId, (job, waiting) => job.refreshes.push(waiting)),
    waiting: (): number =>
      [...jobs.values()].reduce((sum, job) => sum + job.entries.length + job.inFlight, 0),
    /** Resolves when nothing waits any more. */
    drain: (): Promise<void> =>
      new Promise((resolve) => {
        if (jobs.size === 0) resolve();
        else drained = [...drained, resolve];
      }),
  };
}

/** The job with the fewest tries: a briefly locked account goes before a long locked one. */
function nextOf(jobs: ReadonlyMap<string, Job>): Job | undefined {
  let next: Job | undefined;
  for (const job of jobs.values()) {
    if (!job.isRunning && (next === undefined || job.tries < next.tries)) next = job;
  }
  return next;
}

async function runJob(deps: BookingDeps, job: Job, onUnresolved: OnUnresolved): Promise<void> {
  const waitMs = LOCK_WAITS_MS[Math.min(job.tries, LOCK_WAITS_MS.length - 1)] as number;
  const context = { onUnresolved, waitMs };
  if (!(await refreshSome(deps, job, waitMs))) {
    job.tries += 1;
    await giveUpOld(deps, job, onUnresolved);
    return;
  }
  // In order. Entries in doubt always come before entries that were never sent.
  const isFirstInDoubt = job.entries[0]?.inDoubt === true;
  const end = job.entries.findIndex(({ inDoubt }) => inDoubt !== isFirstInDoubt);
  const batch = job.entries.splice(
    0,
    Math.min(end < 0 ? Infinity : end, bounds.chargesPerBatchMax),
  );
  if (batch.length === 0) return;
  const entries = batch.map(({ entry }) => entry);
  job.inFlight = entries.length;
  const bookings = isFirstInDoubt
    ? await resolveDoubt(deps, entries, context)
    : await bookTogether(deps, entries, context).catch((error) => failAll(entries, error));
  const stillHeld = resolveBooked(batch, bookings);
  job.inFlight = 0;
  job.entries.unshift(...stillHeld);
  job.tries = stillHeld.length === 0 ? 0 : job.tries + 1;
  await giveUpOld(deps, job, onUnresolved);
}

const failAll = (entries: readonly LedgerEntry[], error: unknown): Booking[] =>
  entries.map(() => new Failed(error));

/** Resolves or rejects decided entries; returns those that still wait. */
function resolveBooked(
  batch: readonly WaitingEntry[],
  bookings: readonly Booking[],
): WaitingEntry[] {
  return batch.flatMap((waiting, index) => {
    const booking = bookings[index] as Booking;
    if (booking instanceof Held) {
      return [{ ...waiting, inDoubt: waiting.inDoubt || booking.inDoubt }];
    }
    if (booking instanceof Failed) waiting.reject(booking.error);
    else waiting.resolve(booking);
    return [];
  });
}

/** Returns false if the balance is still locked. */
async function refreshSome(deps: BookingDeps, job: Job, waitMs: number): Promise<boolean> {
  if (job.refreshes.length === 0) return true;
  const options = { accountIds: [job.accountId], lock: { waitMs } };
  try {
    const { balances } = await bookOneByOne(deps, [], options);
    for (const { resolve } of job.refreshes.splice(0)) resolve(balances.get(job.accountId));
  } catch (error) {
    if (isLockTimeout(error)) return false;
    for (const { reject } of job.refreshes.splice(0)) reject(error);
  }
  return true;
}

async function giveUpOld(deps: BookingDeps, job: Job, onUnresolved: OnUnresolved): Promise<void> {
  const nowMs = monotonicMs();
  const unknownMaxMs = deps.unknownMaxMs ?? bounds.chargeUnknownMaxMs;
  const heldMaxMs = deps.heldMaxMs ?? bounds.chargeWaitMaxMs;
  const isOld = ({ sinceMs }: { sinceMs: number }) => nowMs - sinceMs > heldMaxMs;
  const isLost = ({ sinceMs, inDoubt }: WaitingEntry) => inDoubt && nowMs - sinceMs > unknownMaxMs;
  const lost = job.entries.filter(isLost);
  const refused = job.entries.filter((one) => !one.inDoubt && isOld(one));
  for (const { reject } of [...refused, ...job.refreshes.filter(isOld)]) reject(accountHeld());
  const expired = new Set([...lost, ...refused]);
  job.entries = job.entries.filter((one) => !expired.has(one));
  job.refreshes = job.refreshes.filter((one) => !isOld(one));
  if (lost.length === 0) return;
  await onUnresolved(lost.map(({ entry }) => entry));
  for (const { reject } of lost) reject(databaseAway(new Error('the balance is still locked')));
}

export function accountHeld(): Problem {
  return new Problem(
    'account_busy',
    'Another operation holds the balance of this account. Nothing was charged; try again shortly.',
    { cause: new Error('the balance is locked by another session') },
  );
}
