// The balance after each ledger entry. The server states it on the newest page; older entries
// follow from it. Pure.
import type { LedgerEntry } from './ledger-words.ts';

type Entry = Pick<LedgerEntry, 'kind' | 'credits' | 'balance_after'>;

/** `entries` are newest first and without gaps; null where the balance is unknown. */
export function runningBalances(entries: readonly Entry[]): (number | null)[] {
  let left: number | null = null;
  return entries.map(({ kind, credits, balance_after }) => {
    const after: number | null = balance_after ?? left;
    // Before a refresh another period ended, whose unused credits expired.
    left = after === null || kind === 'refresh' ? null : after - credits;
    return after;
  });
}
