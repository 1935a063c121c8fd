// How long the credits last, from the balance, the usage of the last days and the clock.
import { useQuery } from '@tanstack/react-query';
import { call } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';
import { useServerNowMs } from '../app/server-clock.ts';
import { useCredits, usePrices } from '../app/session.ts';
import { type Forecast, recentCredits, spendingForecast } from './spending-rate.ts';
import { DAYS_DEFAULT, usageQuery } from './usage.ts';

export function useForecast(): Forecast {
  const nowMs = useServerNowMs();
  const usage = useQuery(usageQuery(DAYS_DEFAULT)).data;
  const { data } = useCredits();
  const isStandstill = useIsStandstill(data?.credits.remaining);
  if (data === undefined) return { kind: 'unknown' };
  const { credits, billing_period } = data;
  return spendingForecast({
    used: credits.used_this_month,
    usedLately: usage === undefined || isStandstill ? 0 : recentCredits(usage),
    remaining: credits.remaining,
    periodStartAtMs: Date.parse(billing_period.current_period_start),
    refreshAtMs: Date.parse(billing_period.next_refresh_date),
    nowMs,
  });
}

const PAGE_ROWS = 1_000;

/** Whether all tracked products are suspended: then no day is charged any more. */
function useIsStandstill(remaining: number | undefined): boolean {
  const days = usePrices().data?.tiers.map((tier) => tier.credits_per_day) ?? [];
  // Nothing is suspended while the most expensive day can be paid.
  const isPossible = remaining !== undefined && remaining < Math.max(...days);
  const { data: rows = [] } = useQuery({
    queryKey: queryKey('tracked', 'standstill'),
    queryFn: ({ signal }) => call('GET /session/tracked', { query: { limit: PAGE_ROWS }, signal }),
    enabled: isPossible,
  });
  return isPossible && rows.length > 0 && rows.every(({ status }) => status === 'suspended');
}
