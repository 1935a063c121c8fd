// Deletes accounts whose waiting period has ended: everything but the ledger entries, which move to
// an anonymous id. In batches that may be repeated; the account's row goes last, so that a crash is
// recovered.
import {
  beginDeletion,
  deleteAccountRow,
  findAccount,
  listToDelete,
  lockedAccount,
} from '../accounts/accounts.ts';
import { deletePeople } from '../accounts/people.ts';
import { lockBalances } from '../credits/ledger.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { removeSome } from '../tracking/pending-products.ts';
import { syncWatchers } from '../tracking/sync-watchers.ts';
import { deleteSubscription, listSubscriptions } from '../webhooks/subscriptions.ts';
import {
  anonymizeSome,
  deleteBalance,
  deletePointers,
  deleteSome,
  newAnonymousId,
} from './account-tables.ts';

type Deps = { db: Database; clock: Clock };

const PRODUCTS_AT_ONCE = 200;
const ROWS_AT_ONCE = 1_000;
const ACCOUNTS_AT_ONCE = 20;

/** Returns true when nothing of the account is left; false if it does not exist or is not due. */
export async function deleteAccount(deps: Deps, accountId: string): Promise<boolean> {
  const { db, clock } = deps;
  const now = clock.nowMs();
  const account = await findAccount(db, accountId);
  const anonymousId = await db.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    if ((await lockedAccount(tx, accountId)) === undefined) return undefined;
    const id = await beginDeletion(tx, { accountId, anonymousId: newAnonymousId(accountId), now });
    // The lock also stops booking: no entry is written behind those that are moved.
    if (id !== undefined) await deleteBalance(tx, accountId);
    return id;
  });
  if (account === undefined || anonymousId === undefined) return false;
  await untrackAll(deps, accountId);
  for (const { webhookId } of await listSubscriptions(db, { accountId, now })) {
    await deleteSubscription(db, { accountId, webhookId });
  }
  while ((await deleteSome(db, { accountId, limit: ROWS_AT_ONCE })) > 0);
  const move = { accountId, anonymousId, limit: ROWS_AT_ONCE };
  while ((await db.transaction((tx) => anonymizeSome(tx, move))) > 0);
  await deletePointers(db, accountId);
  await deletePeople(db, account);
  await deleteAccountRow(db, account);
  return true;
}

async function untrackAll(deps: Deps, accountId: string): Promise<void> {
  const input = { accountId, nowMs: deps.clock.nowMs(), limit: PRODUCTS_AT_ONCE };
  for (;;) {
    const part = await deps.db.transaction((tx) => removeSome(tx, input));
    if (part.length === 0) return;
    await syncWatchers(deps, part);
  }
}

/** An account that cannot be deleted does not delay the others. */
export async function deleteDueAccounts(deps: Deps & { log: Log }): Promise<void> {
  for (const accountId of await listToDelete(deps.db, deps.clock.nowMs(), ACCOUNTS_AT_ONCE)) {
    await deleteAccount(deps, accountId).then(
      () => deps.log.info({ accountId }, 'account deleted'),
      (error) =>
        deps.log.error(
          { accountId, reason: String(error) },
          'account could not be deleted completely',
        ),
    );
  }
}
