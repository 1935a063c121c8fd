// What of an account the product's side must know: the seller it watches for, and whether anything is collected for it.
import { findAccount } from '../accounts/accounts.ts';
import type { Database } from '../database/database.ts';

export type Owner = {
  sellerName: string | null;
  /** Closed, or not there any more. */
  isClosed: boolean;
};

export async function readOwner(db: Database, accountId: string): Promise<Owner> {
  const account = await findAccount(db, accountId);
  return {
    sellerName: account?.sellerName ?? null,
    isClosed: account === undefined || account.closedAt !== null,
  };
}
