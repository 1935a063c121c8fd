// Changes the seller that an account watches for: also for the products it tracks already, unless they name their own.
import { setSellerName } from '../accounts/accounts.ts';
import type { Database } from '../database/database.ts';
import { markUnnamedPending } from './tracked-products.ts';

export async function watchForSeller(
  deps: { db: Database },
  input: { accountId: string; sellerName: string | null },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await setSellerName(tx, input);
    // The product's side is told by the loop that makes good what a crash left.
    await markUnnamedPending(tx, input.accountId);
  });
}
