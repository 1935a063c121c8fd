// Loads the delivery log of a webhook, by event and outcome.
import { callWithHeaders, type ResponseOf } from '../app/api-client.ts';
import { usePagedLog } from '../app/paged-log.ts';
import { queryKey } from '../app/query-keys.ts';

export type LogEntry = ResponseOf<'GET /retailer/webhooks/{id}/deliveries'>[number];
export type Outcome = LogEntry['outcome'];
export type LogFilters = { event: string; outcome: string };

const PAGE_ENTRIES = 50;

export const useDeliveryLog = (id: string, { event, outcome }: LogFilters, live: boolean) =>
  usePagedLog<LogEntry>({
    queryKey: queryKey('deliveries', id, event, outcome),
    fetchPage: async (after, signal) => {
      const { data, next } = await callWithHeaders('GET /retailer/webhooks/{id}/deliveries', {
        params: { id },
        query: {
          limit: PAGE_ENTRIES,
          ...(after === undefined ? {} : { after }),
          ...(event === '' ? {} : { event: event as LogEntry['event'] }),
          ...(outcome === '' ? {} : { outcome: outcome as Outcome }),
        },
        signal,
      });
      return { entries: data, next };
    },
    timeOf: ({ timestamp }) => timestamp,
    live,
  });

/** Formats a response body for display: JSON is indented, anything else stays as it is. */
export function prettyBody(body: string): string {
  const text = body.trim();
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Truncated after 2 KB, or not JSON.
    return text;
  }
}
