// Reads what the product's side needs of an account: its seller, its rules for many products, and
// whether it is closed.
import { findAccount } from '../accounts/accounts.ts';
import type { Database } from '../database/database.ts';
import type { AccountRule } from './account-rule.ts';
import { listAccountRules } from './account-rules.ts';

export type AccountState = {
  sellerName: string | null;
  /** The account is closed or deleted. */
  isClosed: boolean;
  rules: readonly AccountRule[];
};

export async function readAccountState(db: Database, accountId: string): Promise<AccountState> {
  const account = await findAccount(db, accountId);
  return {
    sellerName: account?.sellerName ?? null,
    isClosed: account === undefined || account.closedAtMs !== null,
    rules: await listAccountRules(db, accountId),
  };
}
