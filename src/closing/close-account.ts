// Closes and reopens an account, and requests or cancels its deletion. One row says whether an
// account is closed; keys, charges, deliveries and collection check it. Further consequences are
// applied in batches, and a loop repeats them after a crash.
import {
  type Account,
  closedAmong,
  findAccount,
  listSettling,
  lockedAccount,
  noteSettled,
  writeClosure,
} from '../accounts/accounts.ts';
import { endSessions } from '../accounts/people.ts';
import { lockBalances } from '../credits/ledger.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { DAY_MS } from '../foundation/time.ts';
import { markSomePending } from '../tracking/pending-products.ts';
import { syncWatchers } from '../tracking/sync-watchers.ts';
import { lockAll, setNextDue } from '../webhooks/health-records.ts';

export type ClosingDeps = { db: Database; clock: Clock };

export const WAITING_DAYS = 30;
const PART = 200;
const ACCOUNTS_AT_ONCE = 50;

type Closure = Pick<Account, 'closedAtMs' | 'closedBy' | 'deleteAtMs'>;

/**
 * Closes by the operator. The owner of an account that waits for its deletion can no longer restore
 * it.
 */
export function closeAccount(deps: ClosingDeps, accountId: string): Promise<Account> {
  return change(deps, accountId, ({ closedAtMs, deleteAtMs }) => ({
    closedAtMs: closedAtMs ?? deps.clock.nowMs(),
    closedBy: 'operator',
    deleteAtMs,
  }));
}

export function reopenAccount(deps: ClosingDeps, accountId: string): Promise<Account> {
  return change(deps, accountId, ({ deleteAtMs }) => {
    if (deleteAtMs !== null) {
      throw new Problem(
        'account_deletion_pending',
        'This account is scheduled for deletion. Restore it instead of reopening it.',
      );
    }
    return OPEN;
  });
}

/** Closes at once and deletes after the waiting period. A repetition keeps the first date. */
export function requestDeletion(deps: ClosingDeps, accountId: string): Promise<Account> {
  const now = deps.clock.nowMs();
  return change(deps, accountId, ({ closedAtMs, closedBy, deleteAtMs }) => ({
    closedAtMs: closedAtMs ?? now,
    closedBy: closedBy ?? 'deletion',
    deleteAtMs: deleteAtMs ?? now + WAITING_DAYS * DAY_MS,
  }));
}

/** Deletion by the operator, due now. */
export function requestDeletionNow(deps: ClosingDeps, accountId: string): Promise<Account> {
  const now = deps.clock.nowMs();
  return change(deps, accountId, ({ closedAtMs }) => ({
    closedAtMs: closedAtMs ?? now,
    closedBy: 'operator',
    deleteAtMs: now,
  }));
}

/** Restores the state before the deletion was requested: open, or closed by the operator. */
export function restoreAccount(deps: ClosingDeps, accountId: string): Promise<Account> {
  return change(deps, accountId, ({ closedAtMs, closedBy, deleteAtMs }) => {
    if (deleteAtMs === null) {
      throw new Problem(
        'account_deletion_not_pending',
        'This account is not scheduled for deletion.',
      );
    }
    return closedBy === 'operator' ? { closedAtMs, closedBy, deleteAtMs: null } : OPEN;
  });
}

const OPEN: Closure = { closedAtMs: null, closedBy: null, deleteAtMs: null };

async function change(
  deps: ClosingDeps,
  accountId: string,
  closureOf: (account: Account) => Closure,
): Promise<Account> {
  const changed = await deps.db.transaction(async (tx) => {
    // Locks the balance first, like every charge: a day is charged before the account closes, or
    // not at all.
    await lockBalances(tx, [accountId]);
    const account = await lockedAccount(tx, accountId);
    if (account === undefined)
      throw new Problem('account_not_found', `There is no account ${accountId}.`);
    if (account.isDeleting) {
      throw new Problem(
        'account_deletion_started',
        'The deletion of this account has started and cannot be undone.',
      );
    }
    const next = { ...account, ...closureOf(account) };
    await writeClosure(tx, next);
    return next;
  });
  await settleClosure(deps, accountId);
  return changed;
}

/** Applies what follows from being closed or open: sessions, webhook schedules, and collection. */
export async function settleClosure(deps: ClosingDeps, accountId: string): Promise<void> {
  for (;;) {
    const account = await findAccount(deps.db, accountId);
    if (account === undefined) return;
    // While an account waits for its deletion, its sessions can only restore it.
    if (account.closedBy === 'operator') await endSessions(deps.db, accountId);
    await deps.db.transaction((tx) => holdOrWake(tx, accountId, deps.clock.nowMs()));
    await syncInParts(deps, accountId);
    if (await noteSettled(deps.db, account)) return;
  }
}

/**
 * Stops the account's webhooks, or makes all of them due when it is reopened; the next run then
 * finds out what is pending or paused. Reads under the webhooks' locks whether the account is
 * closed: if it is closed and reopened at the same time, the last change decides.
 */
async function holdOrWake(tx: Transaction, accountId: string, now: number): Promise<void> {
  const healthRecords = await lockAll(tx, accountId);
  const isClosed = (await closedAmong(tx, [accountId])).size > 0;
  await setNextDue(
    tx,
    healthRecords.map(({ webhookId }) => ({
      accountId,
      webhookId,
      dueAtMs: isClosed ? null : now,
    })),
    now,
  );
}

async function syncInParts(deps: ClosingDeps, accountId: string): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const input: Parameters<typeof markSomePending>[1] = { accountId, after, limit: PART };
    const part = await deps.db.transaction((tx) => markSomePending(tx, input));
    await syncWatchers(deps, part);
    if (part.length < PART) return;
    after = part.at(-1)?.trackedId ?? null;
  }
}

/** Completes what a crash interrupted. An account that fails does not delay the others. */
export async function settleClosures(deps: ClosingDeps & { log: Log }): Promise<void> {
  for (const accountId of await listSettling(deps.db, ACCOUNTS_AT_ONCE)) {
    await settleClosure(deps, accountId).catch((error) =>
      deps.log.error(
        { accountId, reason: String(error) },
        'account not completely closed or reopened',
      ),
    );
  }
}
