// The delivery log as it is read: the newest page follows what happens, older pages come once and stay.
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callFully } from '../api-client.ts';
import { queryKey } from '../query-keys.ts';
import {
  type LogEntry,
  type LogPage,
  type Outcome,
  withNewest,
  withOlder,
} from './delivery-log.ts';

const PAGE_ENTRIES = 50;

export type LogFilters = { event: string; outcome: string };

/**
 * An infinite query would ask for every page again at each live message, which with ten requests a
 * second to an account could leave its programs none.
 */
export function useDeliveryLog(id: string, filters: LogFilters, live: boolean) {
  const view = `${id} ${filters.event} ${filters.outcome}`;
  const [kept, setKept] = useState<{ view: string; log: LogPage } | null>(null);
  const ask = (after: string | undefined, signal?: AbortSignal) =>
    callFully('GET /retailer/webhooks/{id}/deliveries', {
      params: { id },
      query: {
        limit: PAGE_ENTRIES,
        ...(after === undefined ? {} : { after }),
        ...(filters.event === '' ? {} : { event: filters.event as LogEntry['event'] }),
        ...(filters.outcome === '' ? {} : { outcome: filters.outcome as Outcome }),
      },
      signal,
    }).then(({ data, next }): LogPage => ({ entries: data, next }));
  const newest = useQuery({
    queryKey: queryKey('deliveries', id, filters.event, filters.outcome),
    queryFn: ({ signal }) => ask(undefined, signal),
    // Held still, what is here stays; another filter still asks for its own.
    enabled: (query) => live || query.state.data === undefined,
    placeholderData: keepPreviousData,
  });
  const page = newest.isPlaceholderData ? undefined : newest.data;
  useEffect(() => {
    if (page === undefined) return;
    setKept((known) => ({
      view,
      log: withNewest(known?.view === view ? known.log : null, page),
    }));
  }, [page, view]);
  const older = useMutation({
    mutationFn: (after: string) => ask(after),
    onSuccess: (found, after) =>
      setKept((known) =>
        // The log may have been begun anew meanwhile; then the page joins on to nothing.
        known?.view === view && known.log.next === after
          ? { view, log: withOlder(known.log, found) }
          : known,
      ),
  });
  const log = kept?.view === view ? kept.log : (page ?? newest.data);
  return { newest, log, older, changing: newest.isPlaceholderData };
}
