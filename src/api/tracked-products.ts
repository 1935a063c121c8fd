// /retailer/oversight/products: an account's tracked products. Adding, listing and removing are
// free; each tracked day is charged.
import { Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import type { LookUp } from '../collection/look-up.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { mergeRules, readRules } from '../events/read-rules.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Position } from '../foundation/cursor.ts';
import { isId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { unstorablePath } from '../foundation/storable-text.ts';
import { readUnitsPerDay } from '../sales/daily-sales.ts';
import { effectiveRules } from '../tracking/account-rule.ts';
import { listAccountRules } from '../tracking/account-rules.ts';
import { DEFAULT_TIER } from '../tracking/tier.ts';
import { changeTracked, noSuchTracked, trackProduct, untrackProducts } from '../tracking/track.ts';
import { isEnded, type TrackedProduct } from '../tracking/tracked-product.ts';
import { findTracked, listTracked, type TrackedFilter } from '../tracking/tracked-products.ts';
import { walkTracked } from '../tracking/walk-tracked.ts';
import { firstState } from '../tracking/watcher-change.ts';
import { type Endpoint, type EndpointResponse, endpoint } from './metered.ts';
import { firstPage, nextPage, PAGE_LIMIT_MAX, readCursor } from './paging.ts';
import { productByCode } from './product-selector.ts';
import { columnsOf, recordPages } from './table-response.ts';
import {
  NewTrackedProduct,
  ownSettings,
  TAG_PATTERN,
  TrackedRecord,
  TrackingSettings,
  trackedRecord,
  trackingOptionsOf,
  type WithDelisting,
  withDelisting,
} from './tracked-record.ts';
import {
  readTracking,
  recordParts,
  type Tracking,
  TrackingData,
  type TrackingDeps,
} from './tracking-data.ts';

export const TRACKED_PATH = '/retailer/oversight/products';
const PATH = TRACKED_PATH;

const SingleRecord = Type.Object(
  { ...TrackedRecord.properties, ...TrackingData.properties },
  { title: 'TrackedProductDetails' },
);

export const ById = Type.Object({
  id: Type.String({ maxLength: 100, description: 'the id of a tracked product' }),
});

export type TrackedDeps = BookingDeps & TrackingDeps & { lookUp: LookUp };
type Deps = TrackedDeps;

export function trackedProductEndpoints(deps: Deps): Endpoint[] {
  return [
    addEndpoint(deps),
    listEndpoint(deps),
    getEndpoint(deps),
    changeEndpoint(deps),
    removeEndpoint(deps),
  ];
}

const common = { tag: 'Tracked products', bucket: 'account' } as const;

const ONE_TAG = TAG_PATTERN.slice(1, -1);
const FilterQuery = {
  tags: Type.Optional(
    Type.String({
      pattern: `^${ONE_TAG}(?:,${ONE_TAG}){0,${bounds.tagsMax - 1}}$`,
      description: `1 to ${bounds.tagsMax} tags separated by commas; returns products that have all of them`,
    }),
  ),
  metadata: Type.Optional(
    Type.String({
      maxLength: bounds.metadataBytesMax,
      description: 'a JSON object; returns products whose metadata has all its members',
    }),
  ),
};

const addEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: PATH,
    operation: 'oversight-add',
    operationId: 'trackedProducts.create',
    summary: 'Track a product',
    description: `Costs no credits; each tracked day costs the price of its tier. \`tier\` defaults to ${DEFAULT_TIER}. Returns 200 if you track the product already.`,
    body: NewTrackedProduct,
    responses: { 200: TrackedRecord, 201: TrackedRecord },
    errors: [404, 409],
    async respond({ body, caller }) {
      const { accountId } = caller.account;
      const changes = trackingOptionsOf(body, deps.clock.nowMs());
      const product = await productByCode(deps.lookUp, {
        code: body.retailer_product_code,
        caller,
      });
      const unitsPerDay = await readUnitsPerDay(deps.db, [product.code]);
      const accountRules = await listAccountRules(deps.db, accountId);
      const state = firstState(product, {
        rules: readRules(effectiveRules(ownSettings(changes), accountRules)),
        estimatedUnitsPerDay: unitsPerDay.get(product.code) ?? null,
      });
      const { tracked, isNew } = await trackProduct(deps, {
        accountId,
        code: product.code,
        changes,
        first: { seenAtMs: product.observedAtMs, state },
      });
      return {
        status: isNew ? 201 : 200,
        json: trackedRecord({ ...tracked, delistedAtMs: product.delistedAtMs }, caller),
      };
    },
  });

const listEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'GET',
    path: PATH,
    operation: 'oversight-list',
    operationId: 'trackedProducts.list',
    summary: 'List tracked products',
    description: 'Newest first. Without `limit` the whole list is returned. Costs no credits.',
    query: Type.Object({
      ...FilterQuery,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: PAGE_LIMIT_MAX,
          description: `a whole number from 1 to ${PAGE_LIMIT_MAX}`,
        }),
      ),
      after: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'the cursor of the Link header with rel="next"',
        }),
      ),
    }),
    responses: { 200: Type.Array(TrackedRecord) },
    list: { record: TrackedRecord },
    heavy: ({ limit }) => limit === undefined,
    async respond({ query, caller, takeTurn }): Promise<EndpointResponse> {
      const { accountId } = caller.account;
      const { limit } = query;
      const filter = filterOf(query);
      const before = query.after === undefined ? undefined : readTrackedCursor(query.after);
      if (limit === undefined) {
        const list = walkTracked(deps.db, { accountId, before, filter }, takeTurn);
        const pages = withDelistings(deps, list);
        const records = recordPages(pages, (tracked) => trackedRecord(tracked, caller));
        return { table: { columns: columnsOf({ record: TrackedRecord }), pages: records } };
      }
      const rows = await listTracked(deps.db, { accountId, before, filter, limit: limit + 1 });
      const first = firstPage(rows, limit);
      const page = await withDelisting(deps, first.page);
      return {
        json: page.map((tracked) => trackedRecord(tracked, caller)),
        ...nextPage(first, {
          path: PATH,
          limit,
          filters: { tags: query.tags, metadata: query.metadata },
          positionOf: trackedPosition,
        }),
      };
    },
  });

/** Reads the filters of a list; throws for those that are not what they should be. */
function filterOf(query: { tags?: string; metadata?: string }): TrackedFilter {
  const metadata = query.metadata === undefined ? undefined : readObject(query.metadata);
  return { tags: query.tags?.split(','), metadata };
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject && unstorablePath(value) === null) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw new Problem('metadata_invalid', 'Query parameter metadata must be a JSON object.', {
    field: 'metadata',
  });
}

export const trackedPosition = ({ createdAtMs, trackedId }: TrackedProduct): Position => ({
  atMs: createdAtMs,
  id: trackedId,
});

export function readTrackedCursor(cursor: string): { createdAtMs: number; trackedId: string } {
  const { atMs, id } = readCursor(cursor);
  return { createdAtMs: atMs, trackedId: id };
}

const getEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'GET',
    path: `${PATH}/:id`,
    operation: 'oversight-get',
    operationId: 'trackedProducts.get',
    summary: 'Get a tracked product with its data',
    description:
      'The first response of a UTC day that includes data charges that day’s tier price, never more than `x-max-credits`. Only data of paid days is returned: if the day cannot be paid, the product is suspended and `tracking_data` shows the last paid day, or null if there is none.',
    books: true,
    params: ById,
    query: Type.Object({
      history_days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 365,
          default: 30,
          description:
            'a whole number of days from 1 to 365: the length of the sellers’ price history at tier 0',
        }),
      ),
    }),
    responses: { 200: SingleRecord },
    errors: [402, 404],
    heavy: () => true,
    async respond({ params, query, caller, creditsMax, takeTurn }): Promise<EndpointResponse> {
      const product = await ownProduct(deps, params.id, caller);
      const [tracked = product] = await withDelisting(deps, [product]);
      const historyDays = query.history_days ?? 30;
      const data = await readTracking({ ...deps, takeTurn }, tracked, { historyDays, creditsMax });
      const responseOf = ({ json, sellers, isSuspended }: Tracking): EndpointResponse => {
        const record = { ...trackedRecord({ ...tracked, isSuspended }, caller), ...json };
        return sellers === null ? { json: record } : { parts: recordParts(record, sellers) };
      };
      const { beginDay } = data;
      if (beginDay === null) return responseOf(data);
      return {
        ...responseOf(data),
        async book() {
          const begun = await beginDay();
          return 'unpaid' in begun ? { instead: responseOf(begun.unpaid) } : begun;
        },
      };
    },
  });

const changeEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'PATCH',
    path: `${PATH}/:id`,
    operation: 'oversight-change',
    operationId: 'trackedProducts.update',
    summary: 'Change a tracked product',
    description:
      'Moving to a more expensive tier on a charged day costs the difference at once, never more than `x-max-credits`. Rules that you omit keep their values.',
    books: true,
    params: ById,
    body: Type.Object(TrackingSettings.properties, { title: 'TrackedProductUpdate' }),
    responses: { 200: TrackedRecord },
    errors: [402, 404],
    async respond({ params, body, caller, creditsMax }) {
      const { accountId } = caller.account;
      const { rules, ...changes } = trackingOptionsOf(body, deps.clock.nowMs());
      // Read before the change, which may charge: a charged request must not fail afterwards.
      const [before] = await withDelisting(deps, [await ownProduct(deps, params.id, caller)]);
      const { trackedId, delistedAtMs } = before as WithDelisting;
      const changed = await changeTracked(
        deps,
        { accountId, trackedId },
        {
          ...changes,
          creditsMax,
          rules: rules === undefined ? undefined : (current) => mergeRules(current, rules),
        },
      );
      if (changed === undefined) throw noSuchTracked();
      const { booked, tracked } = changed;
      return {
        json: trackedRecord({ ...tracked, delistedAtMs }, caller),
        ...(booked === undefined ? {} : { booked }),
      };
    },
  });

const removeEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'DELETE',
    path: `${PATH}/:id`,
    operation: 'oversight-remove',
    operationId: 'trackedProducts.delete',
    summary: 'Stop tracking a product',
    params: ById,
    responses: { 204: Type.Null({ description: 'Removed.' }) },
    errors: [404],
    async respond({ params, caller }) {
      const { accountId } = caller.account;
      const { trackedId } = await ownProduct(deps, params.id, caller);
      const removed = await untrackProducts(deps, { accountId, trackedIds: [trackedId] });
      if (!removed.has(trackedId)) throw noSuchTracked();
      return { json: undefined };
    },
  });

export async function ownProduct(
  deps: Pick<Deps, 'db' | 'clock'>,
  id: string,
  caller: Caller,
): Promise<TrackedProduct> {
  const { accountId } = caller.account;
  const trackedId = id.toLowerCase();
  const tracked = isId(trackedId)
    ? await findTracked(deps.db, { accountId, trackedId })
    : undefined;
  if (tracked === undefined || isEnded(tracked, deps.clock.nowMs())) throw noSuchTracked();
  return tracked;
}

async function* withDelistings(
  deps: Pick<Deps, 'db'>,
  pages: AsyncIterable<readonly TrackedProduct[]>,
): AsyncGenerator<WithDelisting[]> {
  for await (const page of pages) yield await withDelisting(deps, page);
}
