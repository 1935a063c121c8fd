// Booking for accounts whose balance somebody else holds: each by itself and in its own order, on few connections, so
// that it can wait for its lock without holding up anybody else.
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

export type HeldBooking = {
  isEmpty(): boolean;
  /** Whether entries of this account must wait behind others. */
  has(accountId: string): boolean;
  /** Books the entry when the balance is free; in doubt, the ledger is asked first. */
  add(entry: LedgerEntry, inDoubt: boolean): Promise<ChargeOutcome>;
  /** The balance, brought up to date; one transaction however many ask. */
  refresh(accountId: string): Promise<Balance | undefined>;
  waiting(): number;
  /** Resolves when nothing waits any more. */
  drain(): Promise<void>;
};

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
  /** How often its lock was waited for in vain. */
  tries: number;
  isUnderWay: boolean;
  /** How many of its entries are being booked. */
  taken: number;
};

/** The first waits are short, so that an account that was held for a moment is not kept by one that stays so. */
const LOCK_WAITS_MS = [20, 50, 100, 250];

export function createHeldBooking(deps: BookingDeps, onUnresolved: OnUnresolved): HeldBooking {
  const jobs = new Map<string, Job>();
  let lanes = 0;
  let drained: (() => void)[] = [];

  const jobOf = (accountId: string): Job => {
    const known = jobs.get(accountId);
    if (known !== undefined) return known;
    const job: Job = {
      accountId,
      entries: [],
      refreshes: [],
      tries: 0,
      isUnderWay: false,
      taken: 0,
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
        job.isUnderWay = true;
        await runJob(deps, job, onUnresolved);
        job.isUnderWay = false;
        if (job.entries.length + job.refreshes.length === 0) jobs.delete(job.accountId);
      }
    } finally {
      lanes -= 1;
      if (jobs.size === 0) for (const resolve of drained.splice(0)) resolve();
    }
  };

  return {
    isEmpty: () => jobs.size === 0,
    has: (accountId) => jobs.has(accountId),
    add: (entry, inDoubt) =>
      addTo<ChargeOutcome>(entry.accountId, (job, waiting) =>
        job.entries.push({ ...waiting, entry, inDoubt }),
      ),
    refresh: (accountId) =>
      addTo<Balance | undefined>(accountId, (job, waiting) => job.refreshes.push(waiting)),
    waiting: () => [...jobs.values()].reduce((sum, job) => sum + job.entries.length + job.taken, 0),
    drain: () =>
      new Promise((resolve) => {
        if (jobs.size === 0) resolve();
        else drained = [...drained, resolve];
      }),
  };
}

/** What was tried least: whoever is held only for a moment comes before those that stay so. */
function nextOf(jobs: ReadonlyMap<string, Job>): Job | undefined {
  let next: Job | undefined;
  for (const job of jobs.values()) {
    if (!job.isUnderWay && (next === undefined || job.tries < next.tries)) next = job;
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
  // In order: those in doubt came first, since what is in doubt is never followed by what was booked.
  const isFirstInDoubt = job.entries[0]?.inDoubt === true;
  const end = job.entries.findIndex(({ inDoubt }) => inDoubt !== isFirstInDoubt);
  const taken = job.entries.splice(
    0,
    Math.min(end < 0 ? Infinity : end, bounds.chargesPerBatchMax),
  );
  if (taken.length === 0) return;
  const entries = taken.map(({ entry }) => entry);
  job.taken = entries.length;
  const bookings = isFirstInDoubt
    ? await resolveDoubt(deps, entries, context)
    : await bookTogether(deps, entries, context).catch((error) => failAll(entries, error));
  const still = settle(taken, bookings);
  job.taken = 0;
  job.entries.unshift(...still);
  job.tries = still.length === 0 ? 0 : job.tries + 1;
  await giveUpOld(deps, job, onUnresolved);
}

const failAll = (entries: readonly LedgerEntry[], error: unknown): Booking[] =>
  entries.map(() => new Failed(error));

/** Hands out what is decided; returns those that still wait. */
function settle(taken: readonly WaitingEntry[], bookings: readonly Booking[]): WaitingEntry[] {
  return taken.flatMap((waiting, index) => {
    const booking = bookings[index] as Booking;
    if (booking instanceof Held) {
      return [{ ...waiting, inDoubt: waiting.inDoubt || booking.inDoubt }];
    }
    if (booking instanceof Failed) waiting.reject(booking.error);
    else waiting.resolve(booking);
    return [];
  });
}

/** False when the balance is still held. */
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
  const gone = new Set([...lost, ...refused]);
  job.entries = job.entries.filter((one) => !gone.has(one));
  job.refreshes = job.refreshes.filter((one) => !isOld(one));
  if (lost.length === 0) return;
  await onUnresolved(lost.map(({ entry }) => entry));
  for (const { reject } of lost) reject(databaseAway(new Error('the balance stays locked')));
}

function accountHeld(): Problem {
  return new Problem(
    'account_busy',
    'Another operation holds the balance of this account. Nothing was charged; try again shortly.',
    { cause: new Error('the balance is locked by another session') },
  );
}
