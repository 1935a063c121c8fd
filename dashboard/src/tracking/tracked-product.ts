// The data of a tracked product from its paid days: row, values, and points since it was added; and
// the payment for today.
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryKey } from '../app/query-keys.ts';

export type Tracked = ResponseOf<'GET /session/tracked'>[number];
export type TrackedProduct = ResponseOf<'GET /session/tracked/{id}'>;

/** The row, or null if the product is not tracked. */
export const trackedByCode = (code: string) =>
  queryOptions({
    queryKey: queryKey('tracked', 'by-code', code),
    queryFn: async ({ signal }): Promise<Tracked | null> => {
      const query = { retailer_product_code: code };
      const [row] = await call('GET /session/tracked', { query, signal });
      return row ?? null;
    },
  });

export const useTrackedByCode = (code: string) => useQuery(trackedByCode(code));

export function useTrackedProduct(id: string | undefined) {
  return useQuery({
    queryKey: queryKey('tracked', id, 'now'),
    queryFn: ({ signal }) =>
      call('GET /session/tracked/{id}', { params: { id: id ?? '' }, signal }),
    enabled: id !== undefined,
  });
}

/** Every observation makes a new history, and most are not read again. */
const OLD_HISTORY_MS = 30_000;

/**
 * Refetched when this product was observed, not when others were: the history is long. The old one
 * is shown in the meantime.
 */
export function useTrackedHistory(
  tracked: Pick<Tracked, 'id' | 'last_updated'> | null | undefined,
) {
  return useQuery({
    queryKey: queryKey('tracked-history', tracked?.id, tracked?.last_updated),
    queryFn: ({ signal }) =>
      call('GET /session/tracked/{id}/history', { params: { id: tracked?.id ?? '' }, signal }),
    enabled: tracked != null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: OLD_HISTORY_MS,
  });
}

/** Pays for today's data of a product, at most the price on the button. */
export function useBuyToday(id: string) {
  const queries = useQueryClient();
  return useOnceMutation<unknown, number>({
    mutationFn: (maxCredits) =>
      call('GET /retailer/oversight/products/{id}', {
        params: { id },
        maxCredits,
        // This only buys the day; the page loads what it shows.
        query: { history_days: 1 },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKey('tracked') }),
  });
}
