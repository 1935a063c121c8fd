// Opens an account: claims its e-mail, then creates the account and its first period in one
// transaction. After a crash in between, the next attempt with the same e-mail completes it.
import { type Account, claimEmail, findAccount, insertAccount } from '../accounts/accounts.ts';
import type { Database } from '../database/database.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import type { Clock } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { periodAt } from './billing-period.ts';
import { insertBalance, insertEntries } from './ledger.ts';
import type { Plan } from './plans.ts';
import { startPeriod } from './settlement.ts';

type Deps = { db: Database; ledgerPartitions: PartitionKeeper; clock: Clock };

export async function openAccount(
  deps: Deps,
  input: { email: string; plan: Plan },
): Promise<Account> {
  const now = deps.clock.nowMs();
  await deps.ledgerPartitions.ready(now);
  const accountId = await claimEmail(deps.db, { email: input.email, accountId: newId() });
  if ((await findAccount(deps.db, accountId)) !== undefined) {
    throw new Problem('account_exists', `There is an account for ${input.email} already.`);
  }
  const account: Account = {
    accountId,
    email: input.email,
    sellerName: null,
    requestsPerSecond: {},
    createdAtMs: now,
    closedAtMs: null,
    closedBy: null,
    deleteAtMs: null,
    isDeleting: false,
  };
  const first = startPeriod(
    {
      accountId,
      plan: input.plan.name,
      nextPlan: null,
      allocation: 0,
      granted: 0,
      used: 0,
      anchorAtMs: now,
      periodStartAtMs: now,
      periodEndAtMs: now,
      updatedAtMs: now,
    },
    { anchorAtMs: now, ...periodAt(now, now) },
    input.plan,
  );
  await deps.db.transaction(async (tx) => {
    await insertAccount(tx, account);
    await insertBalance(tx, first.balance);
    await insertEntries(tx, [first.entry]);
  });
  return account;
}
