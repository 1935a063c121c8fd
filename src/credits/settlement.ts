// The rule of the ledger: what becomes of a balance when entries reach it, one after the other.
// Pure; the fast path of the ledger's SQL does the same for entries that all fit.
import { isoTime } from '../foundation/clock.ts';
import { idFrom } from '../foundation/id.ts';
import { periodAt } from './billing-period.ts';
import type { EntryKind } from './entry-kind.ts';

export type Balance = {
  accountId: string;
  plan: string;
  /** A smaller plan that begins with the next period. */
  nextPlan: string | null;
  allocation: number;
  granted: number;
  used: number;
  anchorAtMs: number;
  periodStartAtMs: number;
  periodEndAtMs: number;
  /** Time of the last entry or plan change. */
  updatedAtMs: number;
};

export type LedgerEntry = {
  accountId: string;
  id: string;
  atMs: number;
  kind: EntryKind;
  /** Negative when charged. */
  credits: number;
  operation: string | null;
  productCode: string | null;
  /** Unique for what is booked, so that a retry books once. */
  reference: string;
};

export type Outcome =
  | { booked: true; remaining: number }
  | { booked: false; required: number; remaining: number; refreshAtMs: number };

export function totalCredits(balance: Balance): number {
  return balance.allocation + balance.granted;
}

export function remainingCredits(balance: Balance): number {
  return totalCredits(balance) - balance.used;
}

/** The id of an entry that is made by something other than a request: always the same for it. */
export function entryId(accountId: string, reference: string): string {
  return idFrom('ledger', accountId, reference);
}

/** What a new period starts with. Refill replaces: what was left, and grants, lapse. */
export function startPeriod(
  balance: Balance,
  period: { anchorAtMs: number; startAtMs: number; endAtMs: number },
  plan: { name: string; monthlyCredits: number },
): { balance: Balance; entry: LedgerEntry } {
  const reference = `period:${isoTime(period.startAtMs)}`;
  return {
    balance: {
      ...balance,
      plan: plan.name,
      nextPlan: null,
      allocation: plan.monthlyCredits,
      granted: 0,
      used: 0,
      anchorAtMs: period.anchorAtMs,
      periodStartAtMs: period.startAtMs,
      periodEndAtMs: period.endAtMs,
      updatedAtMs: period.startAtMs,
    },
    entry: {
      accountId: balance.accountId,
      id: entryId(balance.accountId, reference),
      atMs: period.startAtMs,
      kind: 'refresh',
      credits: plan.monthlyCredits,
      operation: null,
      productCode: null,
      reference,
    },
  };
}

export type Settlement = {
  balance: Balance;
  /** What is new in the ledger: a refresh that was due, and the entries that fit. */
  newEntries: LedgerEntry[];
  /** One for each entry asked, in order. */
  outcomes: Outcome[];
};

/**
 * Decides entries in order, each as if it were alone. `alreadyBooked` holds the ids that the ledger
 * has: these are answered as booked and change nothing.
 */
export function settle(
  start: Balance,
  entries: readonly LedgerEntry[],
  context: {
    now: number;
    alreadyBooked: ReadonlyMap<string, number> | ReadonlySet<string>;
    monthlyCreditsOf: (plan: string) => number;
  },
): Settlement {
  let balance = start;
  const newEntries: LedgerEntry[] = [];
  const refreshWhenDue = (now: number) => {
    if (now < balance.periodEndAtMs) return;
    const plan = balance.nextPlan ?? balance.plan;
    const refreshed = startPeriod(
      balance,
      { anchorAtMs: balance.anchorAtMs, ...periodAt(balance.anchorAtMs, now) },
      { name: plan, monthlyCredits: context.monthlyCreditsOf(plan) },
    );
    balance = refreshed.balance;
    newEntries.push(refreshed.entry);
  };
  refreshWhenDue(context.now);
  const seen = new Set(context.alreadyBooked.keys());
  const outcomes = entries.map((entry): Outcome => {
    if (!seen.has(entry.id)) {
      // Made by a clock that is ahead of this one: the period it belongs to has begun.
      refreshWhenDue(entry.atMs);
      const booked = book(balance, entry);
      if (booked === null) {
        const remaining = remainingCredits(balance);
        return {
          booked: false,
          required: -entry.credits,
          remaining,
          refreshAtMs: balance.periodEndAtMs,
        };
      }
      balance = booked.balance;
      // What left no entry is not known to the ledger either: asked again, it is decided again.
      if (booked.entry !== null) {
        seen.add(entry.id);
        newEntries.push(booked.entry);
      }
    }
    return { booked: true, remaining: remainingCredits(balance) };
  });
  return { balance, newEntries, outcomes };
}

function book(
  balance: Balance,
  asked: LedgerEntry,
): { balance: Balance; entry: LedgerEntry | null } | null {
  // An entry belongs to the period whose balance it changes, also when its clock ran behind.
  const entry = { ...asked, atMs: Math.max(asked.atMs, balance.periodStartAtMs) };
  const next = { ...balance, updatedAtMs: Math.max(balance.updatedAtMs, entry.atMs) };
  switch (entry.kind) {
    case 'request':
    case 'tracking':
      next.used -= entry.credits;
      return next.used <= totalCredits(next) ? { balance: next, entry } : null;
    case 'refund': {
      // What was charged in an earlier period lapsed with it, and no return mints credits.
      if (asked.atMs < balance.periodStartAtMs) return { balance, entry: null };
      entry.credits = Math.min(entry.credits, balance.used);
      if (entry.credits === 0) return { balance, entry: null };
      next.used -= entry.credits;
      return { balance: next, entry };
    }
    case 'grant':
      next.granted += entry.credits;
      return { balance: next, entry };
    case 'refresh':
      throw new Error('impossible state: a refresh is made by the rule, not asked for');
  }
}
