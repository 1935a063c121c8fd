// What can be bought, and which entry of the library holds it. Pure.
import type { NumberKind } from '../app/product-number.ts';
import type { OwnCosts } from './own-costs.ts';
import type { SalesPeriod } from './sales-days.ts';

export type SellerType = 'marketplace' | 'fulfilled' | 'first_party';

/**
 * One thing that can be bought. `code` identifies the product; for a search it is the text, for the
 * finder the request as JSON.
 */
export type Question =
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

export type What = Question['what'];
export type QuestionOf<W extends What> = Extract<Question, { what: W }>;

type Entry = { operation: string; parameters: Readonly<Record<string, unknown>> };

export type OperationName = Exclude<What, 'units-sold'> | 'units-sold-history';

/** The name of the operation in the library. */
export const operationOf = (what: What): OperationName =>
  what === 'units-sold' ? 'units-sold-history' : what;

/** A search or the finder is not about one product. */
export const isAboutProduct = (what: What): boolean => what !== 'search' && what !== 'finder';

/** The newest entry that holds the response, or null. Entries come newest first. */
export function entryFor<E extends Entry>(entries: readonly E[], question: Question): E | null {
  const operation = operationOf(question.what);
  return entries.find((entry) => entry.operation === operation && isOf(entry, question)) ?? null;
}

/** The range of a history ends today, so its days are not compared. */
function isOf({ parameters }: Entry, question: Question): boolean {
  switch (question.what) {
    case 'fees':
      return (parameters.seller_type ?? null) === question.sellerType;
    case 'units-sold':
      return parameters.time_period === question.period;
    case 'search':
      return parameters.q === question.code && (parameters.after ?? '') === question.after;
    case 'finder':
      return isSame(parameters, JSON.parse(question.code));
    case 'profit':
      return isSame(parameters, { items: [profitItem(question)] });
    default:
      return true;
  }
}

export function profitItem({ code, costs }: QuestionOf<'profit'>) {
  const { cost, shipping, price } = costs;
  return { retailer_product_code: code, cost, shipping, ...(price === null ? {} : { price }) };
}

/** Whether two JSON values are equal; the order of members does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  const names = Object.keys(one);
  const members = other as Record<string, unknown>;
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every((name) => isSame((one as Record<string, unknown>)[name], members[name]))
  );
}

/** The same for the same question. */
export const keyOf = (question: Question): string => JSON.stringify(question);
