// What tracking a product gives for free: its row, its values, and its points since it was added.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api-client.ts';
import { queryKey } from '../query-keys.ts';

export type TrackedRow = AnswerOf<'GET /session/tracked'>[number];
export type TrackedProduct = AnswerOf<'GET /session/tracked/{id}'>;

/** The row, or null when the product is not tracked. */
export const trackedByCode = (code: string) =>
  queryOptions({
    queryKey: queryKey('tracked', 'by-code', code),
    queryFn: async ({ signal }): Promise<TrackedRow | null> => {
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

export function useTrackedHistory(id: string | undefined) {
  return useQuery({
    queryKey: queryKey('tracked', id, 'history'),
    queryFn: ({ signal }) =>
      call('GET /session/tracked/{id}/history', { params: { id: id ?? '' }, signal }),
    enabled: id !== undefined,
  });
}
