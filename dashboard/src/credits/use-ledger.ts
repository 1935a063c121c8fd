// Loads the ledger by its filters.
import { callWithHeaders } from '../app/api-client.ts';
import { usePagedLog } from '../app/paged-log.ts';
import { queryKey } from '../app/query-keys.ts';
import type { LedgerQuery } from './ledger-filter.ts';
import type { LedgerEntry } from './ledger-words.ts';

const PAGE_ENTRIES = 100;

export const useLedger = (query: LedgerQuery) =>
  usePagedLog<LedgerEntry>({
    queryKey: queryKey('ledger', query),
    fetchPage: async (after, signal) => {
      const pageQuery = {
        ...query,
        limit: PAGE_ENTRIES,
        ...(after === undefined ? {} : { after }),
      };
      const { data, next } = await callWithHeaders('GET /session/ledger', {
        query: pageQuery,
        signal,
      });
      return { entries: data, next };
    },
    timeOf: ({ at }) => at,
  });
