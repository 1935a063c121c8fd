// Books under row locks: locks balances, settles entries against them, and writes what changed. All
// code that changes a balance goes through here, except the fast path (`chargeWhatFits`).
import type { Transaction } from '../database/database.ts';
import { insertEntries, lockBalances, lockFreeBalances, updateBalances } from './ledger.ts';
import { type Balance, type LedgerEntry, type Settlement, settle } from './settlement.ts';

/**
 * What to do about a balance that another session has locked: skip it, or wait up to `waitMs` and
 * then fail. Without a mode, the lock timeout of the connection applies.
 */
export type LockMode = 'skip' | { waitMs: number };

export type LockedBalances = {
  /** Balances by account id, including changes made here. An account without a plan has none. */
  readonly balances: ReadonlyMap<string, Balance>;
  /** Accounts that were skipped because another session has locked their balance. */
  readonly held: ReadonlySet<string>;
  /** Applies entries of one account, and a refresh that is due, to its balance. */
  settle(
    balance: Balance,
    entries: readonly LedgerEntry[],
    context: { nowMs: number; alreadyBooked: ReadonlyMap<string, number> },
  ): Settlement;
  /** Replaces a balance and adds the entries that explain the change. */
  replace(balance: Balance, newEntries: readonly LedgerEntry[]): void;
};

/**
 * Locks the balances in ascending key order, runs `work`, then writes the changed balances and the
 * new entries in the same transaction. `work` reads the ledger after the locks are held: under READ
 * COMMITTED one statement could show the new balance but not the new entry of a concurrent commit.
 */
export async function withBalances<Result>(
  tx: Transaction,
  input: {
    accountIds: readonly string[];
    monthlyCreditsOf: (plan: string) => number;
    lock?: LockMode | undefined;
  },
  work: (locked: LockedBalances) => Promise<Result>,
): Promise<Result> {
  const { balances, held } = await lock(tx, input.accountIds, input.lock);
  const changed = new Map<string, Balance>();
  const newEntries: LedgerEntry[] = [];
  const replace = (balance: Balance, entries: readonly LedgerEntry[]) => {
    balances.set(balance.accountId, balance);
    changed.set(balance.accountId, balance);
    newEntries.push(...entries);
  };
  const result = await work({
    balances,
    held,
    settle(balance, entries, context) {
      const { monthlyCreditsOf } = input;
      const settled = settle(balance, entries, { ...context, monthlyCreditsOf });
      if (settled.newEntries.length > 0) replace(settled.balance, settled.newEntries);
      return settled;
    },
    replace,
  });
  await updateBalances(tx, [...changed.values()]);
  await insertEntries(tx, newEntries);
  return result;
}

async function lock(
  tx: Transaction,
  accountIds: readonly string[],
  mode: LockMode | undefined,
): Promise<{ balances: Map<string, Balance>; held: ReadonlySet<string> }> {
  if (mode === 'skip') return lockFreeBalances(tx, accountIds);
  if (mode !== undefined) await limitLockWait(tx, mode.waitMs);
  return { balances: await lockBalances(tx, accountIds), held: new Set() };
}

/** Sets how long the rest of the transaction waits for a lock before it fails. */
async function limitLockWait(tx: Transaction, waitMs: number): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [String(waitMs)]);
}
