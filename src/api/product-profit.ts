// POST /retailer/product/profit: fees, margin, break-even price and return on investment of up to
// 100 products from the seller's own costs, for 3 credits a product.
import { type Static, Type } from 'typebox';
import { breakEvenCents } from '../catalog/break-even.ts';
import { type FeeSchedule, feesFor, type Sale } from '../catalog/fee-schedule.ts';
import type { Product } from '../catalog/product.ts';
import type { Backfill } from '../collection/backfill.ts';
import type { LookUp } from '../collection/look-up.ts';
import { lookUpMany } from '../collection/look-up-many.ts';
import { readManyStatistics } from '../collection/read-many-statistics.ts';
import { priceList } from '../credits/price-list.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { dollars } from '../foundation/money.ts';
import { Problem } from '../foundation/problem.ts';
import type { Statistics } from '../history/read-statistics.ts';
import { medianOf } from '../history/step-summary.ts';
import { attempt, ItemError, itemError, readItem } from './bulk-items.ts';
import { type Endpoint, type EndpointRequest, endpoint } from './metered.ts';
import { SellerTypeText } from './product-fees.ts';
import { noSuchProduct, ProductCode, refuseWithdrawn } from './product-selector.ts';
import { CHECKED_ALONE } from './request-values.ts';
import { windowsAt } from './statistics-record.ts';
import { DateTime, describedAs, isoTime, nullable } from './wire.ts';

const ITEMS_MAX = bounds.batchItemsMax;
const USD_MAX = 1_000_000;
const TYPICAL_DAYS = 90;

const Amount = (description: string) =>
  Type.Number({
    minimum: 0,
    maximum: USD_MAX,
    description: `a number of USD from 0 to ${USD_MAX} with at most two decimals: ${description}`,
  });

const ProfitItem = Type.Object(
  {
    retailer_product_code: ProductCode,
    cost: Amount('what you pay for the product'),
    shipping: Type.Optional(Amount('what you pay to ship it; 0 if absent')),
    price: Type.Optional(Amount('the price at which you want to sell it')),
    seller_type: Type.Optional(SellerTypeText),
  },
  { title: 'ProfitItem' },
);

const limits = { minItems: 1, maxItems: ITEMS_MAX };
const description = `a list of 1 to ${ITEMS_MAX} items`;
const ProfitBody = Type.Object(
  {
    items: Type.Array(Type.Unknown(), {
      ...limits,
      description,
      [CHECKED_ALONE]: true,
      ...describedAs(Type.Array(ProfitItem, { ...limits, description })),
    }),
  },
  { title: 'ProfitRequest' },
);
type Body = Static<typeof ProfitBody>;

const Usd = Type.Number({ description: 'USD' });
const Share = (text: string) => nullable(Type.Number({ description: text }));

const ProfitAtPrice = Type.Object(
  {
    price: Usd,
    referral_fee: Usd,
    closing_fee: Usd,
    shipping_fee: Usd,
    total_fees: Usd,
    proceeds: Type.Number({ description: 'USD; the price minus the fees' }),
    profit: Type.Number({ description: 'USD; the proceeds minus cost and shipping' }),
    margin: Share('Profit as a share of the price; null if the price is 0.'),
    roi: Share('Profit as a share of cost and shipping; null if they are 0.'),
  },
  { title: 'ProfitAtPrice' },
);

const ProfitRecord = Type.Object(
  {
    status: Type.Integer({ description: 'The status of this item.' }),
    credits: Type.Integer({
      minimum: 0,
      description: 'Its part of the charge; 0 if an earlier item names the same product.',
    }),
    retailer_product_code: Type.Optional(Type.String()),
    break_even_price: Type.Optional(
      nullable(
        Type.Number({
          description:
            'USD; the lowest price whose proceeds cover cost and shipping; null if none does.',
        }),
      ),
    ),
    at_buybox: Type.Optional(nullable(ProfitAtPrice)),
    at_price: Type.Optional(nullable(ProfitAtPrice)),
    at_typical: Type.Optional(nullable(ProfitAtPrice)),
    category: Type.Optional(Type.String({ description: 'The fee schedule category.' })),
    unsettled: Type.Optional(
      Type.Boolean({ description: 'True if public sources do not settle the exact fees.' }),
    ),
    last_updated: Type.Optional(DateTime('When the buybox price was observed')),
    error: Type.Optional(ItemError),
  },
  { title: 'Profit' },
);
const Results = Type.Object(
  {
    results: Type.Array(ProfitRecord, { description: 'One per item, in the order of the items.' }),
  },
  { title: 'ProfitResults' },
);

type Deps = {
  db: Database;
  log: Log;
  lookUp: LookUp;
  backfill: Backfill;
  feeSchedule: FeeSchedule;
  clock: Clock;
};

export const productProfit = (deps: Deps): Endpoint =>
  endpoint({
    method: 'POST',
    path: '/retailer/product/profit',
    operation: 'profit',
    operationId: 'products.calculateProfit',
    tag: 'Products',
    summary: 'Profit of selling products',
    description: `Fees, proceeds, profit, margin and return on investment at today’s buybox price (\`at_buybox\`), at the price you want (\`at_price\`) and at the typical price of ${TYPICAL_DAYS} days (\`at_typical\`), and the break-even price, of up to ${ITEMS_MAX} products. A price that is not known gives null. Costs ${priceList.profit} credits per product that is found; each counts as one request.`,
    bucket: 'product',
    body: ProfitBody,
    responses: { 200: Results },
    heavy: () => true,
    price: (_, { body }) => codesOf(itemsOf(body as Body)).length * priceList.profit,
    tokens: (body) => ({ product: Math.max(0, codesOf(itemsOf(body)).length - 1) }),
    respond: (request) => respond(deps, request),
  });

type Item = {
  code: string;
  costsCents: number;
  priceCents: number | null;
  sellerType: Sale['sellerType'];
};

/** Price, rate limit and response need the items of a body; they are read once. */
const itemsByBody = new WeakMap<Body, (Item | Problem)[]>();

function itemsOf(body: Body): (Item | Problem)[] {
  const items = itemsByBody.get(body) ?? body.items.map((value) => attempt(() => itemOf(value)));
  itemsByBody.set(body, items);
  return items;
}

function itemOf(value: unknown): Item {
  const item = readItem(ProfitItem, value);
  return {
    code: item.retailer_product_code,
    costsCents: centsOf(item.cost, 'cost') + centsOf(item.shipping ?? 0, 'shipping'),
    priceCents: item.price === undefined ? null : centsOf(item.price, 'price'),
    sellerType: item.seller_type ?? null,
  };
}

/** 19.99 is not exactly 1999 hundredths: the nearest cent must be the number that was sent. */
function centsOf(usd: number, field: string): number {
  const cents = Math.round(usd * 100);
  if (dollars(cents) === usd) return cents;
  throw new Problem(
    'parameter_invalid',
    `Member ${field} must be a number of USD with at most two decimals; got ${usd}.`,
    { field },
  );
}

const codesOf = (items: readonly (Item | Problem)[]): string[] => [
  ...new Set(items.flatMap((item) => (item instanceof Problem ? [] : [item.code]))),
];

async function respond(
  deps: Deps,
  { body, caller, takeTurn }: EndpointRequest<unknown, unknown, Body>,
) {
  const { accountId } = caller.account;
  const items = itemsOf(body);
  const products = await lookUpMany(deps, { codes: codesOf(items), accountId });
  const listed = items.map((item) => {
    if (item instanceof Problem) return item;
    const product = products.get(item.code);
    if (product instanceof Error) return product;
    if (product === undefined) return noSuchProduct(item.code);
    return attempt(() => ({ item, product: refuseWithdrawn(deps, product) }));
  });
  const codes = new Set(listed.flatMap((one) => (one instanceof Error ? [] : [one.product.code])));
  const statistics = await readManyStatistics(
    { ...deps, takeTurn },
    { codes: [...codes], accountId },
    windowsAt(deps.clock.nowMs(), [TYPICAL_DAYS]),
  );
  const charged = new Set<string>();
  const results = listed.map((one) => {
    if (one instanceof Error) return { credits: 0, ...itemError(one) };
    const { code } = one.product;
    const credits = charged.has(code) ? 0 : priceList.profit;
    charged.add(code);
    const typicalCents = typicalOf(statistics.get(code));
    return { status: 200, credits, ...profitRecord(deps, one, typicalCents) };
  });
  return { json: { results }, credits: charged.size * priceList.profit };
}

function typicalOf(statistics: Statistics | undefined): number | null {
  const price = statistics?.windows[0]?.price;
  return price === undefined ? null : medianOf(price);
}

function profitRecord(
  { feeSchedule, clock }: Deps,
  { item, product }: { item: Item; product: Product },
  typicalCents: number | null,
) {
  const sale = {
    categories: product.categories,
    sellerType: item.sellerType ?? product.sellerType,
    weightLb: product.shippingWeightLb,
    onDay: isoTime(clock.nowMs()).slice(0, 10),
  };
  const at = (priceCents: number | null) =>
    priceCents === null ? null : profitAt(feeSchedule, { ...sale, priceCents }, item.costsCents);
  const breakEven = breakEvenCents(feeSchedule, sale, item.costsCents);
  const { category, unsettled } = feesFor(feeSchedule, { ...sale, priceCents: breakEven ?? 0 });
  return {
    retailer_product_code: product.code,
    break_even_price: breakEven === null ? null : dollars(breakEven),
    at_buybox: at(product.buybox?.priceCents ?? null),
    at_price: at(item.priceCents),
    at_typical: at(typicalCents),
    category,
    unsettled,
    last_updated: isoTime(product.observedAtMs),
  };
}

function profitAt(schedule: FeeSchedule, sale: Sale, costsCents: number) {
  const fees = feesFor(schedule, sale);
  const proceedsCents = sale.priceCents - fees.totalCents;
  const profitCents = proceedsCents - costsCents;
  return {
    price: dollars(sale.priceCents),
    referral_fee: dollars(fees.referralCents),
    closing_fee: dollars(fees.closingCents),
    shipping_fee: dollars(fees.shippingCents),
    total_fees: dollars(fees.totalCents),
    proceeds: dollars(proceedsCents),
    profit: dollars(profitCents),
    margin: shareOf(profitCents, sale.priceCents),
    roi: shareOf(profitCents, costsCents),
  };
}

/** Four digits. */
const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
