// The account's API keys: the query, and creating a key that this tab remembers.
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryKey, refresh } from '../app/query-keys.ts';
import { type FreshKey, rememberFreshKey } from './fresh-key.ts';

export type ApiKey = ResponseOf<'GET /session/keys'>[number];

export const keysQuery = queryOptions({
  queryKey: queryKey('keys'),
  queryFn: ({ signal }) => call('GET /session/keys', { signal }),
});

export function useCreateKey(accountId: string) {
  const client = useQueryClient();
  return useOnceMutation({
    mutationFn: async (name: string): Promise<FreshKey> => {
      const made = await call('POST /session/keys', { body: { name } });
      return { id: made.id, name: made.name, apiKey: made.api_key };
    },
    onSuccess: (key) => {
      rememberFreshKey(accountId, key);
      return refresh(client, 'keys');
    },
  });
}
