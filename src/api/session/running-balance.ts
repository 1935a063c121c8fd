// The newest ledger entries with the balance after each. Both must be of one instant: they are read
// again when something was booked in between.
import { listEntries, readBalances } from '../../credits/ledger.ts';
import type { EntryPosition } from '../../credits/ledger-rows.ts';
import { type Balance, type LedgerEntry, remainingCredits } from '../../credits/settlement.ts';
import type { Database } from '../../database/database.ts';

const ROUNDS_MAX = 5;

export async function readNewest(
  db: Database,
  page: { accountId: string; before?: EntryPosition | undefined; limit: number },
): Promise<{ entries: LedgerEntry[]; balances: (number | null)[] }> {
  const readBalance = async () => (await readBalances(db, [page.accountId])).get(page.accountId);
  let entries: LedgerEntry[] = [];
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = await readBalance();
    entries = await listEntries(db, page);
    const after = await readBalance();
    if (before === undefined || after === undefined) break;
    if (before.used === after.used && before.updatedAtMs === after.updatedAtMs) {
      return { entries, balances: balancesAfter(entries, after) };
    }
  }
  // Under steady charges nobody knows which entries the balance includes.
  return { entries, balances: [] };
}

/** Pure. `entries` are the newest ones, newest first; those of an earlier period get null. */
export function balancesAfter(
  entries: readonly LedgerEntry[],
  balance: Balance,
): (number | null)[] {
  let left: number | null = remainingCredits(balance);
  return entries.map((entry) => {
    const after = left;
    // With a new period unused credits expire: what was left before is in no entry.
    if (left !== null) left = entry.kind === 'refresh' ? null : left - entry.credits;
    return after;
  });
}
