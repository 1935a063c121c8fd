// GET /retailer/product/details: a product by UPC, EAN or retailer product code, for 1 credit.
import { Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import { eanOf, gtin14, gtinOfUpc, hasValidCheckDigit, upcOf } from '../catalog/gtin.ts';
import type { Product } from '../catalog/product.ts';
import { EAN_LOOK_UP_PATTERN, UPC_LOOK_UP_PATTERN } from '../catalog/product-code.ts';
import { priceList } from '../credits/price-list.ts';
import { dollars } from '../foundation/money.ts';
import { Problem } from '../foundation/problem.ts';
import { type Endpoint, endpoint } from './metered.ts';
import {
  DelistedAt,
  delistedMember,
  type ListedDeps,
  listedProductByCode,
  observedOf,
  ProductCode,
  refuseWithdrawn,
} from './product-selector.ts';
import { DateTime, isoTime, nullable } from './wire.ts';

export const DetailsRecord = Type.Object(
  {
    upc: nullable(Type.String({ description: '12 digits' })),
    ean: nullable(Type.String({ description: '13 digits' })),
    retailer_product_code: Type.String(),
    brand: nullable(Type.String()),
    product_name: nullable(Type.String()),
    categories: Type.Array(Type.String(), {
      description: 'From the main category to the most specific one.',
    }),
    buybox_price: nullable(Type.Number({ description: 'USD; null if there is no buybox.' })),
    customer_rating: nullable(Type.Number({ minimum: 1, maximum: 5 })),
    number_of_reviews: nullable(Type.Integer({ minimum: 0 })),
    last_updated: DateTime('When the data was observed'),
    delisted_at: DelistedAt,
  },
  { title: 'ProductDetails' },
);

export const Upc = Type.String({
  pattern: UPC_LOOK_UP_PATTERN,
  description: '12 digits (UPC-A), 8 digits (UPC-E, starts with 0 or 1) or 14 (GTIN-14)',
});
export const Ean = Type.String({
  pattern: EAN_LOOK_UP_PATTERN,
  description: '13 digits (EAN-13), 8 digits (EAN-8) or 14 (GTIN-14)',
});

export type ProductSelector = { upc?: string; ean?: string; retailer_product_code?: string };

export function productDetails(deps: ListedDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/retailer/product/details',
    operation: 'details',
    operationId: 'products.getDetails',
    tag: 'Products',
    summary: 'Details of a product',
    description: 'Pass exactly one of `upc`, `ean` or `retailer_product_code`. Costs 1 credit.',
    bucket: 'details',
    query: Type.Object({
      upc: Type.Optional(Upc),
      ean: Type.Optional(Ean),
      retailer_product_code: Type.Optional(ProductCode),
    }),
    responses: { 200: DetailsRecord },
    errors: [404],
    check: refuseNoneOrSeveral,
    price: () => priceList.details,
    async respond({ query, caller }) {
      const product = await findProduct(deps, query, caller);
      return {
        json: detailsRecord(product),
        productCode: product.code,
        observed: observedOf(product),
      };
    },
  });
}

function refuseNoneOrSeveral({ upc, ean, retailer_product_code: code }: ProductSelector): void {
  const count = [upc, ean, code].filter((value) => value !== undefined).length;
  if (count === 1) return;
  throw new Problem(
    count === 0 ? 'product_selector_missing' : 'product_selector_ambiguous',
    'Pass exactly one of `upc`, `ean` or `retailer_product_code`.',
  );
}

async function findProduct(
  deps: ListedDeps,
  selector: ProductSelector,
  caller: Caller,
): Promise<Product> {
  const { retailer_product_code: code } = selector;
  if (code !== undefined) return listedProductByCode(deps, { code, caller });
  const gtin = gtinOf(selector);
  const product = await deps.lookUp.byGtin(gtin, caller.account.accountId);
  if (product === undefined) throw productNotFound(selector, gtin);
  return refuseWithdrawn(deps, product);
}

/** The GTIN-14 of a UPC or an EAN. */
export const gtinOf = ({ upc, ean }: ProductSelector): string =>
  upc === undefined ? gtin14(ean as string) : gtinOfUpc(upc);

export function productNotFound({ upc, ean }: ProductSelector, gtin: string): Problem {
  const sentence = `There is no product with the ${numberText(upc, ean, gtin)}.`;
  return new Problem(
    'product_not_found',
    hasValidCheckDigit(gtin)
      ? sentence
      : `${sentence} Its check digit does not match: it may be mistyped.`,
    { field: upc === undefined ? 'ean' : 'upc' },
  );
}

/** The number as the caller wrote it; a UPC-E also as the number that was looked up. */
function numberText(upc: string | undefined, ean: string | undefined, gtin: string): string {
  const digits = (upc ?? ean) as string;
  if (digits.length === 14) return `GTIN ${digits}`;
  if (upc === undefined) return `EAN ${digits}`;
  return digits.length === 8 ? `UPC-E ${digits} (UPC ${upcOf(gtin)})` : `UPC ${digits}`;
}

export function detailsRecord(product: Product) {
  return {
    upc: product.gtin && upcOf(product.gtin),
    ean: product.gtin && eanOf(product.gtin),
    retailer_product_code: product.code,
    brand: product.brand,
    product_name: product.name,
    categories: product.categories,
    buybox_price: product.buybox === null ? null : dollars(product.buybox.priceCents),
    customer_rating: product.customerRating,
    number_of_reviews: product.reviewCount,
    last_updated: isoTime(product.observedAtMs),
    ...delistedMember(product),
  };
}
