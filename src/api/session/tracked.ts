// /session/tracked: an account's tracked products with the data of their paid days, as of each
// product's last slot. Free, and never charges a day: unpaid data is not shown.
import { Type } from 'typebox';
import { eanOf, upcOf } from '../../catalog/gtin.ts';
import type { Product } from '../../catalog/product.ts';
import { readProducts } from '../../catalog/products.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { dollars } from '../../foundation/money.ts';
import { DAY_MS } from '../../foundation/time.ts';
import { readAsOf, readManyAsOf, type ShelfAsOf } from '../../history/as-of.ts';
import { readObservations } from '../../history/read-observations.ts';
import { IN_TIME_DAYS, type InTimeShare, inTimeShare } from '../../tracking/in-time-days.ts';
import { tierOn } from '../../tracking/paid-day.ts';
import { readPaidDays } from '../../tracking/read-paid-days.ts';
import { readCollectionStatuses } from '../../tracking/schedule.ts';
import type { CollectionStatus } from '../../tracking/schedule-row.ts';
import { DAYS_SHOWN } from '../../tracking/settle-days.ts';
import { dayOf } from '../../tracking/slot.ts';
import { creditsPerDay } from '../../tracking/tier.ts';
import type { TrackedProduct } from '../../tracking/tracked-product.ts';
import {
  listTracked,
  readTrackedCodes,
  type TrackedPosition,
} from '../../tracking/tracked-products.ts';
import { readSeen } from '../../tracking/watchers.ts';
import type { TakeTurn } from '../heavy-requests.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { firstPage, nextPage, PAGE_LIMIT_MAX } from '../paging.ts';
import { type PaidView, paidView } from '../paid-view.ts';
import { delistedMember, TrackedDelistedAt } from '../product-selector.ts';
import { RulesSchema } from '../rules-schema.ts';
import { ById, ownProduct, readTrackedCursor, trackedPosition } from '../tracked-products.ts';
import { TrackedRecord } from '../tracked-record.ts';
import { DateTime, isoTime, nullable } from '../wire.ts';
import { ATTENTION_CODES, needsAttention } from './tracked-attention.ts';
import { TRACKED_SESSION_PATH, trackedHistoryEndpoint, Units, Usd } from './tracked-history.ts';
import { trackedSellersEndpoint } from './tracked-sellers.ts';
import { trackedTrendsEndpoint } from './tracked-trends.ts';

const PATH = TRACKED_SESSION_PATH;

const Slots = (description: string) => Type.Integer({ minimum: 0, description });

const TrackedRow = Type.Object(
  {
    id: Type.String(),
    retailer_product_code: Type.String(),
    product_name: nullable(Type.String()),
    brand: nullable(Type.String()),
    created_at: DateTime('When the product was added'),
    tier: Type.Integer({ minimum: 0, maximum: 4 }),
    status: Type.String({ enum: ['active', 'suspended'] }),
    seller_name: nullable(Type.String()),
    rules: RulesSchema,
    tags: TrackedRecord.properties.tags,
    metadata: TrackedRecord.properties.metadata,
    ends_at: TrackedRecord.properties.ends_at,
    current_price: nullable(Usd),
    buybox_seller: nullable(Type.String()),
    units_in_stock: Units,
    last_updated: nullable(DateTime('When the data was observed')),
    next_due_at: nullable(DateTime('When the next collection is due; null while suspended')),
    consecutive_failures: Type.Integer({ minimum: 0 }),
    shown_day: nullable(
      Type.String({
        description:
          'The last paid UTC day, YYYY-MM-DD, whose data is shown; null if no day was paid.',
      }),
    ),
    shown_tier: nullable(
      Type.Integer({ minimum: 0, maximum: 4, description: 'The tier that was paid for this day.' }),
    ),
    slots_due_today: Slots('Collections that were due at this tier since midnight UTC'),
    slots_in_time_today: Slots('Those that arrived within a tenth of their interval'),
    slots_due_week: Slots(
      'Collections that were due at this tier today and on the six days before',
    ),
    slots_in_time_week: Slots('Those that arrived within a tenth of their interval'),
    credits_for_today: Type.Integer({
      minimum: 0,
      description:
        'The cost of today’s data from GET /retailer/oversight/products/{id}; 0 if it is paid.',
    }),
    delisted_at: TrackedDelistedAt,
    attention: nullable(
      Type.String({ description: 'Why the product needs attention, as a sentence.' }),
    ),
    attention_code: nullable(Type.Union(ATTENTION_CODES.map((code) => Type.Literal(code)))),
  },
  { title: 'TrackedRow' },
);

const TrackedPage = Type.Object(
  {
    ...TrackedRow.properties,
    categories: Type.Array(Type.String()),
    upc: nullable(Type.String()),
    ean: nullable(Type.String()),
    customer_rating: nullable(Type.Number()),
    number_of_reviews: nullable(Type.Integer()),
    rank: nullable(
      Type.Object(
        { position: Type.Integer(), category: nullable(Type.String()) },
        { title: 'TrackedRank' },
      ),
    ),
    offers: Type.Array(
      Type.Object(
        {
          seller_name: Type.String(),
          price: Usd,
          shipping: Usd,
          units_in_stock: Units,
          last_updated: DateTime('When the offer was observed'),
        },
        { title: 'TrackedOffer' },
      ),
      { description: 'Every seller for a day paid at tier 0; otherwise empty.' },
    ),
  },
  { title: 'TrackedPage' },
);

type Deps = { db: Database; log: Log; clock: Clock };

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

export function trackedEndpoints(deps: Deps): Endpoint[] {
  return [
    listEndpoint(deps),
    oneEndpoint(deps),
    trackedHistoryEndpoint(deps),
    trackedSellersEndpoint(deps),
    trackedTrendsEndpoint(deps),
  ];
}

const listEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    path: PATH,
    operation: 'session-tracked',
    operationId: 'session.listTrackedProducts',
    summary: 'Tracked products with their values, newest first',
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_MAX }),
      ),
      after: Type.Optional(Type.String({ maxLength: 200 })),
      attention: Type.Optional(
        Type.Boolean({
          description: 'true or false; true returns the products that need attention',
        }),
      ),
      retailer_product_code: Type.Optional(
        Type.String({ pattern: '^\\d{1,20}$', description: 'a product code of 1 to 20 digits' }),
      ),
    }),
    responses: { 200: Type.Array(TrackedRow) },
    list: { record: TrackedRow },
    heavy: ({ attention }) => attention === true,
    async respond({ query, caller, takeTurn }) {
      const { accountId, sellerName } = caller.account;
      const code = query.retailer_product_code;
      if (code !== undefined) {
        const tracked = await readTrackedCodes(deps.db, { accountId, codes: [code] });
        return { json: await trackedRows(deps, tracked, sellerName) };
      }
      const limit = query.limit ?? PAGE_LIMIT_MAX;
      if (query.attention === true) {
        return {
          json: await listNeedingAttention({ ...deps, takeTurn }, { accountId, sellerName, limit }),
        };
      }
      const before = query.after === undefined ? undefined : readTrackedCursor(query.after);
      const rows = await listTracked(deps.db, { accountId, before, limit: limit + 1 });
      const first = firstPage(rows, limit);
      return {
        json: await trackedRows(deps, first.page, sellerName),
        ...nextPage(first, { path: PATH, limit, positionOf: trackedPosition }),
      };
    },
  });

/** The collected data of a tracked product. */
type CollectedData = {
  product: Product | undefined;
  health: CollectionStatus | undefined;
  /** The visible data of its paid days; null if no day was paid. */
  view: PaidView | null;
  today: InTimeShare;
  week: InTimeShare;
  /** The offers as of that view. */
  shelf: ShelfAsOf | undefined;
  creditsForToday: number;
};

/** The first products that need attention; reads the whole list for them, one page at a time. */
async function listNeedingAttention(
  deps: Deps & { takeTurn: TakeTurn },
  { accountId, sellerName, limit }: { accountId: string; sellerName: string | null; limit: number },
): Promise<unknown[]> {
  const needy: unknown[] = [];
  let before: TrackedPosition | undefined;
  while (needy.length < limit) {
    const page = await deps.takeTurn(async () => {
      const tracked = await listTracked(deps.db, {
        accountId,
        before,
        limit: READ_AT_ONCE,
      });
      return { rows: await trackedRows(deps, tracked, sellerName), last: tracked.at(-1), tracked };
    });
    needy.push(...page.rows.filter(({ attention }) => attention !== null));
    if (page.last === undefined || page.tracked.length < READ_AT_ONCE) break;
    before = page.last;
  }
  return needy.slice(0, limit);
}

const READ_AT_ONCE = 250;

async function trackedRows(
  deps: Deps,
  tracked: readonly TrackedProduct[],
  ownSeller: string | null,
) {
  const accountId = tracked[0]?.accountId;
  if (accountId === undefined) return [];
  const codes = tracked.map(({ code }) => code);
  const [products, healthRecords, paid] = await Promise.all([
    readProducts(deps.db, codes),
    readCollectionStatuses(deps.db, codes),
    readPaid(deps, tracked),
  ]);
  const shelves = await readManyAsOf(
    deps,
    [...paid].flatMap(([code, { view }]) => (view === null ? [] : [{ code, atMs: view.seenAtMs }])),
  );
  return tracked.map((one) =>
    trackedRow(one, ownSeller, {
      product: products.get(one.code),
      health: healthRecords.get(one.code),
      shelf: shelves.get(one.code),
      ...(paid.get(one.code) as Paid),
    }),
  );
}

type Paid = Pick<CollectedData, 'view' | 'creditsForToday' | 'today' | 'week'>;

/** What an account has paid for some of its products, by code. */
async function readPaid(
  deps: Deps,
  tracked: readonly TrackedProduct[],
): Promise<Map<string, Paid>> {
  const accountId = tracked[0]?.accountId as string;
  const codes = tracked.map(({ code }) => code);
  const nowMs = deps.clock.nowMs();
  const today = dayOf(nowMs);
  const [seen, paid] = await Promise.all([
    readSeen(deps.db, { accountId, codes }),
    readPaidDays(deps.db, { accountId, codes, fromDay: today - DAYS_SHOWN }),
  ]);
  const paidByCode = new Map<string, Paid>();
  for (const { code, tier } of tracked) {
    const spans = paid.get(code) ?? [];
    const view = await paidView(deps, {
      code,
      today,
      paid: spans,
      seenAtMs: seen.get(code)?.seenAtMs ?? null,
    });
    const paidTier = tierOn(spans, today);
    const owed = creditsPerDay(tier) - (paidTier === null ? 0 : creditsPerDay(paidTier));
    const watcher = seen.get(code);
    const shareSince = (fromDay: number) =>
      watcher === undefined ? { due: 0, inTime: 0 } : inTimeShare(watcher, { fromDay, nowMs });
    paidByCode.set(code, {
      view,
      creditsForToday: Math.max(0, owed),
      today: shareSince(today),
      week: shareSince(today - IN_TIME_DAYS + 1),
    });
  }
  return paidByCode;
}

function trackedRow(tracked: TrackedProduct, ownSeller: string | null, data: CollectedData) {
  const { product, health, view, shelf } = data;
  const timeOrNull = (atMs: number | null | undefined) =>
    atMs === null || atMs === undefined ? null : isoTime(atMs);
  const attention = needsAttention({
    isSuspended: tracked.isSuspended,
    failures: health?.consecutiveFailures ?? 0,
    watchedSeller: tracked.sellerName ?? ownSeller,
    shelf,
    delistedAtMs: product?.delistedAtMs,
  });
  return {
    id: tracked.trackedId,
    retailer_product_code: tracked.code,
    product_name: product?.name ?? null,
    brand: product?.brand ?? null,
    created_at: isoTime(tracked.createdAtMs),
    tier: tracked.tier,
    status: tracked.isSuspended ? 'suspended' : 'active',
    seller_name: tracked.sellerName,
    rules: tracked.rules,
    tags: tracked.tags,
    metadata: tracked.metadata,
    ends_at: timeOrNull(tracked.endsAtMs),
    current_price: shelf?.buybox == null ? null : dollars(shelf.buybox.priceCents),
    buybox_seller: shelf?.buybox?.sellerName ?? null,
    units_in_stock: shelf?.unitsInStock ?? null,
    last_updated: timeOrNull(view?.seenAtMs),
    next_due_at: tracked.isSuspended ? null : timeOrNull(health?.nextDueAtMs),
    consecutive_failures: health?.consecutiveFailures ?? 0,
    shown_day: view === null ? null : isoTime(view.day * DAY_MS).slice(0, 10),
    shown_tier: view?.tier ?? null,
    slots_due_today: data.today.due,
    slots_in_time_today: data.today.inTime,
    slots_due_week: data.week.due,
    slots_in_time_week: data.week.inTime,
    credits_for_today: data.creditsForToday,
    attention: attention?.sentence ?? null,
    attention_code: attention?.code ?? null,
    ...(product && delistedMember(product)),
  };
}

const oneEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    path: `${PATH}/:id`,
    operation: 'session-tracked-product',
    operationId: 'session.getTrackedProduct',
    summary: 'A tracked product at the detail of its tier',
    params: ById,
    responses: { 200: TrackedPage },
    errors: [404],
    async respond({ params, caller }) {
      const tracked = await ownProduct(deps, params.id, caller);
      const { code } = tracked;
      const [products, healthRecords, paid] = await Promise.all([
        readProducts(deps.db, [code]),
        readCollectionStatuses(deps.db, [code]),
        readPaid(deps, [tracked]),
      ]);
      const paidData = paid.get(code) as Paid;
      const [shelf, rank] =
        paidData.view === null
          ? [undefined, null]
          : await Promise.all([
              readAsOf(deps, { code, atMs: paidData.view.seenAtMs }),
              rankAsOf(deps, { code, atMs: paidData.view.seenAtMs }),
            ]);
      const product = products.get(code);
      const data = { product, health: healthRecords.get(code), shelf, ...paidData };
      const offers = paidData.view?.tier === 0 ? (shelf?.offers ?? []) : [];
      return {
        json: {
          ...trackedRow(tracked, caller.account.sellerName, data),
          ...describe(product),
          rank,
          offers: offers.map((offer) => ({
            seller_name: offer.sellerName,
            price: dollars(offer.priceCents),
            shipping: dollars(offer.shippingCents),
            units_in_stock: offer.unitsInStock,
            last_updated: isoTime(offer.seenAtMs),
          })),
        },
      };
    },
  });

/** The rank at an instant; the catalogue's rank may be newer than what this tier has seen. */
async function rankAsOf(deps: Deps, { code, atMs }: { code: string; atMs: number }) {
  const fromAtSeconds = Math.floor(atMs / 1000);
  const toAtSeconds = fromAtSeconds + 1;
  const observations = await readObservations(deps, code, { fromAtSeconds, toAtSeconds });
  return observations.at(-1)?.rank ?? null;
}

/** The product data that does not change with each observation. */
function describe(product: Product | undefined) {
  return {
    categories: product?.categories ?? [],
    upc: product?.gtin ? upcOf(product.gtin) : null,
    ean: product?.gtin ? eanOf(product.gtin) : null,
    customer_rating: product?.customerRating ?? null,
    number_of_reviews: product?.reviewCount ?? null,
  };
}
