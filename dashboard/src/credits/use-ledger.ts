// The ledger as it is read: its newest page follows live messages, older ones are added on demand.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { callFully } from '../api-client.ts';
import { queryKey } from '../query-keys.ts';
import type { LedgerQuery } from './ledger-filter.ts';
import { type LedgerView, withNewest, withOlder } from './ledger-pages.ts';

const PAGE = 100;
/** How far a live look reads on to meet what is known; beyond that the list starts anew. */
const CATCH_UP_PAGES = 5;

export function useLedger(query: LedgerQuery) {
  const client = useQueryClient();
  const key = queryKey('ledger', query);
  const known = () => client.getQueryData<LedgerView>(key);
  const view = useQuery({
    queryKey: key,
    // Asking for all pages again at every message would use up the account's own rate limit.
    queryFn: async ({ signal }): Promise<LedgerView> => {
      let newest = await page(query, undefined, signal);
      const first = newest;
      for (let read = 1; ; read++) {
        // Read now, not before: an older page may have been added meanwhile.
        const before = known();
        const whole = before === undefined ? newest : withNewest(before, newest);
        if (whole !== null) return whole;
        if (newest.next === null || read >= CATCH_UP_PAGES) return first;
        newest = withOlder(newest, await page(query, newest.next, signal));
      }
    },
  });
  const older = useMutation({
    mutationFn: (after: string) => page(query, after),
    onSuccess: (read) =>
      client.setQueryData<LedgerView>(key, (now) =>
        now === undefined ? now : withOlder(now, read),
      ),
  });
  return { view, older };
}

async function page(
  query: LedgerQuery,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<LedgerView> {
  const asked = { ...query, limit: PAGE, ...(after === undefined ? {} : { after }) };
  const { data, next } = await callFully('GET /session/ledger', { query: asked, signal });
  return { entries: data, next };
}
