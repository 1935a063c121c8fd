// Joins pages of a ledger that only grows at its top: a look at the newest keeps the older ones.
import type { LedgerEntry } from './ledger-words.ts';

export type LedgerView = {
  /** The newest first. */
  entries: readonly LedgerEntry[];
  /** Where the next older page begins, or null at the first entry of all. */
  next: string | null;
};

/**
 * The newest page laid over what is known. Null when they do not meet: so much was booked in
 * between that there would be a gap, and whoever asks must read on or start anew.
 */
export function withNewest(known: LedgerView, newest: LedgerView): LedgerView | null {
  const ids = new Set(known.entries.map((entry) => entry.id));
  const meets = newest.entries.some((entry) => ids.has(entry.id));
  // A page that is the whole ledger leaves nothing out, met or not.
  if (newest.next === null) return newest;
  if (!meets) return null;
  return { entries: joined(newest.entries, known.entries), next: known.next };
}

export function withOlder(known: LedgerView, older: LedgerView): LedgerView {
  return { entries: joined(known.entries, older.entries), next: older.next };
}

/** Each entry once, the newest first, as the server orders them: by time, then by id. */
function joined(a: readonly LedgerEntry[], b: readonly LedgerEntry[]): LedgerEntry[] {
  const byId = new Map([...b, ...a].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((x, y) => compare(y.at, x.at) || compare(y.id, x.id));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
