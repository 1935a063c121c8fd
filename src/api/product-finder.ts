// POST /retailer/products/finder: products by filters on their facts, sorted by any of them, for
// 5 credits a page.
import { type Static, Type } from 'typebox';
import { isWithdrawn, type Product } from '../catalog/product.ts';
import { CODE_PATTERN } from '../catalog/product-code.ts';
import { readProducts } from '../catalog/products.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { FACT_NAMES, type FactName, factValue, storedRange, usualSign } from '../search/fact.ts';
import { findProducts, placeOf } from '../search/find-products.ts';
import type {
  FactFilters,
  FactPlace,
  FactQuery,
  FactSort,
  StoredFacts,
} from '../search/product-facts.ts';
import { textKey } from '../search/word.ts';
import { FoundProduct } from './finder-record.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { FormatQuery } from './table-response.ts';
import { isoTime, nullable } from './wire.ts';

const PATH = '/retailer/products/finder';
export const FINDER_PAGE = 50;
const NAMES_MAX = 50;
const NAME_CHARS_MAX = 500;
const BOUND_MAX = 1_000_000_000;

const Bound = Type.Optional(
  Type.Number({
    minimum: -BOUND_MAX,
    maximum: BOUND_MAX,
    description: `a number from -${BOUND_MAX} to ${BOUND_MAX}`,
  }),
);
const Range = Type.Optional(
  Type.Object(
    { min: Bound, max: Bound },
    {
      title: 'FactRange',
      description: 'an object with min, max or both, inclusive, in the unit of the fact',
    },
  ),
);
const namesOf = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.String({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: `a text of 1 to ${NAME_CHARS_MAX} characters`,
      }),
      {
        minItems: 1,
        maxItems: NAMES_MAX,
        description: `a list of 1 to ${NAMES_MAX} texts, of which one must match: ${description}; case and accents do not matter`,
      },
    ),
  );

const Filters = Type.Object(
  {
    categories: namesOf('names of categories, or paths such as "Home > Kitchen"'),
    brands: namesOf('brands'),
    buybox_sellers: namesOf('names of the seller that holds the buybox'),
    has_buybox: Type.Optional(
      Type.Boolean({ description: 'true or false: whether somebody holds the buybox' }),
    ),
    ...(Object.fromEntries(FACT_NAMES.map((name) => [name, Range])) as Record<
      FactName,
      typeof Range
    >),
  },
  {
    title: 'FinderFilters',
    description: 'an object of filters; all must match, and a product without the fact does not',
  },
);
const FILTER_NAMES = Object.keys(Filters.properties);

const Sort = Type.Object(
  {
    by: Type.Optional(
      Type.Unsafe<FactName>({
        type: 'string',
        enum: [...FACT_NAMES],
        description: `one of ${FACT_NAMES.join(', ')}`,
      }),
    ),
    order: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({
        type: 'string',
        enum: ['asc', 'desc'],
        description: 'asc or desc; without it, the usual order of the fact',
      }),
    ),
  },
  { title: 'FinderSort', description: 'an object with by and order; rank without it' },
);

const Body = Type.Object(
  {
    filters: Type.Optional(Filters),
    sort: Type.Optional(Sort),
    cursor: Type.Optional(
      Type.String({ maxLength: 300, description: 'the next_cursor of the previous page' }),
    ),
  },
  { title: 'FinderRequest' },
);
type Body = Static<typeof Body>;

const FoundPage = Type.Object(
  {
    next_cursor: nullable(
      Type.String({ description: '`cursor` of the next page; null on the last one.' }),
    ),
    products: Type.Array(FoundProduct),
  },
  { title: 'FinderPage' },
);

export function productFinder(deps: { db: Database; clock: Clock }): Endpoint {
  return endpoint({
    method: 'POST',
    path: PATH,
    operation: 'finder',
    operationId: 'products.find',
    tag: 'Products',
    summary: 'Find products by their facts',
    description: `Products in the catalogue that match all filters, sorted by one fact; products without it come last. Facts are refreshed in the background; \`last_updated\` says when the product was observed. A page has up to ${FINDER_PAGE} products and costs ${priceList.finder} credits, or nothing if it is empty. Send \`next_cursor\` as \`cursor\` with the same filters and sort for the next page; CSV, NDJSON and columns have it in the header \`x-next-cursor\`.`,
    bucket: 'product',
    query: Type.Object({ ...FormatQuery }),
    body: Body,
    responses: { 200: FoundPage },
    price: (_, { body }) => {
      readQuery(body as Body);
      return priceList.finder;
    },
    heavy: () => true,
    async respond({ body, takeTurn }) {
      const query = readQuery(body);
      const facts = await takeTurn(() => findProducts(deps, query));
      const page = facts.slice(0, FINDER_PAGE);
      const last = facts.length > FINDER_PAGE ? page.at(-1) : undefined;
      const cursor = last === undefined ? null : cursorOf(query.sort, last);
      const products = await readProducts(
        deps.db,
        page.map(({ code }) => code),
      );
      const nowMs = deps.clock.nowMs();
      const records = page.flatMap((one) => {
        const product = products.get(one.code);
        return product === undefined || isWithdrawn(product, nowMs)
          ? []
          : [foundRecord(product, one)];
      });
      return {
        table: {
          columns: Object.keys(FoundProduct.properties),
          pages: onePage(records),
          frame: { member: 'products', before: { next_cursor: cursor } },
        },
        ...(records.length === 0 ? { credits: 0 } : {}),
        ...(cursor === null ? {} : { headers: { 'x-next-cursor': cursor } }),
      };
    },
  });
}

async function* onePage<T>(records: readonly T[]) {
  yield records;
}

/** Throws for what the schema allows but is wrong: 400 before the funds are checked. */
function readQuery({ filters = {}, sort = {}, cursor }: Body): FactQuery {
  const factSort = sortOf(sort);
  return {
    filters: filtersOf(filters),
    sort: factSort,
    after: cursor === undefined ? null : readCursor(factSort, cursor),
    limit: FINDER_PAGE + 1,
  };
}

function sortOf({ by = 'rank', order }: Static<typeof Sort>): FactSort {
  return { by, isDescending: order === undefined ? usualSign(by) < 0 : order === 'desc' };
}

function filtersOf(filters: Static<typeof Filters>): FactFilters {
  const unknown = Object.keys(filters).find((name) => !FILTER_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new Problem(
      'filter_unknown',
      `There is no filter ${JSON.stringify(unknown.slice(0, 80))}. Filters are ${FILTER_NAMES.join(', ')}.`,
      { field: `filters.${unknown.slice(0, 80)}` },
    );
  }
  const ranges: Partial<Record<FactName, { min?: number; max?: number }>> = {};
  for (const name of FACT_NAMES) {
    const range = filters[name];
    if (range === undefined) continue;
    refuseEmptyRange(name, range);
    ranges[name] = storedRange(name, range) as { min?: number; max?: number };
  }
  const keysOf = (names: readonly string[] | undefined) => names?.map(textKey) ?? null;
  return {
    ranges,
    brandKeys: keysOf(filters.brands),
    buyboxSellerKeys: keysOf(filters.buybox_sellers),
    categoryKeys: filters.categories?.map(categoryKey) ?? null,
    hasBuybox: filters.has_buybox ?? null,
  };
}

/** A path is written with any spaces around its separator. */
const categoryKey = (text: string) =>
  textKey(
    text
      .split('>')
      .map((part) => part.trim())
      .join(' > '),
  );

function refuseEmptyRange(name: FactName, range: { min?: number; max?: number }): void {
  const { min, max } = range;
  const odd = Object.keys(range).find((member) => member !== 'min' && member !== 'max');
  if (odd === undefined && (min !== undefined || max !== undefined)) {
    if (min === undefined || max === undefined || min <= max) return;
    throw new Problem(
      'filter_range_invalid',
      `Body member filters.${name} has min ${min} above max ${max}.`,
      { field: `filters.${name}` },
    );
  }
  throw new Problem(
    'filter_range_invalid',
    `Body member filters.${name} must have min, max or both, and nothing else.`,
    { field: `filters.${name}` },
  );
}

function cursorOf(sort: FactSort, last: StoredFacts): string {
  const { value, tie, code } = placeOf(sort, last);
  const parts = [sort.by, sort.isDescending, value, tie, code];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

const isStored = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) <= 2_147_483_647;

/** A cursor continues the list that it was made for: it names its sort. */
function readCursor(sort: FactSort, cursor: string): FactPlace {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [by, isDescending, value, tie, code] = Array.isArray(parts) ? parts : [];
    const isSameSort = by === sort.by && isDescending === sort.isDescending;
    const isCode = typeof code === 'string' && new RegExp(CODE_PATTERN).test(code);
    if (isSameSort && (value === null || isStored(value)) && isStored(tie) && isCode) {
      return { value, tie, code };
    }
  } catch {
    // Not a cursor of ours; refused below.
  }
  throw new Problem(
    'cursor_malformed',
    'Body member cursor must be the next_cursor of a page with the same sort.',
    { field: 'cursor' },
  );
}

function foundRecord(product: Product, facts: StoredFacts) {
  return {
    retailer_product_code: product.code,
    product_name: product.name,
    brand: product.brand,
    categories: product.categories,
    buybox_seller: facts.buyboxSeller,
    ...Object.fromEntries(FACT_NAMES.map((name) => [name, factValue(name, facts.values[name])])),
    observed_90d: facts.observed90d / 100,
    last_updated: isoTime(facts.observedAtMs),
  };
}
