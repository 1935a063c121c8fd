// Paid responses: bought with a button, and shown from the account's library on every device.
import { useIsMutating, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { call, callWithHeaders, type ResponseOf } from '../app/api-client.ts';
import type { NumberKind } from '../app/product-number.ts';
import { queryClient } from '../app/query-client.ts';
import { queryKey, refresh } from '../app/query-keys.ts';
import { DAY_MS, serverNowMs } from '../app/server-clock.ts';
import { usePrices, useSession } from '../app/session.ts';
import { shownAccount } from '../app/shown-account.ts';
import { boughtHere, type StoredResponse } from './bought-here.ts';
import {
  entryFor,
  isAboutProduct,
  keyOf,
  type OperationName,
  operationOf,
  profitItem,
  type Question,
  type QuestionOf,
  type What,
} from './question.ts';

export type { StoredResponse } from './bought-here.ts';
export type { SellerType } from './question.ts';

/** The responses without the one of a dry run. */
export type Details = Extract<ResponseOf<'GET /retailer/product/details'>, { categories: unknown }>;
export type Offers = Extract<ResponseOf<'GET /retailer/product/offers'>, { sellers: unknown }>;
export type Fees = Extract<ResponseOf<'GET /retailer/product/fees'>, { total_fees: unknown }>;
type PriceHistory = Extract<
  ResponseOf<'GET /retailer/product/price-history'>,
  { priceHistory: unknown }
>;
export type BuyboxHistory = Extract<
  ResponseOf<'GET /retailer/product/buybox-history'>,
  { intervals: unknown }
>;
export type ProductStatistics = Extract<
  ResponseOf<'GET /retailer/product/stats'>,
  { windows: unknown }
>;
export type OfferHistory = Extract<
  ResponseOf<'GET /retailer/product/offer-history'>,
  { offers: unknown }
>;
export type Profit = Extract<ResponseOf<'POST /retailer/product/profit'>, { results: unknown }>;
export type UnitsSold = Extract<
  ResponseOf<'GET /retailer/product/units-sold-history'>,
  { sales_history: unknown }
>;

type SearchedProducts = Extract<ResponseOf<'GET /retailer/products/search'>, readonly unknown[]>;
/** `next`: where the following page starts; null on the last one. */
export type SearchPage = { products: SearchedProducts; next: string | null };
export type FoundPage = Extract<
  ResponseOf<'POST /retailer/products/finder'>,
  { products: unknown }
>;
export type FinderRequest = NonNullable<
  Parameters<typeof callWithHeaders<'POST /retailer/products/finder'>>[1]
>['body'];

type Responses = {
  details: Details;
  search: SearchPage;
  finder: FoundPage;
  offers: Offers;
  fees: Fees;
  'price-history': PriceHistory;
  'buybox-history': BuyboxHistory;
  stats: ProductStatistics;
  profit: Profit;
  'offer-history': OfferHistory;
  'units-sold': UnitsSold;
};

export type LibraryEntry = ResponseOf<'GET /session/library'>[number];

/** A product has at most a few dozen entries. */
const ENTRIES_MAX = 200;

/** What the library has of a product, or of an operation; without bodies, newest first. */
const libraryQuery = (filter: { retailer_product_code?: string; operation?: OperationName }) => ({
  queryKey: queryKey('library', filter),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    call('GET /session/library', { query: { ...filter, limit: ENTRIES_MAX }, signal }),
});

export const useLibrary = () => useQuery(libraryQuery({}));

const useEntries = (what: What, code: string) =>
  useQuery(
    libraryQuery(
      isAboutProduct(what) ? { retailer_product_code: code } : { operation: operationOf(what) },
    ),
  );

/** A response never changes: a newer one has another time. */
const bodyQuery = (entry: LibraryEntry) => ({
  queryKey: queryKey('library-body', entry.id, entry.bought_at),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<StoredResponse> => {
    const reply = await callWithHeaders('GET /session/library/{id}', {
      params: { id: entry.id },
      signal,
    });
    const data =
      entry.operation === 'search' ? { products: reply.data, next: reply.next } : reply.data;
    return { atMs: Date.parse(entry.bought_at), creditsCharged: entry.credits, data };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export type Paid<T> = {
  stored: StoredResponse<T> | null;
  /** Whether it is not known yet what the library has. */
  isLoading: boolean;
  /** The product is a sample: whatever the price list says, it costs nothing. */
  isFree: boolean;
  /** `credits` is the price on the button; the server rejects a higher one. */
  buy: (credits: number) => void;
  busy: boolean;
  error: Error | null;
};

export function usePaid<W extends What>(question: QuestionOf<W>): Paid<Responses[W]> {
  const account = useAccountId();
  const key = keyOf(question);
  const entries = useEntries(question.what, question.code);
  const entry = entryFor(entries.data ?? [], question);
  const here = useSyncExternalStore(boughtHere.subscribe, () => boughtHere.read(account, question));
  // Another tab or device may have bought a newer one.
  const isNewer = entry !== null && Date.parse(entry.bought_at) > (here?.stored.atMs ?? 0);
  const body = useQuery({
    ...bodyQuery(entry ?? NO_ENTRY),
    enabled: isNewer,
    // While a newer one loads, the one before stays.
    placeholderData: here?.stored,
  });
  const stored = isNewer ? (body.data ?? null) : (here?.stored ?? null);
  const refreshOf = isNewer ? entry.bought_at : (here?.boughtAt ?? undefined);
  const mutationKey = ['paid', account, key];
  // Includes a request started before the page was left and reopened: it is not paid twice.
  const runningCount = useIsMutating({ mutationKey });
  const purchase = useMutation({
    mutationKey,
    mutationFn: (maxCredits: number) => buy(account, question, { maxCredits, refreshOf }),
  });
  return {
    stored: stored as StoredResponse<Responses[W]> | null,
    isLoading: stored === null && (entries.isPending || (isNewer && body.isPending)),
    isFree: useIsSample(question.code),
    buy: purchase.mutate,
    busy: runningCount > 0,
    error: purchase.error,
  };
}

/** Products whose data is free. */
export const useSamples = () => usePrices().data?.samples ?? [];

export const useIsSample = (code: string): boolean =>
  useSamples().some((sample) => sample.retailer_product_code === code);

const NO_ENTRY = { id: '', bought_at: '', operation: '', credits: 0 } as LibraryEntry;

/** Running requests: two clicks, however fast, are one request. */
const running = new Map<string, Promise<unknown>>();

/** `refreshOf`: when the response was bought that this one replaces, if one is shown. */
type Payment = { maxCredits: number; refreshOf?: string | undefined };

/** Sends the request and stores the response, even if the page was left in the meantime. */
export function buy<W extends What>(
  account: string,
  question: QuestionOf<W>,
  payment: Payment,
): Promise<Responses[W]> {
  const key = JSON.stringify([account, question]);
  const request = running.get(key) ?? fetchAndStore(account, question, payment);
  running.set(key, request);
  return request.finally(() => running.delete(key)) as Promise<Responses[W]>;
}

async function fetchAndStore(
  account: string,
  question: Question,
  payment: Payment,
): Promise<unknown> {
  const { data, creditsCharged, boughtAt } = await ask(question, payment);
  // After a sign-out nothing is stored.
  if (shownAccount() !== account) return data;
  const atMs = boughtAt === null ? serverNowMs() : Date.parse(boughtAt);
  const stored = { atMs, creditsCharged: creditsCharged ?? payment.maxCredits, data };
  // Details found by UPC or EAN belong to the product's code, which its page reads.
  const kept: Question =
    question.what === 'details'
      ? { what: 'details', code: (data as Details).retailer_product_code }
      : question;
  boughtHere.keep({ account, question: kept, stored, boughtAt });
  void refresh(queryClient, 'library');
  return data;
}

/** Without an abort signal: a paid response must arrive even when its page is left. */
function ask(question: Question, payment: Payment) {
  const query = { retailer_product_code: question.code };
  switch (question.what) {
    case 'details': {
      const by = question.by ?? 'retailer_product_code';
      return callWithHeaders('GET /retailer/product/details', {
        query: { [by]: question.code },
        ...payment,
      });
    }
    case 'search':
      return searchPage(question, payment);
    case 'finder':
      return callWithHeaders('POST /retailer/products/finder', {
        body: JSON.parse(question.code) as FinderRequest,
        ...payment,
      });
    case 'offers':
      return callWithHeaders('GET /retailer/product/offers', { query, ...payment });
    case 'fees': {
      const { sellerType } = question;
      const seller = sellerType === null ? {} : { seller_type: sellerType };
      return callWithHeaders('GET /retailer/product/fees', {
        query: { ...query, ...seller },
        ...payment,
      });
    }
    case 'price-history':
      return callWithHeaders('GET /retailer/product/price-history', { query, ...payment });
    case 'buybox-history':
      return callWithHeaders('GET /retailer/product/buybox-history', {
        query: { ...query, from: daysAgo(HISTORY_DAYS) },
        ...payment,
      });
    case 'profit': {
      const body = { items: [profitItem(question)] };
      return callWithHeaders('POST /retailer/product/profit', { body, ...payment });
    }
    case 'stats':
      return callWithHeaders('GET /retailer/product/stats', { query, ...payment });
    case 'offer-history':
      return callWithHeaders('GET /retailer/product/offer-history', {
        query: { ...query, changes_only: true, from: daysAgo(HISTORY_DAYS) },
        ...payment,
      });
    case 'units-sold': {
      const { period } = question;
      return callWithHeaders('GET /retailer/product/units-sold-history', {
        query: { ...query, time_period: period, explain: true },
        ...payment,
      });
    }
  }
}

async function searchPage({ code, after }: QuestionOf<'search'>, payment: Payment) {
  const query = { q: code, ...(after === '' ? {} : { after }) };
  const reply = await callWithHeaders('GET /retailer/products/search', { query, ...payment });
  return { ...reply, data: { products: reply.data as SearchedProducts, next: reply.next } };
}

/** Whole days, with today: the longest range of offers. A shorter one costs as much. */
export const HISTORY_DAYS = 365;

const daysAgo = (days: number) =>
  new Date((Math.floor(serverNowMs() / DAY_MS) - days + 1) * DAY_MS).toISOString();

/** All responses of that kind for one product, newest first. */
export function useKept<W extends What>(
  what: W,
  code: string,
): readonly StoredResponse<Responses[W]>[] {
  const account = useAccountId();
  const entries = useEntries(what, code).data ?? [];
  const operation = operationOf(what);
  const version = useSyncExternalStore(boughtHere.subscribe, boughtHere.version);
  const results = useQueries({
    queries: entries.filter((entry) => entry.operation === operation).map(bodyQuery),
  });
  const arrivals = results.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: both change with the responses.
  return useMemo(() => {
    // A response without data is free, and only this tab has it.
    const free = boughtHere.list(
      ({ question, boughtAt, ...received }) =>
        received.account === account &&
        boughtAt === null &&
        question.what === what &&
        question.code === code,
    );
    const all = [...results.flatMap(({ data }) => data ?? []), ...free];
    return all.sort((a, b) => b.atMs - a.atMs) as StoredResponse<Responses[W]>[];
  }, [account, what, code, arrivals, version]);
}

/** Finds a product whose details are in the library, by any of its numbers. */
export function useStoredDetails(): (
  kind: NumberKind,
  digits: string,
) => { code: string; atMs: number } | null {
  const { data: entries } = useQuery(libraryQuery({ operation: 'details' }));
  return useCallback(
    (kind, digits) => {
      const entry = entries?.find((one) => one[kind] === digits);
      if (entry?.retailer_product_code == null) return null;
      return { code: entry.retailer_product_code, atMs: Date.parse(entry.bought_at) };
    },
    [entries],
  );
}

/** The session is loaded before any page is shown. */
export const useAccountId = () => useSession().data?.account.id ?? '';
