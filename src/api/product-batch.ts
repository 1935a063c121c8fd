// POST /retailer/products/batch: up to 100 products with one request. Each item has its own result
// or error; what was delivered is charged once.
import { type Static, Type } from 'typebox';
import type { FeeSchedule } from '../catalog/fee-schedule.ts';
import type { Product } from '../catalog/product.ts';
import type { Backfill } from '../collection/backfill.ts';
import type { LookUp } from '../collection/look-up.ts';
import { type LookedUp, lookUpGtins, lookUpMany } from '../collection/look-up-many.ts';
import { readManyStatistics } from '../collection/read-many-statistics.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import type { Statistics } from '../history/read-statistics.ts';
import type { Tokens } from './authenticate.ts';
import { attempt, ItemError, itemError, readItem } from './bulk-items.ts';
import { type Endpoint, type EndpointRequest, endpoint } from './metered.ts';
import {
  DetailsRecord,
  detailsRecord,
  Ean,
  gtinOf,
  type ProductSelector,
  productNotFound,
  Upc,
} from './product-details.ts';
import { FeesRecord, feesRecord } from './product-fees.ts';
import { InventoryRecord, inventoryRecord } from './product-offers.ts';
import { noSuchProduct, ProductCode, refuseWithdrawn } from './product-selector.ts';
import { CHECKED_ALONE } from './request-values.ts';
import {
  DAYS_MAX,
  DEFAULT_DAYS,
  hasObservations,
  StatisticsRecord,
  statisticsRecord,
  WINDOWS_MAX,
  windowsAt,
} from './statistics-record.ts';
import { FormatQuery } from './table-response.ts';
import { describedAs } from './wire.ts';

const PARTS = ['details', 'offers', 'fees', 'stats'] as const;
type PartName = (typeof PARTS)[number];

const ITEMS_MAX = bounds.batchItemsMax;

/** Numbers are checked one by one: a malformed one gets its own error. */
const Numbers = (of: typeof Upc, description: string) =>
  Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: ITEMS_MAX,
      description,
      [CHECKED_ALONE]: true,
      ...describedAs(Type.Array(of, { maxItems: ITEMS_MAX, description })),
    }),
  );

const BatchBody = Type.Object(
  {
    codes: Numbers(ProductCode, 'a list of product codes'),
    upcs: Numbers(Upc, 'a list of UPCs'),
    eans: Numbers(Ean, 'a list of EANs'),
    include: Type.Optional(
      Type.Array(
        Type.Unsafe<PartName>({
          type: 'string',
          enum: [...PARTS],
          description: 'details, offers, fees or stats',
        }),
        {
          minItems: 1,
          maxItems: PARTS.length,
          description: 'a list of the parts to return; details if absent',
        },
      ),
    ),
    days: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: DAYS_MAX }), {
        minItems: 1,
        maxItems: WINDOWS_MAX,
        uniqueItems: true,
        description: `a list of 1 to ${WINDOWS_MAX} different lengths of windows from 1 to ${DAYS_MAX} days, for stats`,
      }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        description: 'true or false; true adds how many observations led to the stats, and how',
      }),
    ),
  },
  { title: 'ProductBatch' },
);
type Body = Static<typeof BatchBody>;

const Result = Type.Object(
  {
    requested: Type.Object(
      {
        retailer_product_code: Type.Optional(Type.Unknown()),
        upc: Type.Optional(Type.Unknown()),
        ean: Type.Optional(Type.Unknown()),
      },
      { title: 'RequestedProduct', description: 'The number of the item as it was sent.' },
    ),
    status: Type.Integer({ description: 'The status that a call for this item alone returns.' }),
    credits: Type.Integer({
      minimum: 0,
      description: 'Its part of the charge; 0 if an earlier item names the same product.',
    }),
    details: Type.Optional(DetailsRecord),
    offers: Type.Optional(InventoryRecord),
    fees: Type.Optional(FeesRecord),
    stats: Type.Optional(StatisticsRecord),
    part_errors: Type.Optional(
      Type.Object(
        { fees: Type.Optional(ItemError) },
        { title: 'PartErrors', description: 'Parts that cannot be returned; they are free.' },
      ),
    ),
    error: Type.Optional(ItemError),
  },
  { title: 'ProductBatchResult' },
);
const Results = Type.Object(
  {
    results: Type.Array(Result, {
      description: 'One per item: the codes, then the UPCs, then the EANs, each in their order.',
    }),
  },
  { title: 'ProductBatchResults' },
);

type Deps = {
  db: Database;
  log: Log;
  lookUp: LookUp;
  backfill: Backfill;
  feeSchedule: FeeSchedule;
  clock: Clock;
};

export const productBatch = (deps: Deps): Endpoint =>
  endpoint({
    method: 'POST',
    path: '/retailer/products/batch',
    operation: 'batch',
    operationId: 'products.getBatch',
    tag: 'Products',
    summary: 'Many products at once',
    description: `Up to ${ITEMS_MAX} products by code, UPC or EAN. Costs what the parts of the products that were found cost: details ${priceList.details}, offers ${priceList.offers}, fees ${priceList.fees}, stats ${priceList.stats}; a product that is named twice is charged once. \`dry_run\` and \`x-max-credits\` count every well-formed item as found. Details and stats count as one request per 10 items, offers and fees as one per product; the request waits up to ${bounds.tokensWaitMaxMs / 1_000} seconds for them. \`days\` and \`explain\` apply to stats, as for one product. With \`Accept: application/x-ndjson\` each result is a line.`,
    bucket: 'details',
    query: Type.Object(FormatQuery),
    body: BatchBody,
    responses: { 200: Results },
    heavy: () => true,
    check: (_, body) => {
      refuseNoneOrTooMany(body);
      refuseWithoutStats(body);
    },
    price: (_, { body }) => distinctKeys(body as Body).size * priceOf(partsOf(body as Body)),
    tokens: tokensOf,
    respond: (request) => respond(deps, request),
  });

const partsOf = ({ include = ['details'] }: Body): readonly PartName[] => [...new Set(include)];

const priceOf = (parts: readonly PartName[]) =>
  parts.reduce((sum, part) => sum + priceList[part], 0);

function refuseNoneOrTooMany({ codes = [], upcs = [], eans = [] }: Body): void {
  const count = codes.length + upcs.length + eans.length;
  if (count >= 1 && count <= ITEMS_MAX) return;
  throw new Problem(
    'parameter_invalid',
    `Body members codes, upcs and eans must have 1 to ${ITEMS_MAX} items together; got ${count}.`,
    { field: 'codes' },
  );
}

/** They would change nothing. */
function refuseWithoutStats(body: Body): void {
  if (partsOf(body).includes('stats')) return;
  const field = (['days', 'explain'] as const).find((name) => body[name] !== undefined);
  if (field === undefined) return;
  const sentence = `Body member ${field} needs "stats" in include.`;
  throw new Problem('parameter_invalid', sentence, { field });
}

/** The request itself is one request of the details bucket, which the first ten items are. */
function tokensOf(body: Body): Tokens {
  const parts = partsOf(body);
  const count = distinctKeys(body).size;
  const isLight = parts.includes('details') || parts.includes('stats');
  const isHeavy = parts.includes('offers') || parts.includes('fees');
  return {
    details: isLight ? Math.max(0, Math.ceil(count / 10) - 1) : 0,
    product: isHeavy ? count : 0,
  };
}

/** An item as it was sent, and what it selects: a code or a GTIN, or why it is invalid. */
type Item = { requested: ProductSelector; selected: Selected | Problem };
type Selected = { code: string } | { gtin: string };

const ByCodeItem = Type.Object({ retailer_product_code: ProductCode });
const ByUpcItem = Type.Object({ upc: Upc });
const ByEanItem = Type.Object({ ean: Ean });

/** Price, rate limit and response need the items of a body; they are read once. */
const itemsByBody = new WeakMap<Body, Item[]>();

function itemsOf(body: Body): Item[] {
  const items = itemsByBody.get(body) ?? readItems(body);
  itemsByBody.set(body, items);
  return items;
}

function readItems({ codes = [], upcs = [], eans = [] }: Body): Item[] {
  const item = (requested: unknown, select: (value: unknown) => Selected): Item => ({
    requested: requested as ProductSelector,
    selected: attempt(() => select(requested)),
  });
  return [
    ...codes.map((code) =>
      item({ retailer_product_code: code }, (value) => ({
        code: readItem(ByCodeItem, value).retailer_product_code,
      })),
    ),
    ...upcs.map((upc) => item({ upc }, (value) => ({ gtin: gtinOf(readItem(ByUpcItem, value)) }))),
    ...eans.map((ean) => item({ ean }, (value) => ({ gtin: gtinOf(readItem(ByEanItem, value)) }))),
  ];
}

const keyOf = (selected: Selected) =>
  'code' in selected ? `code ${selected.code}` : `gtin ${selected.gtin}`;

/** Well-formed items, each once. */
const distinctKeys = (body: Body): Set<string> =>
  new Set(
    itemsOf(body).flatMap(({ selected }) => (selected instanceof Problem ? [] : [keyOf(selected)])),
  );

async function respond(
  deps: Deps,
  { body, caller, takeTurn }: EndpointRequest<unknown, unknown, Body>,
) {
  const { accountId } = caller.account;
  const items = itemsOf(body);
  const parts = partsOf(body);
  const products = await findAll(deps, items, accountId);
  const { days = DEFAULT_DAYS, explain = false } = body;
  const windows = windowsAt(deps.clock.nowMs(), days);
  const codes = new Set(products.flatMap((product) => (isProduct(product) ? [product.code] : [])));
  const statistics = parts.includes('stats')
    ? await readManyStatistics({ ...deps, takeTurn }, { codes: [...codes], accountId }, windows)
    : new Map<string, Statistics>();
  const charged = new Set<string>();
  const results = items.map(({ requested }, index) => {
    const product = products[index];
    if (!isProduct(product)) return { requested, credits: 0, ...itemError(product) };
    const read = statistics.get(product.code);
    const { credits, ...record } = resultOf(deps, product, {
      parts,
      stats: read && {
        read,
        record: statisticsRecord(product.code, read, { days, windows, explain }),
      },
    });
    const isRepeated = charged.has(product.code);
    charged.add(product.code);
    return { requested, status: 200, credits: isRepeated ? 0 : credits, ...record };
  });
  return {
    table: {
      columns: ['requested', 'status', 'credits', ...PARTS, 'part_errors', 'error'],
      pages: inTens(results),
      frame: { member: 'results', before: {} },
    },
    credits: results.reduce((sum, { credits }) => sum + credits, 0),
  };
}

async function* inTens<T>(records: readonly T[]): AsyncGenerator<readonly T[], void, undefined> {
  for (let start = 0; start < records.length; start += 10) yield records.slice(start, start + 10);
}

const isProduct = (value: Product | Error | undefined): value is Product =>
  value !== undefined && !(value instanceof Error);

/** The product of each item, or why there is none; equal items are looked up once. */
async function findAll(
  deps: Deps,
  items: readonly Item[],
  accountId: string,
): Promise<(Product | Error)[]> {
  const selected = items.flatMap((item) =>
    item.selected instanceof Problem ? [] : [item.selected],
  );
  const codes = new Set(selected.flatMap((one) => ('code' in one ? [one.code] : [])));
  const gtins = new Set(selected.flatMap((one) => ('gtin' in one ? [one.gtin] : [])));
  const none: LookedUp = new Map();
  const [byCode, byGtin] = await Promise.all([
    codes.size === 0 ? none : lookUpMany(deps, { codes: [...codes], accountId }),
    gtins.size === 0 ? none : lookUpGtins(deps, { gtins: [...gtins], accountId }),
  ]);
  return items.map(({ requested, selected: one }) => {
    if (one instanceof Problem) return one;
    const product = 'code' in one ? byCode.get(one.code) : byGtin.get(one.gtin);
    if (product instanceof Error) {
      if (!(product instanceof Problem)) {
        deps.log.error({ requested, err: String(product.stack) }, 'item of a batch failed');
      }
      return product;
    }
    if (product !== undefined) return attempt(() => refuseWithdrawn(deps, product));
    return 'code' in one ? noSuchProduct(one.code) : productNotFound(requested, one.gtin);
  });
}

type Stats = { read: Statistics; record: unknown };

/** The parts of one product, and what those that have data cost. */
function resultOf(
  deps: Deps,
  product: Product,
  { parts, stats }: { parts: readonly PartName[]; stats: Stats | undefined },
) {
  const record: Record<string, unknown> = {};
  let credits = 0;
  const add = (part: PartName, value: unknown, isCharged = true) => {
    record[part] = value;
    if (isCharged) credits += priceList[part];
  };
  for (const part of parts) {
    if (part === 'details') add(part, detailsRecord(product));
    else if (part === 'offers') add(part, inventoryRecord(product));
    else if (part === 'stats') {
      if (stats !== undefined) add(part, stats.record, hasObservations(stats.read));
    } else {
      const fees = attempt(() => feesRecord(deps, product, product.sellerType));
      if (fees instanceof Problem) record.part_errors = { fees: itemError(fees).error };
      else add(part, fees);
    }
  }
  return { ...record, credits };
}
