// The account's API keys, as every page that needs them asks for them.
import { queryOptions } from '@tanstack/react-query';
import { call, type ResponseOf } from '../api-client.ts';
import { queryKey } from '../query-keys.ts';

export type ApiKey = ResponseOf<'GET /session/keys'>[number];

export const keysQuery = queryOptions({
  queryKey: queryKey('keys'),
  queryFn: ({ signal }) => call('GET /session/keys', { signal }),
});
