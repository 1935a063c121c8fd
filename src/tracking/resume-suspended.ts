// Resuming what was suspended for want of credits, the oldest products of each account first.
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
import {
  listSuspended,
  listWaitingAccounts,
  setSuspended,
  type TrackedProduct,
} from './tracked-products.ts';

const AT_ONCE = 1_000;
const RESUME_SUSPENDED = 'resume-suspended';
/** How long rows are waited for that another session keeps locked. */
const LOCK_WAIT_MS = 250;

type Deps = BookingDeps & {
  /** Brings a balance up to date whose period has ended. */
  charging: { freshBalance(accountId: string): Promise<unknown> };
};

export async function resumeSuspended(deps: Deps): Promise<void> {
  // Account by account: among all, the products of one that cannot pay would stand before everybody else's for ever.
  const waiting = await listWaitingAccounts(deps.db);
  if (waiting.length === 0) return;
  const closed = await closedAmong(deps.db, waiting);
  const passedOver = await quarantinedKeys(deps.db, RESUME_SUSPENDED);
  await isolate(
    waiting.filter((accountId) => !passedOver.has(accountId) && !closed.has(accountId)),
    {
      ...{ loop: RESUME_SUSPENDED, log: deps.log, keyOf: (accountId) => accountId },
      // Done again for a part of them after a failure, it changes nothing more.
      run: (accountIds) => resumeAccounts(deps, accountIds),
      setAside: (accountId, reason) =>
        putInQuarantine(deps.db, {
          ...{ owner: accountId, loop: RESUME_SUSPENDED, item: accountId, reason, payload: null },
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
    const waiting = await listSuspended(deps.db, { accountId, limit: AT_ONCE });
    const affordable = whatFits(waiting, credits);
    if (affordable.length === 0) continue;
    const resumed = await db.transaction((tx) => setSuspended(tx, affordable, false));
    // What fails here is pending, and the loop for those isolates it.
    await syncWatchers({ ...deps, db }, resumed).catch((error) =>
      deps.log.warn({ accountId, reason: String(error) }, 'resumed products stay pending'),
    );
  }
}

export const resumeSuspendedHandler: QuarantineHandler = {
  loop: RESUME_SUSPENDED,
  retry: (deps, item) => release(deps, item),
  drop: {
    refusedBecause: 'The account’s products wait to be resumed: mend the account, then retry.',
  },
};

/** In order; one that does not fit keeps those behind it waiting too, so that none is overtaken for ever. */
function whatFits(waiting: readonly TrackedProduct[], credits: number): TrackedProduct[] {
  let left = credits;
  const fits: TrackedProduct[] = [];
  for (const tracked of waiting) {
    left -= creditsPerDay(tracked.tier);
    if (left < 0) break;
    fits.push(tracked);
  }
  return fits;
}
