// Resuming what was suspended for want of credits, the oldest products of each account first.
import { closedAmong } from '../accounts/accounts.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { readBalances } from '../credits/ledger.ts';
import { remainingCredits } from '../credits/settlement.ts';
import { syncWatchers } from './sync-watchers.ts';
import { creditsPerDay } from './tier.ts';
import {
  listSuspended,
  listWaitingAccounts,
  setSuspended,
  type TrackedProduct,
} from './tracked-products.ts';

const AT_ONCE = 1_000;

type Deps = BookingDeps & {
  /** Brings a balance up to date whose period has ended. */
  charging: { freshBalance(accountId: string): Promise<unknown> };
};

export async function resumeSuspended(deps: Deps): Promise<void> {
  // Account by account: among all, the products of one that cannot pay would stand before everybody else's for ever.
  const waitingIds = await listWaitingAccounts(deps.db);
  const closed = await closedAmong(deps.db, waitingIds);
  const accountIds = waitingIds.filter((accountId) => !closed.has(accountId));
  for (const accountId of accountIds) await deps.charging.freshBalance(accountId);
  const balances = await readBalances(deps.db, accountIds);
  for (const accountId of accountIds) {
    const balance = balances.get(accountId);
    const credits = balance === undefined ? 0 : remainingCredits(balance);
    if (credits <= 0) continue;
    const waiting = await listSuspended(deps.db, { accountId, limit: AT_ONCE });
    const affordable = whatFits(waiting, credits);
    if (affordable.length === 0) continue;
    const resumed = await deps.db.transaction((tx) => setSuspended(tx, affordable, false));
    await syncWatchers(deps, resumed);
  }
}

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
