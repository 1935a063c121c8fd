// GET /retailer/products/search: products by words, brand, category, code, UPC or EAN, for 1 credit
// a page.
import { Type } from 'typebox';
import { eanOf, upcOf } from '../catalog/gtin.ts';
import { isWithdrawn, type Product } from '../catalog/product.ts';
import { CODE_PATTERN } from '../catalog/product-code.ts';
import { readProducts } from '../catalog/products.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import { dollars } from '../foundation/money.ts';
import { Problem } from '../foundation/problem.ts';
import type { ProductSearch, SearchPlace, SearchTier } from '../search/search-products.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { FormatQuery } from './table-response.ts';
import { DateTime, isoTime, nullable } from './wire.ts';

const PATH = '/retailer/products/search';
export const SEARCH_PAGE = 20;
const TEXT_CHARS_MAX = 200;

const ListedProduct = Type.Object(
  {
    retailer_product_code: Type.String(),
    product_name: nullable(Type.String()),
    brand: nullable(Type.String()),
    categories: Type.Array(Type.String(), {
      description: 'From the main category to the most specific one.',
    }),
    upc: nullable(Type.String({ description: '12 digits' })),
    ean: nullable(Type.String({ description: '13 digits' })),
    buybox_price: nullable(Type.Number({ description: 'USD; null if there is no buybox.' })),
    rank: nullable(Type.Integer({ minimum: 1, description: 'Position in the sales ranking.' })),
    rank_category: nullable(Type.String()),
    customer_rating: nullable(Type.Number({ minimum: 1, maximum: 5 })),
    number_of_reviews: nullable(Type.Integer({ minimum: 0 })),
    last_updated: DateTime('When the data was observed'),
    matched_by: Type.String({
      enum: ['exact', 'words', 'similar'],
      description:
        '`exact`: code, UPC or EAN. `words`: all words. `similar`: all words, some with typing errors.',
    }),
  },
  { title: 'SearchedProduct' },
);

type Deps = { db: Database; clock: Clock; productSearch: ProductSearch };

export function productSearch(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: PATH,
    operation: 'search',
    operationId: 'products.search',
    tag: 'Products',
    summary: 'Search products',
    description: `Products in the catalogue whose name, brand or categories contain all words of \`q\`; the last word may be incomplete. A code, UPC or EAN is found exactly. Then follow products that match with typing errors. Best sellers come first. A page has up to ${SEARCH_PAGE} products and costs ${priceList.search} credit, or nothing if it is empty.`,
    bucket: 'product',
    query: Type.Object({
      q: Type.String({
        minLength: 1,
        maxLength: TEXT_CHARS_MAX,
        description: `a text of 1 to ${TEXT_CHARS_MAX} characters; all characters but letters and digits separate words`,
      }),
      after: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'the cursor of the Link header with rel="next"',
        }),
      ),
      ...FormatQuery,
    }),
    responses: { 200: Type.Array(ListedProduct) },
    list: { record: ListedProduct },
    check: ({ after }) => {
      if (after !== undefined) readSearchCursor(after);
    },
    price: () => priceList.search,
    async respond({ query, takeTurn }) {
      const after = query.after === undefined ? null : readSearchCursor(query.after);
      const limit = SEARCH_PAGE + 1;
      const places = await takeTurn(() => deps.productSearch({ text: query.q, after, limit }));
      const page = places.slice(0, SEARCH_PAGE);
      const products = await readProducts(
        deps.db,
        page.map(({ code }) => code),
      );
      const nowMs = deps.clock.nowMs();
      const records = page.flatMap(({ code, tier }) => {
        const product = products.get(code);
        return product === undefined || isWithdrawn(product, nowMs)
          ? []
          : [listedRecord(product, tier)];
      });
      const last = places.length > SEARCH_PAGE ? page.at(-1) : undefined;
      return {
        table: { columns: Object.keys(ListedProduct.properties), pages: onePage(records) },
        ...(records.length === 0 ? { credits: 0 } : {}),
        ...(last === undefined ? {} : { headers: { link: nextLink(query, last) } }),
      };
    },
  });
}

async function* onePage<T>(records: readonly T[]) {
  yield records;
}

function listedRecord(product: Product, tier: SearchTier) {
  return {
    retailer_product_code: product.code,
    product_name: product.name,
    brand: product.brand,
    categories: product.categories,
    upc: product.gtin && upcOf(product.gtin),
    ean: product.gtin && eanOf(product.gtin),
    buybox_price: product.buybox === null ? null : dollars(product.buybox.priceCents),
    rank: product.rank?.position ?? null,
    rank_category: product.rank?.category ?? null,
    customer_rating: product.customerRating,
    number_of_reviews: product.reviewCount,
    last_updated: isoTime(product.observedAtMs),
    matched_by: tier,
  };
}

function nextLink(query: { q: string; format?: string }, last: SearchPlace): string {
  const cursor = Buffer.from(JSON.stringify([last.tier, last.rankBand, last.code]));
  const search = new URLSearchParams({ q: query.q });
  if (query.format !== undefined) search.set('format', query.format);
  search.set('after', cursor.toString('base64url'));
  return `<${PATH}?${search}>; rel="next"`;
}

const TIERS: readonly unknown[] = ['exact', 'words', 'similar'] satisfies SearchTier[];
const BAND_MAX = 32;

function readSearchCursor(cursor: string): SearchPlace {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [tier, rankBand, code] = Array.isArray(parts) ? parts : [];
    const isBand = Number.isInteger(rankBand) && rankBand >= -1 && rankBand <= BAND_MAX;
    const isCode = typeof code === 'string' && new RegExp(CODE_PATTERN).test(code);
    if (TIERS.includes(tier) && isBand && isCode)
      return { tier: tier as SearchTier, rankBand, code };
  } catch {
    // Not a cursor of ours; refused below.
  }
  throw new Problem(
    'cursor_malformed',
    'Query parameter after must be a cursor from the Link header of the previous page.',
    { field: 'after' },
  );
}
