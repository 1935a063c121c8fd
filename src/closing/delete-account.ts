// Deletes accounts whose waiting period has ended: everything but the ledger's entries, which go on under an anonymous
// id. In parts, each of which may be repeated; the account's own row goes last, so that a crash is made good.
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
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import { syncWatchers } from '../tracking/sync-watchers.ts';
import { removeSome } from '../tracking/tracked-products.ts';
import { deleteSubscription, listSubscriptions } from '../webhooks/subscriptions.ts';
import { anonymizeSome, deleteBalance, deletePointers, deleteSome } from './account-tables.ts';

type Deps = { db: Database; clock: Clock };

const PRODUCTS_AT_ONCE = 200;
const ROWS_AT_ONCE = 1_000;
const ACCOUNTS_AT_ONCE = 20;

/** True when nothing of the account is left. False: it is not there, or its time has not come. */
export async function deleteAccount(deps: Deps, accountId: string): Promise<boolean> {
  const { db, clock } = deps;
  const now = clock.nowMs();
  const account = await findAccount(db, accountId);
  const anonymousId = await db.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    if ((await lockedAccount(tx, accountId)) === undefined) return undefined;
    const id = await beginDeletion(tx, { accountId, anonymousId: newId(), now });
    // With it everything that would book: no entry is written behind the back of those that are moved.
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

/** One account that cannot be deleted does not keep the others waiting. */
export async function deleteDueAccounts(deps: Deps & { log: Log }): Promise<void> {
  for (const accountId of await listToDelete(deps.db, deps.clock.nowMs(), ACCOUNTS_AT_ONCE)) {
    await deleteAccount(deps, accountId).then(
      () => deps.log.info({ accountId }, 'an account was deleted'),
      (error) =>
        deps.log.error({ accountId, reason: String(error) }, 'an account was not deleted whole'),
    );
  }
}
