// Changes the seller that an account watches for. Tracked products that name no seller follow it.
import { setSellerName } from '../accounts/accounts.ts';
import type { Database } from '../database/database.ts';
import { markAccountSellerPending } from './pending-products.ts';

export async function changeSeller(
  deps: { db: Database },
  input: { accountId: string; sellerName: string | null },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await setSellerName(tx, input);
    // The sync-watchers loop updates the product's side.
    await markAccountSellerPending(tx, input.accountId);
  });
}
