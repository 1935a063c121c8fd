// The log of attempts as it grows: the newest page comes again and again, older pages are asked for once.
import type { AnswerOf } from '../api-client.ts';

export type LogEntry = AnswerOf<'GET /retailer/webhooks/{id}/deliveries'>[number];
export type Outcome = LogEntry['outcome'];

export type LogPage = {
  entries: readonly LogEntry[];
  /** The cursor of what is older than the last entry; null when nothing is. */
  next: string | null;
};

/**
 * What is known with the newest page put on top. Entries of the page win: an attempt under way has
 * ended since. When more came in between than a page holds, what was known no longer joins on and
 * is let go.
 */
export function withNewest(known: LogPage | null, newest: LogPage): LogPage {
  if (known === null || newest.next === null) return newest;
  const fresh = new Set(newest.entries.map(({ id }) => id));
  if (!known.entries.some(({ id }) => fresh.has(id))) return newest;
  const last = newest.entries.at(-1);
  const older = known.entries.filter(
    (entry) => !fresh.has(entry.id) && last !== undefined && isBefore(entry, last),
  );
  if (older.length === 0) return newest;
  return { entries: [...newest.entries, ...older], next: known.next };
}

/** An older page below what is known. */
export function withOlder(known: LogPage, older: LogPage): LogPage {
  const have = new Set(known.entries.map(({ id }) => id));
  return {
    entries: [...known.entries, ...older.entries.filter(({ id }) => !have.has(id))],
    next: older.next,
  };
}

/** The log's own order: by time, then by id. */
function isBefore(entry: LogEntry, other: LogEntry): boolean {
  return entry.timestamp === other.timestamp
    ? entry.id < other.id
    : entry.timestamp < other.timestamp;
}
