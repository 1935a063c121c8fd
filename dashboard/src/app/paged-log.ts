// A paged log: live messages refresh its newest page, older pages are added on demand and stay.
import {
  keepPreviousData,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';

export type LogView<E> = {
  /** Newest first. */
  entries: readonly E[];
  /** Where the next older page begins, or null when there is none. */
  next: string | null;
};

type Entry = { id: string };

/**
 * Pages that a live refresh reads to reach the loaded entries; beyond that the list starts over.
 */
const CATCH_UP_PAGES = 5;
/** Entries that live messages may add: a page left open for days must not grow without bound. */
const GROWN_MAX = 300;

/**
 * An infinite query would refetch every page at each live message, though only the newest page
 * changes.
 */
export function usePagedLog<E extends Entry>(input: {
  queryKey: QueryKey;
  fetchPage: (after: string | undefined, signal?: AbortSignal) => Promise<LogView<E>>;
  timeOf: (entry: E) => string;
  /** False: the loaded entries stay as they are; another filter still loads its own. */
  live?: boolean;
}) {
  const { queryKey, fetchPage, timeOf, live = true } = input;
  const client = useQueryClient();
  const userLoaded = useRef(0);
  const newest = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<LogView<E>> => {
      const first = await fetchPage(undefined, signal);
      let read = first;
      for (let pages = 1; ; pages++) {
        // Read now, not before: an older page may have been added in the meantime.
        const loaded = client.getQueryData<LogView<E>>(queryKey);
        const merged = loaded === undefined ? read : withNewest(loaded, read, timeOf);
        if (merged !== null && merged.entries.length <= GROWN_MAX + userLoaded.current)
          return merged;
        if (merged !== null) break;
        if (read.next === null || pages >= CATCH_UP_PAGES) break;
        read = withOlder(read, await fetchPage(read.next, signal));
      }
      userLoaded.current = 0;
      return first;
    },
    enabled: (query) => live || query.state.data === undefined,
    placeholderData: keepPreviousData,
  });
  const older = useMutation({
    mutationFn: (after: string) => fetchPage(after),
    onSuccess: (page, after) => {
      // Pages that the user loaded do not count as growth.
      userLoaded.current += page.entries.length;
      client.setQueryData<LogView<E>>(queryKey, (loaded) =>
        // The log may have started over in the meantime; then this page does not join it.
        loaded?.next === after ? withOlder(loaded, page) : loaded,
      );
    },
  });
  return { newest, log: newest.data, older, changing: newest.isPlaceholderData };
}

/**
 * Merges the newest page into the loaded entries. Its entries win: a running attempt may have
 * ended, or an entry may no longer match the filter. Null when the two do not overlap: there would
 * be a gap, so the caller must read on or start over.
 */
export function withNewest<E extends Entry>(
  loaded: LogView<E>,
  newest: LogView<E>,
  timeOf: (entry: E) => string,
): LogView<E> | null {
  const last = newest.entries.at(-1);
  // A page that is the whole log misses nothing, overlapping or not.
  if (newest.next === null || last === undefined) return newest;
  const fresh = new Set(newest.entries.map(({ id }) => id));
  if (!loaded.entries.some(({ id }) => fresh.has(id))) return null;
  // The server's order: by time, then by id.
  const isBeforeLast = (entry: E) =>
    timeOf(entry) === timeOf(last) ? entry.id < last.id : timeOf(entry) < timeOf(last);
  const older = loaded.entries.filter((entry) => !fresh.has(entry.id) && isBeforeLast(entry));
  if (older.length === 0) return newest;
  return { entries: [...newest.entries, ...older], next: loaded.next };
}

/** Adds an older page below the loaded entries, without duplicates. */
export function withOlder<E extends Entry>(loaded: LogView<E>, older: LogView<E>): LogView<E> {
  const ids = new Set(loaded.entries.map(({ id }) => id));
  const added = older.entries.filter(({ id }) => !ids.has(id));
  return { entries: [...loaded.entries, ...added], next: older.next };
}
