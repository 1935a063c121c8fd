// The cache of server responses, and what every response updates in it.
import { QueryClient } from '@tanstack/react-query';
import { onCreditsRemaining, type ResponseOf } from './api-client.ts';
import { mayRetry } from './api-problem.ts';
import { creditsQuery } from './session.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: mayRetry,
      // Live messages announce changes, so returning to the tab need not refetch.
      refetchOnWindowFocus: false,
    },
    // A click while offline fails at once, instead of running and spending credits later.
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Every paid response reports the remaining credits, so the sidebar updates at once. */
onCreditsRemaining((remaining) => {
  queryClient.setQueryData(
    creditsQuery.queryKey,
    (record: ResponseOf<'GET /user/credits'> | undefined) => {
      if (!record || record.credits.remaining === remaining) return record;
      const used = record.credits.used_this_month + (record.credits.remaining - remaining);
      const { total } = record.credits;
      const share = total > 0 ? Math.round((100 * used) / total) : 0;
      return {
        ...record,
        credits: {
          ...record.credits,
          remaining,
          used_this_month: used,
          usage_percentage: Math.min(100, Math.max(0, share)),
        },
      };
    },
  );
});
