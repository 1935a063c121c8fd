// The rule of the ledger: how entries change a balance, one after the other. Pure. The fast path in
// ledger.ts does the same in SQL for charges that all fit.
import { isoTime } from '../foundation/clock.ts';
import { idFrom } from '../foundation/id.ts';
import { periodAt } from './billing-period.ts';
import type { EntryKind } from './entry-kind.ts';

export type Balance = {
  accountId: string;
  plan: string;
  /** A smaller plan that starts with the next period. */
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
  /** Unique per booking, so that a retry books once. */
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

/** A stable id for an entry that no request creates, such as a refresh. */
export function entryId(accountId: string, reference: string): string {
  return idFrom('ledger', accountId, reference);
}

/** Starts a period. Unused credits and grants of the old period expire. */
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
  /** Entries to add to the ledger: a refresh that was due, and the entries that fit. */
  newEntries: LedgerEntry[];
  /** One per entry, in order. */
  outcomes: Outcome[];
};

/**
 * Applies entries in order, each decided as if it came alone. `alreadyBooked` holds the ids that
 * the ledger has: these count as booked and change nothing.
 */
export function settle(
  start: Balance,
  entries: readonly LedgerEntry[],
  context: {
    nowMs: number;
    alreadyBooked: ReadonlyMap<string, number> | ReadonlySet<string>;
    monthlyCreditsOf: (plan: string) => number;
  },
): Settlement {
  let balance = start;
  const newEntries: LedgerEntry[] = [];
  const refreshWhenDue = (nowMs: number) => {
    if (nowMs < balance.periodEndAtMs) return;
    const plan = balance.nextPlan ?? balance.plan;
    const refreshed = startPeriod(
      balance,
      { anchorAtMs: balance.anchorAtMs, ...periodAt(balance.anchorAtMs, nowMs) },
      { name: plan, monthlyCredits: context.monthlyCreditsOf(plan) },
    );
    balance = refreshed.balance;
    newEntries.push(refreshed.entry);
  };
  refreshWhenDue(context.nowMs);
  const bookedIds = new Set(context.alreadyBooked.keys());
  const outcomes = entries.map((entry): Outcome => {
    if (!bookedIds.has(entry.id)) {
      // The entry may come from a clock ahead of this one, in which its period has started.
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
      // A refund of nothing leaves no entry, so a repetition is decided again.
      if (booked.entry !== null) {
        bookedIds.add(entry.id);
        newEntries.push(booked.entry);
      }
    }
    return { booked: true, remaining: remainingCredits(balance) };
  });
  return { balance, newEntries, outcomes };
}

function book(
  balance: Balance,
  input: LedgerEntry,
): { balance: Balance; entry: LedgerEntry | null } | null {
  // An entry belongs to the period whose balance it changes, even if its clock was behind.
  const entry = { ...input, atMs: Math.max(input.atMs, balance.periodStartAtMs) };
  const next = { ...balance, updatedAtMs: Math.max(balance.updatedAtMs, entry.atMs) };
  switch (entry.kind) {
    case 'request':
    case 'tracking':
      next.used -= entry.credits;
      return next.used <= totalCredits(next) ? { balance: next, entry } : null;
    case 'refund': {
      // Credits of an earlier period have expired, and a refund never creates credits.
      if (input.atMs < balance.periodStartAtMs) return { balance, entry: null };
      entry.credits = Math.min(entry.credits, balance.used);
      if (entry.credits === 0) return { balance, entry: null };
      next.used -= entry.credits;
      return { balance: next, entry };
    }
    case 'grant':
      next.granted += entry.credits;
      return { balance: next, entry };
    case 'refresh':
      throw new Error('impossible state: a refresh cannot be booked, only settle() creates one');
  }
}
