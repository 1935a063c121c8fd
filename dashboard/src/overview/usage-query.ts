// Credits used per day: the one way of asking, so that the chart and the pace share an answer.
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api-client.ts';
import { queryKey } from '../query-keys.ts';

export const DAYS_DEFAULT = '30';

export const usageQuery = (days: string) =>
  queryOptions({
    queryKey: queryKey('usage', days),
    queryFn: ({ signal }) => call('GET /session/usage', { query: { days: Number(days) }, signal }),
  });
