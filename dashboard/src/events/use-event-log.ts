// Loads the events that match a filter, newest first.
import { callWithHeaders, type ResponseOf } from '../app/api-client.ts';
import { usePagedLog } from '../app/paged-log.ts';
import { queryKey } from '../app/query-keys.ts';
import type { EventQuery } from './event-filter.ts';

type LoggedEvent = ResponseOf<'GET /session/events'>[number];

const PAGE_EVENTS = 50;
/** A search for something rare: the server compares some thousand events per request. */
const EMPTY_PAGES_MAX = 10;

export const useEventLog = (query: EventQuery) =>
  usePagedLog<LoggedEvent>({
    queryKey: queryKey('events', 'log', query),
    fetchPage: async (after, signal) => {
      let position = after;
      for (let empty = 0; ; empty++) {
        const { data, next } = await callWithHeaders('GET /session/events', {
          query: {
            ...query,
            limit: PAGE_EVENTS,
            ...(position === undefined ? {} : { after: position }),
          },
          signal,
        });
        if (data.length > 0 || next === null || empty === EMPTY_PAGES_MAX)
          return { entries: data, next };
        position = next;
      }
    },
    timeOf: ({ timestamp }) => timestamp,
  });
