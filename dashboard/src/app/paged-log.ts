// A log as it is read: its newest page follows live messages, older ones are added on demand and stay.
import {
  keepPreviousData,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';

export type LogView<E> = {
  /** The newest first. */
  entries: readonly E[];
  /** Where the next older page begins, or null at the first entry of all. */
  next: string | null;
};

type Entry = { id: string };

/** How far a live look reads on to meet what is known; beyond that the list starts anew. */
const CATCH_UP_PAGES = 5;
/** What live messages may add up to: a page left open for days must not grow until the browser stands still. */
const GROWN_MAX = 300;

/**
 * An infinite query would ask for every page again at each live message: load for nothing, since only
 * the newest page changes.
 */
export function usePagedLog<E extends Entry>(input: {
  queryKey: QueryKey;
  ask: (after: string | undefined, signal?: AbortSignal) => Promise<LogView<E>>;
  timeOf: (entry: E) => string;
  /** False: what is here stays as it is; another filter still asks for its own. */
  live?: boolean;
}) {
  const { queryKey, ask, timeOf, live = true } = input;
  const client = useQueryClient();
  const asked = useRef(0);
  const newest = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<LogView<E>> => {
      const first = await ask(undefined, signal);
      let read = first;
      for (let pages = 1; ; pages++) {
        // Looked up now, not before: an older page may have been added meanwhile.
        const known = client.getQueryData<LogView<E>>(queryKey);
        const whole = known === undefined ? read : withNewest(known, read, timeOf);
        if (whole !== null && whole.entries.length <= GROWN_MAX + asked.current) return whole;
        if (whole !== null) break;
        if (read.next === null || pages >= CATCH_UP_PAGES) break;
        read = withOlder(read, await ask(read.next, signal));
      }
      asked.current = 0;
      return first;
    },
    enabled: (query) => live || query.state.data === undefined,
    placeholderData: keepPreviousData,
  });
  const older = useMutation({
    mutationFn: (after: string) => ask(after),
    onSuccess: (found, after) => {
      // What the reader asked for is not counted as grown.
      asked.current += found.entries.length;
      client.setQueryData<LogView<E>>(queryKey, (known) =>
        // The log may have been begun anew meanwhile; then the page joins on to nothing.
        known?.next === after ? withOlder(known, found) : known,
      );
    },
  });
  return { newest, log: newest.data, older, changing: newest.isPlaceholderData };
}

/**
 * The newest page laid over what is known. Its entries win: an attempt under way has ended since, or
 * has left the filter. Null when the two do not meet: there would be a gap, and whoever asks must read
 * on or start anew.
 */
export function withNewest<E extends Entry>(
  known: LogView<E>,
  newest: LogView<E>,
  timeOf: (entry: E) => string,
): LogView<E> | null {
  const last = newest.entries.at(-1);
  // A page that is the whole log leaves nothing out, met or not.
  if (newest.next === null || last === undefined) return newest;
  const fresh = new Set(newest.entries.map(({ id }) => id));
  if (!known.entries.some(({ id }) => fresh.has(id))) return null;
  // The server's own order: by time, then by id.
  const isBeforeLast = (entry: E) =>
    timeOf(entry) === timeOf(last) ? entry.id < last.id : timeOf(entry) < timeOf(last);
  const older = known.entries.filter((entry) => !fresh.has(entry.id) && isBeforeLast(entry));
  if (older.length === 0) return newest;
  return { entries: [...newest.entries, ...older], next: known.next };
}

/** An older page below what is known, each entry once. */
export function withOlder<E extends Entry>(known: LogView<E>, older: LogView<E>): LogView<E> {
  const have = new Set(known.entries.map(({ id }) => id));
  const added = older.entries.filter(({ id }) => !have.has(id));
  return { entries: [...known.entries, ...added], next: older.next };
}
