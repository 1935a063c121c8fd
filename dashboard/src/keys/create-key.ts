// Makes an API key and lets this tab remember it; for the settings and for the API examples.

import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api-client.ts';
import { useOnceMutation } from '../once-mutation.ts';
import { refresh } from '../query-keys.ts';
import { type FreshKey, rememberFreshKey } from './fresh-key.ts';

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
