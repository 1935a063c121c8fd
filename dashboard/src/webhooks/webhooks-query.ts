// The registrations, all of them or one, as every page that needs them asks for them.
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api-client.ts';
import { queryKey } from '../query-keys.ts';

export const webhooksQuery = queryOptions({
  queryKey: queryKey('webhooks'),
  queryFn: ({ signal }) => call('GET /retailer/webhooks', { signal }),
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: queryKey('webhooks', id),
    queryFn: ({ signal }) => call('GET /retailer/webhooks/{id}', { params: { id }, signal }),
  });
