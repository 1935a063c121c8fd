// Paid responses: requested when a button is clicked, stored for all tabs of the browser.
import { useIsMutating, useMutation } from '@tanstack/react-query';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { callWithHeaders, type ResponseOf } from '../app/api-client.ts';
import type { NumberKind } from '../app/product-number.ts';
import { DAY_MS, serverNowMs } from '../app/server-clock.ts';
import { useSession } from '../app/session.ts';
import { shownAccount } from '../app/shown-account.ts';
import { onForget } from '../app/tab-memory.ts';
import type { OwnCosts } from './own-costs.ts';
import { openResponseStore, type ResponseStorage, type StoredResponse } from './response-store.ts';
import type { SalesPeriod } from './sales-days.ts';

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

export type SellerType = 'marketplace' | 'fulfilled' | 'first_party';

/**
 * One thing that can be bought. `code` identifies the product; for a search it is the text, for the
 * finder the request as JSON.
 */
type Question =
  | { what: 'details'; code: string; by?: NumberKind }
  | { what: 'search'; code: string; after: string }
  | { what: 'finder'; code: string }
  | { what: 'offers'; code: string }
  | { what: 'fees'; code: string; sellerType: SellerType | null }
  | { what: 'price-history'; code: string }
  | { what: 'buybox-history'; code: string }
  | { what: 'stats'; code: string }
  | { what: 'profit'; code: string; costs: OwnCosts }
  | { what: 'offer-history'; code: string }
  | { what: 'units-sold'; code: string; period: SalesPeriod };

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
type What = Question['what'];
type QuestionOf<W extends What> = Extract<Question, { what: W }>;

const store = openResponseStore(browserStorage(), { nowMs: serverNowMs });
onForget(store.forget);
addEventListener('storage', ({ key }) => store.hear(key));

export type Paid<T> = {
  stored: StoredResponse<T> | null;
  /** `credits` is the price on the button; the server rejects a higher one. */
  buy: (credits: number) => void;
  busy: boolean;
  error: Error | null;
};

export function usePaid<W extends What>(question: QuestionOf<W>): Paid<Responses[W]> {
  const account = useAccountId();
  const key = keyOf(account, question);
  const stored = useSyncExternalStore(store.subscribe, () => store.read(key));
  const mutationKey = ['paid', key];
  // Includes a request started before the page was left and reopened: it is not paid twice.
  const runningCount = useIsMutating({ mutationKey });
  const purchase = useMutation({
    mutationKey,
    mutationFn: (credits: number) => buy(account, question, credits),
  });
  return {
    stored: stored as StoredResponse<Responses[W]> | null,
    buy: purchase.mutate,
    busy: runningCount > 0,
    error: purchase.error,
  };
}

/** Running requests: two clicks, however fast, are one request and one charge. */
const running = new Map<string, Promise<unknown>>();

/** Sends the request and stores the response, even if the page was left in the meantime. */
export function buy<W extends What>(
  account: string,
  question: QuestionOf<W>,
  maxCredits: number,
): Promise<Responses[W]> {
  const key = JSON.stringify([account, question]);
  const request = running.get(key) ?? fetchAndStore(account, question, maxCredits);
  running.set(key, request);
  return request.finally(() => running.delete(key)) as Promise<Responses[W]>;
}

async function fetchAndStore(
  account: string,
  question: Question,
  maxCredits: number,
): Promise<unknown> {
  const { data, creditsCharged } = await ask(question, maxCredits);
  // After a sign-out nothing is stored.
  if (shownAccount() !== account) return data;
  const stored = { atMs: serverNowMs(), creditsCharged: creditsCharged ?? maxCredits, data };
  // Details found by UPC or EAN are stored under the product's code, which its page reads.
  const code = question.what === 'details' ? (data as Details).retailer_product_code : null;
  if (code !== null) store.keep(keyOf(account, { what: 'details', code }), stored);
  if (code !== question.code && !isByNumber(question)) store.keep(keyOf(account, question), stored);
  return data;
}

const isByNumber = (question: Question) => question.what === 'details' && question.by !== undefined;

/** Without an abort signal: a paid response must arrive even when its page is left. */
function ask(question: Question, maxCredits: number) {
  const query = { retailer_product_code: question.code };
  switch (question.what) {
    case 'details': {
      const by = question.by ?? 'retailer_product_code';
      return callWithHeaders('GET /retailer/product/details', {
        query: { [by]: question.code },
        maxCredits,
      });
    }
    case 'search':
      return searchPage(question, maxCredits);
    case 'finder':
      return callWithHeaders('POST /retailer/products/finder', {
        body: JSON.parse(question.code) as FinderRequest,
        maxCredits,
      });
    case 'offers':
      return callWithHeaders('GET /retailer/product/offers', { query, maxCredits });
    case 'fees': {
      const { sellerType } = question;
      const seller = sellerType === null ? {} : { seller_type: sellerType };
      return callWithHeaders('GET /retailer/product/fees', {
        query: { ...query, ...seller },
        maxCredits,
      });
    }
    case 'price-history':
      return callWithHeaders('GET /retailer/product/price-history', { query, maxCredits });
    case 'buybox-history':
      return callWithHeaders('GET /retailer/product/buybox-history', {
        query: { ...query, from: daysAgo(BUYBOX_DAYS) },
        maxCredits,
      });
    case 'profit': {
      const { cost, shipping, price } = question.costs;
      const sold = price === null ? {} : { price };
      const item = { retailer_product_code: question.code, cost, shipping, ...sold };
      const body = { items: [item] };
      return callWithHeaders('POST /retailer/product/profit', { body, maxCredits });
    }
    case 'stats':
      return callWithHeaders('GET /retailer/product/stats', { query, maxCredits });
    case 'offer-history':
      return callWithHeaders('GET /retailer/product/offer-history', {
        query: { ...query, changes_only: true },
        maxCredits,
      });
    case 'units-sold': {
      const { period } = question;
      return callWithHeaders('GET /retailer/product/units-sold-history', {
        query: { ...query, time_period: period, explain: true },
        maxCredits,
      });
    }
  }
}

async function searchPage({ code, after }: QuestionOf<'search'>, maxCredits: number) {
  const query = { q: code, ...(after === '' ? {} : { after }) };
  const reply = await callWithHeaders('GET /retailer/products/search', { query, maxCredits });
  return { ...reply, data: { products: reply.data as SearchedProducts, next: reply.next } };
}

/** The days of the buybox chart: whole days, with today. */
export const BUYBOX_DAYS = 90;

const daysAgo = (days: number) =>
  new Date((Math.floor(serverNowMs() / DAY_MS) - days + 1) * DAY_MS).toISOString();

/** All stored responses of that kind (for one product), newest first. */
export function useKept<W extends What>(
  what: W,
  code?: string,
): readonly StoredResponse<Responses[W]>[] {
  const account = useAccountId();
  const version = useSyncExternalStore(store.subscribe, store.version);
  const start = `${account}/${what}/${code === undefined ? '' : `${code}/`}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the store.
  return useMemo(
    () => store.list(start).map(({ stored }) => stored as StoredResponse<Responses[W]>),
    [start, version],
  );
}

/** Finds a product whose details are stored, by any of its numbers. */
export function useStoredDetails(): (
  kind: NumberKind,
  digits: string,
) => StoredResponse<Details> | null {
  const all = useKept('details');
  return useCallback(
    (kind, digits) => all.find(({ data }) => data[kind] === digits) ?? null,
    [all],
  );
}

/** The session is loaded before any page is shown. */
export const useAccountId = () => useSession().data?.account.id ?? '';

function keyOf(account: string, question: Question): string {
  const variant =
    question.what === 'fees'
      ? (question.sellerType ?? 'listed')
      : question.what === 'units-sold'
        ? question.period
        : question.what === 'profit'
          ? Object.values(question.costs).join(' ')
          : question.what === 'search'
            ? question.after
            : '';
  return `${account}/${question.what}/${question.code}/${variant}`;
}

/** If the browser blocks storage, responses last until the page is closed. */
function browserStorage(): ResponseStorage {
  try {
    return localStorage;
  } catch {
    return {
      length: 0,
      key: () => null,
      getItem: () => null,
      removeItem: () => {},
      setItem: () => {
        throw new Error('Storage is not available.');
      },
    };
  }
}
