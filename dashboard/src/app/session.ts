// Queries that every page may use: session, credits, prices and plan.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call, noSession } from './api-client.ts';
import { queryKey } from './query-keys.ts';
import { setServerClock } from './server-clock.ts';
import { showAccount } from './shown-account.ts';

export const sessionQuery = queryOptions({
  queryKey: queryKey('session'),
  queryFn: async ({ signal }) => {
    const session = await call('GET /session', { query: { optional: true }, signal });
    if (session === undefined) throw noSession();
    setServerClock(session.server.now, session.server.clock_speed);
    showAccount(session.account.id);
    return session;
  },
  staleTime: 60_000,
});

export const creditsQuery = queryOptions({
  queryKey: queryKey('credits'),
  queryFn: ({ signal }) => call('GET /user/credits', { signal }),
});

const pricesQuery = queryOptions({
  queryKey: queryKey('prices'),
  queryFn: ({ signal }) => call('GET /session/prices', { signal }),
  staleTime: 60 * 60_000,
});

const planQuery = queryOptions({
  queryKey: queryKey('plan'),
  queryFn: ({ signal }) => call('GET /session/plan', { signal }),
});

export const useSession = () => useQuery(sessionQuery);
export const useCredits = () => useQuery(creditsQuery);
/** What each operation costs, for the label of its button. */
export const usePrices = () => useQuery(pricesQuery);
export const usePlan = () => useQuery(planQuery);
