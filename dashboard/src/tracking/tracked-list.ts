// All tracked products, loaded page by page and shown as they arrive. Live messages refresh the
// list, but one pass runs after the other: a list of ten pages that restarted with every message
// would never complete.
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { callWithHeaders } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';
import { withRetries } from './patience.ts';
import type { Tracked } from './tracked-product.ts';

type ListState = {
  rows: readonly Tracked[];
  /** False until the last page arrived for the first time. */
  complete: boolean;
  failure: unknown;
};

const KEY = queryKey('tracked', 'list');
const PAGE_ROWS = 1_000;
const PAGES_MAX = 200;
/** The pause between two passes: at least this, and three times the duration of the last pass. */
const REST_MIN_MS = 1_000;
const REST_FACTOR = 3;
const NONE: readonly Tracked[] = [];

export function useTrackedList() {
  const client = useQueryClient();
  const walker = walkerOf(client);
  const { data } = useQuery<ListState>({ queryKey: KEY, queryFn: skipToken, staleTime: Infinity });
  useEffect(() => walker.attach(), [walker]);
  return {
    rows: data?.rows ?? NONE,
    isPending: data === undefined,
    complete: data?.complete ?? false,
    failure: data?.failure ?? null,
    retry: walker.retry,
  };
}

/** Shows a local change at once; the rest is refetched. */
export function changeTrackedRows(
  client: QueryClient,
  edit: (rows: readonly Tracked[]) => readonly Tracked[],
): void {
  walkerOf(client).change(edit);
}

type Walker = {
  /** Keeps the list fresh until the returned function is called. */
  attach: () => () => void;
  retry: () => void;
  change: (edit: (rows: readonly Tracked[]) => readonly Tracked[]) => void;
};

const walkers = new WeakMap<QueryClient, Walker>();

function walkerOf(client: QueryClient): Walker {
  const previous = walkers.get(client);
  if (previous) return previous;
  // Ten thousand rows are compared one by one below; comparing every member again would take
  // longer.
  client.setQueryDefaults(KEY, { structuralSharing: false });
  const made = createWalker(client);
  walkers.set(client, made);
  return made;
}

function createWalker(client: QueryClient): Walker {
  const read = () => client.getQueryData<ListState>(KEY);
  const write = (state: ListState) => client.setQueryData<ListState>(KEY, state);
  let users = 0;
  let walking: AbortController | null = null;
  let isNeeded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe: (() => void) | undefined;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  let restMs = 0;

  const walk = async () => {
    const controller = new AbortController();
    const startedAtMs = performance.now();
    walking = controller;
    isNeeded = false;
    try {
      await readPages(controller.signal, (rows, isLast) =>
        write(nextListState(read(), rows, isLast)),
      );
    } catch (failure) {
      if (!controller.signal.aborted)
        write({ ...(read() ?? { rows: NONE, complete: false }), failure });
    }
    if (walking === controller) walking = null;
    endedAtMs = performance.now();
    restMs = Math.max(REST_MIN_MS, REST_FACTOR * (endedAtMs - startedAtMs));
    if (isNeeded) schedule();
  };
  const schedule = (now = false) => {
    isNeeded = true;
    if (users === 0 || walking !== null) return;
    clearTimeout(timer);
    const waitMs = now ? 0 : Math.max(0, endedAtMs + restMs - performance.now());
    timer = setTimeout(() => void walk(), waitMs);
  };
  const follow = () =>
    client.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'invalidate') return;
      if (event.query.queryKey[0] === KEY[0] && event.query.queryKey[1] === KEY[1]) schedule();
    });
  const leave = () => {
    users -= 1;
    if (users > 0) return;
    unsubscribe?.();
    clearTimeout(timer);
    // The next user starts an interrupted pass again.
    if (walking !== null) isNeeded = true;
    walking?.abort();
    walking = null;
  };

  return {
    attach() {
      users += 1;
      if (users === 1) unsubscribe = follow();
      const isFresh = read()?.complete && !client.getQueryState(KEY)?.isInvalidated && !isNeeded;
      if (!isFresh) schedule();
      let left = false;
      return () => {
        if (!left) leave();
        left = true;
      };
    },
    retry: () => schedule(true),
    change(edit) {
      const state = read();
      if (state) write({ ...state, rows: edit(state.rows) });
      // Pages read before the change would show the old state again.
      walking?.abort();
      walking = null;
      schedule();
    },
  };
}

async function readPages(
  signal: AbortSignal,
  onPage: (rows: readonly Tracked[], isLast: boolean) => void,
): Promise<void> {
  const rows: Tracked[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { limit: PAGE_ROWS, after };
    const ask = () => callWithHeaders('GET /session/tracked', { query, signal });
    const { data, next } = await withRetries(ask, signal);
    if (signal.aborted) return;
    rows.push(...data);
    onPage(rows.slice(), next === null);
    if (next === null) return;
    after = next;
  }
}

/** The rows to show after some pages: a complete list stays until the new one is complete. */
export function nextListState(
  state: ListState | undefined,
  read: readonly Tracked[],
  isLast: boolean,
): ListState {
  const previous = new Map(state?.rows.map((row) => [row.id, row]));
  const rows = read.map((row) => sameOr(previous.get(row.id), row));
  if (isLast) return { rows, complete: true, failure: null };
  if (state?.complete) return { ...state, failure: null };
  const ids = new Set(read.map(({ id }) => id));
  const rest = (state?.rows ?? NONE).filter(({ id }) => !ids.has(id));
  return { rows: [...rows, ...rest], complete: false, failure: null };
}

/**
 * The existing row if nothing changed, so that what was rendered and indexed for it stays valid.
 */
function sameOr(previous: Tracked | undefined, row: Tracked): Tracked {
  if (previous === undefined) return row;
  const names = Object.keys(row) as (keyof Tracked)[];
  const isSame = names.every((name) => {
    const [before, now] = [previous[name], row[name]];
    if (typeof now !== 'object' || now === null) return before === now;
    return JSON.stringify(before) === JSON.stringify(now);
  });
  return isSame ? previous : row;
}
