// Resumes products that were suspended for lack of credits, the oldest of each account first.
import { closedAmong } from '../accounts/accounts.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { readBalances } from '../credits/ledger.ts';
import { remainingCredits } from '../credits/settlement.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { syncWatchers } from './sync-watchers.ts';
import { creditsPerDay } from './tier.ts';
import type { TrackedProduct } from './tracked-product.ts';
import { listSuspended, listWaitingAccounts, setSuspended } from './tracked-products.ts';

const PRODUCTS_PER_ROUND = 1_000;
const RESUME_SUSPENDED = 'resume-suspended';
/** How long to wait for rows that another session has locked. */
const LOCK_WAIT_MS = 250;

type Deps = BookingDeps & {
  /** Refreshes a balance whose period has ended. */
  charging: { freshBalance(accountId: string): Promise<unknown> };
};

export async function resumeSuspended(deps: Deps): Promise<void> {
  // By account: in one list for all, the products of an account that cannot pay would block those
  // of everybody else.
  const accountIds = await listWaitingAccounts(deps.db);
  if (accountIds.length === 0) return;
  const closedIds = await closedAmong(deps.db, accountIds);
  const quarantined = await quarantinedKeys(deps.db, RESUME_SUSPENDED);
  await isolate(
    accountIds.filter((accountId) => !quarantined.has(accountId) && !closedIds.has(accountId)),
    {
      loop: RESUME_SUSPENDED,
      log: deps.log,
      keyOf: (accountId) => accountId,
      // Idempotent, so that a failed batch can be repeated in parts.
      run: (batch) => resumeAccounts(deps, batch),
      setAside: (accountId, reason) =>
        putInQuarantine(deps.db, {
          owner: accountId,
          loop: RESUME_SUSPENDED,
          item: accountId,
          reason,
          payload: null,
          atMs: deps.clock.nowMs(),
        }),
    },
  );
}

async function resumeAccounts(deps: Deps, accountIds: readonly string[]): Promise<void> {
  const db = withLockTimeout(deps.db, LOCK_WAIT_MS);
  for (const accountId of accountIds) await deps.charging.freshBalance(accountId);
  const balances = await readBalances(deps.db, accountIds);
  for (const accountId of accountIds) {
    const balance = balances.get(accountId);
    const credits = balance === undefined ? 0 : remainingCredits(balance);
    if (credits <= 0) continue;
    const suspended = await listSuspended(deps.db, { accountId, limit: PRODUCTS_PER_ROUND });
    const affordable = affordablePrefix(suspended, credits);
    if (affordable.length === 0) continue;
    const resumed = await db.transaction((tx) => setSuspended(tx, affordable, false));
    // A product that fails stays pending; the sync-watchers loop isolates it.
    await syncWatchers({ ...deps, db }, resumed).catch((error) =>
      deps.log.warn({ accountId, reason: String(error) }, 'resumed products stay pending'),
    );
  }
}

export const resumeSuspendedHandler: QuarantineHandler = {
  loop: RESUME_SUSPENDED,
  retry: (deps, item) => release(deps, item),
  drop: {
    refusedBecause: 'The account’s products would stay suspended. Repair the account, then retry.',
  },
};

/** Takes products in order up to the first that is not affordable, so that none waits for ever. */
function affordablePrefix(suspended: readonly TrackedProduct[], credits: number): TrackedProduct[] {
  let left = credits;
  const affordable: TrackedProduct[] = [];
  for (const tracked of suspended) {
    left -= creditsPerDay(tracked.tier);
    if (left < 0) break;
    affordable.push(tracked);
  }
  return affordable;
}
