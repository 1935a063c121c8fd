// Where the chart's data comes from: tracking, which is free, and responses bought before. This is
// the only file of the chart that knows how they are stored.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call, callWithHeaders } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';
import { serverNowMs } from '../app/server-clock.ts';
import { useSession } from '../app/session.ts';
import { eventTone, eventWords } from '../events/event-words.ts';
import { useKept, usePaid } from '../products/paid-responses.ts';
import { longest } from '../products/sales-days.ts';
import { type Tracked, useTrackedByCode, useTrackedHistory } from '../tracking/tracked-product.ts';
import { type BuyboxSeries, buyboxSeries } from './buybox-series.ts';
import type { ChartEvent } from './chart-model.ts';
import type { ChartSources } from './chart-series.ts';

/** Refetched with the history; a year of many sellers is long. */
function useTrackedSellers(tracked: Tracked | null | undefined) {
  return useQuery({
    queryKey: queryKey('tracked-history', tracked?.id, 'sellers', tracked?.last_updated),
    queryFn: ({ signal }) =>
      call('GET /session/tracked/{id}/sellers', { params: { id: tracked?.id ?? '' }, signal }),
    enabled: tracked != null && (tracked.tier === 0 || tracked.shown_tier === 0),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });
}

const EVENTS_PER_PAGE = 200;
const EVENT_PAGES_MAX = 5;

function useChartEvents(code: string, isTracked: boolean): readonly ChartEvent[] {
  const pages = useInfiniteQuery({
    queryKey: queryKey('events', 'of-chart', code),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      callWithHeaders('GET /session/events', {
        query: {
          retailer_product_code: code,
          limit: EVENTS_PER_PAGE,
          ...(pageParam === undefined ? {} : { after: pageParam }),
        },
        signal,
      }),
    getNextPageParam: (last, all) =>
      all.length >= EVENT_PAGES_MAX ? undefined : (last.next ?? undefined),
    enabled: isTracked,
  });
  if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage();
  return useMemo(() => {
    const events = pages.data?.pages.flatMap(({ data }) => data) ?? [];
    return events
      .map((event) => ({
        id: event.id,
        atMs: Date.parse(event.timestamp),
        tone: eventTone(event.type),
        text: eventWords(event),
        kind: event.type,
      }))
      .sort((a, b) => a.atMs - b.atMs);
  }, [pages.data]);
}

export type ChartInput = {
  sources: ChartSources;
  events: readonly ChartEvent[];
  /** Not known yet whether there is free data. */
  isPending: boolean;
  error: Error | null;
  retry: () => void;
};

/** `tracked` undefined: not known yet. Bought data does not wait for it. */
export function useChartSources(code: string, tracked: Tracked | null | undefined): ChartInput {
  const history = useTrackedHistory(tracked);
  const sellers = useTrackedSellers(tracked);
  const bought = usePaid({ what: 'price-history', code });
  const prices = bought.stored;
  const buybox = usePaid({ what: 'buybox-history', code }).stored;
  const offers = usePaid({ what: 'offer-history', code }).stored;
  const sales = useKept('units-sold', code);
  const events = useChartEvents(code, tracked != null);
  const accountSeller = useSession().data?.account.seller_name ?? null;
  const [openedAtMs] = useState(serverNowMs);
  const trackedUntilMs = tracked?.last_updated ? Date.parse(tracked.last_updated) : null;
  const nowMs = Math.max(openedAtMs, trackedUntilMs ?? 0, prices?.atMs ?? 0, offers?.atMs ?? 0);
  const longestSales = longest(sales.map(({ data }) => data.time_period));
  const days = sales.find(({ data }) => data.time_period === longestSales)?.data.sales_history;
  const ownSeller = tracked?.seller_name ?? accountSeller;
  const isTracked = tracked != null;
  const sources = useMemo(
    () => ({
      tracked: isTracked ? (history.data ?? null) : null,
      trackedSellers: isTracked ? (sellers.data ?? null) : null,
      prices: prices?.data.priceHistory ?? null,
      intervals: buybox?.data.intervals ?? null,
      offers: offers?.data ?? null,
      sales: days ?? null,
      ownSeller,
      nowMs,
    }),
    [isTracked, history.data, sellers.data, prices, buybox, offers, days, ownSeller, nowMs],
  );
  return {
    sources,
    events,
    isPending: tracked === undefined || bought.isLoading || (tracked !== null && history.isPending),
    error: tracked ? history.error : null,
    retry: () => void history.refetch(),
  };
}

/**
 * The buybox of another product, as far as it is free or bought; null while none is chosen. Then
 * the queries are those of the product itself, which the page has anyway.
 */
export function useComparedBuybox(code: string | null, ownCode: string, nowMs: number) {
  const shownCode = code ?? ownCode;
  const tracked = useTrackedByCode(shownCode).data;
  const history = useTrackedHistory(code === null ? null : tracked);
  const prices = usePaid({ what: 'price-history', code: shownCode });
  const details = usePaid({ what: 'details', code: shownCode }).stored?.data;
  const stored = prices.stored?.data.priceHistory ?? null;
  const series = useMemo((): BuyboxSeries | null => {
    if (code === null || (history.data === undefined && stored === null)) return null;
    return buyboxSeries({
      tracked: history.data?.points ?? [],
      prices: stored,
      intervals: null,
      nowMs,
    });
  }, [code, history.data, stored, nowMs]);
  const name = tracked?.product_name ?? details?.product_name ?? code;
  return { series, prices, name, isTracked: tracked != null };
}
