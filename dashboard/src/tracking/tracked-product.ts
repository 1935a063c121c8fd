// What the paid days of a tracked product give: its row, its values, and its points since it was added; and paying for
// today where nothing has yet.
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryKey } from '../app/query-keys.ts';

export type Tracked = ResponseOf<'GET /session/tracked'>[number];
export type TrackedProduct = ResponseOf<'GET /session/tracked/{id}'>;

/** The row, or null when the product is not tracked. */
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

/** Every look makes another history, and most are never asked for again. */
const OLD_HISTORY_MS = 30_000;

/**
 * Asked for again when this product was looked at, not at the looks at all others: the history is
 * long. The old one is shown meanwhile.
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

/** Pays for today's data of a product, at most what the button says. */
export function useBuyToday(id: string) {
  const queries = useQueryClient();
  return useOnceMutation<unknown, number>({
    mutationFn: (maxCredits) =>
      call('GET /retailer/oversight/products/{id}', {
        ...{ params: { id }, maxCredits },
        // Only the day is bought here; the page reads what it shows by itself.
        query: { history_days: 1 },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKey('tracked') }),
  });
}
