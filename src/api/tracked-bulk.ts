// /retailer/oversight/products/bulk: adds, changes and removes many tracked products with one call.
// Each item has its own result; one that is refused does not affect the others.
import { type Static, Type } from 'typebox';
import { lookUpMany } from '../collection/look-up-many.ts';
import { mergeRules, readRules } from '../events/read-rules.ts';
import { bounds } from '../foundation/bounds.ts';
import { isId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { readUnitsPerDay } from '../sales/daily-sales.ts';
import { effectiveRules } from '../tracking/account-rule.ts';
import { listAccountRules } from '../tracking/account-rules.ts';
import {
  changeProducts,
  noSuchTracked,
  type TrackingOptions,
  trackProducts,
  untrackProducts,
} from '../tracking/track.ts';
import type { TrackedProduct } from '../tracking/tracked-product.ts';
import { readTracked, readTrackedCodes } from '../tracking/tracked-products.ts';
import { firstState } from '../tracking/watcher-change.ts';
import { attempt, bulkBody, ItemError, itemError, readItem, refuseRepeated } from './bulk-items.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import { TRACKED_PATH, type TrackedDeps } from './tracked-products.ts';
import {
  NewTrackedProduct,
  ownSettings,
  TrackedRecord,
  TrackingSettings,
  trackedRecord,
  trackingOptionsOf,
  withDelisting,
} from './tracked-record.ts';

const PATH = `${TRACKED_PATH}/bulk`;

const Selector = Type.Object(
  {
    id: Type.Optional(
      Type.String({ maxLength: 100, description: 'the id of a tracked product as text' }),
    ),
    retailer_product_code: Type.Optional(ProductCode),
  },
  { title: 'TrackedProductSelector' },
);
const Change = Type.Object(
  { ...Selector.properties, ...TrackingSettings.properties },
  { title: 'BulkTrackedProductUpdate' },
);

const Result = Type.Object(
  {
    status: Type.Integer({ description: 'The status that a call for this item alone returns.' }),
    product: Type.Optional(TrackedRecord),
    error: Type.Optional(ItemError),
  },
  { title: 'BulkTrackedProductResult' },
);
const Results = Type.Object(
  { results: Type.Array(Result, { description: 'One per item, in the order of the items.' }) },
  { title: 'BulkTrackedProductResults' },
);
const Removals = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          status: Type.Integer({ description: '204 if it was removed.' }),
          id: Type.Optional(Type.String()),
          retailer_product_code: Type.Optional(Type.String()),
          error: Type.Optional(ItemError),
        },
        { title: 'BulkRemovalResult' },
      ),
      { description: 'One per item, in the order of the items.' },
    ),
  },
  { title: 'BulkRemovalResults' },
);

const EACH = 'Each item has its own result; one that is refused does not affect the others.';
const common = {
  tag: 'Tracked products',
  bucket: 'account',
  bodyBytesMax: bounds.bulkBytesMax,
  heavy: () => true,
} as const;

export const trackedBulkEndpoints = (deps: TrackedDeps): Endpoint[] => [
  addEndpoint(deps),
  changeEndpoint(deps),
  removeEndpoint(deps),
];

const addEndpoint = (deps: TrackedDeps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: PATH,
    operation: 'oversight-bulk-add',
    operationId: 'trackedProducts.bulkCreate',
    summary: 'Track many products',
    description: `Tracks up to ${bounds.bulkItemsMax} products, in order until your plan is full. ${EACH} Safe to repeat: a product that you track already has status 200. Costs no credits; each tracked day costs the price of its tier.`,
    body: bulkBody(NewTrackedProduct, 'BulkNewTrackedProducts'),
    responses: { 200: Results },
    async respond({ body, caller }) {
      const { accountId } = caller.account;
      const items = body.items.map((item) => attempt(() => readNewItem(item, deps.clock.nowMs())));
      const codes = new Set(items.flatMap((item) => (item instanceof Problem ? [] : [item.code])));
      const products = await lookUpMany(deps, { codes: [...codes], accountId });
      const unitsPerDay = await readUnitsPerDay(deps.db, [...codes]);
      const accountRules = await listAccountRules(deps.db, accountId);
      const ready = items.map((item) => {
        const product = item instanceof Problem ? item : products.get(item.code);
        if (item instanceof Problem || product instanceof Error) return product as Error;
        if (product === undefined) return noSuchProduct(item.code);
        const state = firstState(product, {
          rules: readRules(effectiveRules(ownSettings(item.changes), accountRules)),
          estimatedUnitsPerDay: unitsPerDay.get(item.code) ?? null,
        });
        return { ...item, first: { seenAtMs: product.observedAtMs, state }, product };
      });
      const results = await applied(ready, (some) =>
        trackProducts(deps, { accountId, items: some }),
      );
      return {
        json: {
          results: results.map((result, index) => {
            if (result instanceof Error) return itemError(result);
            const { product } = ready[index] as { product: { delistedAtMs?: number } };
            const tracked = { ...result.tracked, delistedAtMs: product.delistedAtMs };
            const status = result.isNew ? 201 : 200;
            return { status, product: trackedRecord(tracked, caller) };
          }),
        },
      };
    },
  });

function readNewItem(value: unknown, nowMs: number): { code: string; changes: TrackingOptions } {
  const item = readItem(NewTrackedProduct, value);
  return { code: item.retailer_product_code, changes: trackingOptionsOf(item, nowMs) };
}

/** Applies `act` to the items that are no errors; returns all results in the order of the items. */
async function applied<Item extends object, Result>(
  items: readonly (Item | Error)[],
  act: (items: readonly Exclude<Item, Error>[]) => Promise<readonly (Result | Error)[]>,
): Promise<(Result | Error)[]> {
  const valid = items.flatMap((item) => (item instanceof Error ? [] : [item]));
  const results = await act(valid as Exclude<Item, Error>[]);
  let next = 0;
  return items.map((item) => (item instanceof Error ? item : (results[next++] as Result | Error)));
}

const changeEndpoint = (deps: TrackedDeps) =>
  endpoint({
    ...common,
    method: 'PATCH',
    path: PATH,
    operation: 'oversight-bulk-change',
    operationId: 'trackedProducts.bulkUpdate',
    summary: 'Change many tracked products',
    description: `Changes up to ${bounds.bulkItemsMax} tracked products, each named by \`id\` or \`retailer_product_code\`. ${EACH} Moving to a more expensive tier on a charged day costs the difference at once; if all differences together exceed \`x-max-credits\`, nothing is changed.`,
    books: true,
    body: bulkBody(Change, 'BulkTrackedProductUpdates'),
    responses: { 200: Results },
    errors: [402],
    async respond({ body, caller, creditsMax }) {
      const { accountId } = caller.account;
      const read = body.items.map((item) => attempt(() => readChange(item, deps.clock.nowMs())));
      const items = refuseRepeated(await resolved(deps, accountId, read), trackedIdOf);
      // Read before the change, which may charge: a charged request must not fail afterwards.
      const stored = await withDelisting(
        deps,
        items.flatMap((item) => (item instanceof Problem ? [] : [item.tracked])),
      );
      const delistedAtMs = new Map(stored.map((one) => [one.trackedId, one.delistedAtMs]));
      let booked: { credits: number; remaining: number } | undefined;
      const results = await applied(items, async (some) => {
        const changed = await changeProducts(deps, {
          accountId,
          items: some.map(({ tracked, item }) => ({
            trackedId: tracked.trackedId,
            changes: item.changes,
          })),
          ...(creditsMax === undefined ? {} : { creditsMax }),
        });
        booked = changed.booked;
        return changed.results;
      });
      const json = {
        results: results.map((result) => {
          if (result instanceof Error) return itemError(result);
          const record = { ...result, delistedAtMs: delistedAtMs.get(result.trackedId) };
          return { status: 200, product: trackedRecord(record, caller) };
        }),
      };
      return booked === undefined ? { json } : { json, booked };
    },
  });

function readChange(value: unknown, nowMs: number) {
  const item = readItem(Change, value);
  const { rules, ...changes } = trackingOptionsOf(item, nowMs);
  const merged = rules === undefined ? undefined : withRules(rules);
  return { selector: selectorOf(item), changes: { ...changes, rules: merged } };
}

const withRules =
  (rules: TrackedProduct['rules']) =>
  (current: TrackedProduct['rules']): TrackedProduct['rules'] =>
    mergeRules(current, rules);

type Selected = { selector: { id: string } | { code: string } };

function selectorOf(item: Static<typeof Selector>): Selected['selector'] {
  const { id, retailer_product_code: code } = item;
  if (id !== undefined && code === undefined) return { id: id.toLowerCase() };
  if (code !== undefined && id === undefined) return { code };
  throw new Problem(
    id === undefined ? 'product_selector_missing' : 'product_selector_ambiguous',
    'Pass exactly one of `id` and `retailer_product_code` in each item.',
  );
}

/** Finds the tracked products that items name, with one read for ids and one for codes. */
async function resolved<Item extends Selected>(
  { db }: Pick<TrackedDeps, 'db'>,
  accountId: string,
  items: readonly (Item | Problem)[],
): Promise<({ item: Item; tracked: TrackedProduct } | Problem)[]> {
  const selectors = items.flatMap((item) => (item instanceof Problem ? [] : [item.selector]));
  const ids = selectors.flatMap((one) => ('id' in one && isId(one.id) ? [one.id] : []));
  const codes = selectors.flatMap((one) => ('code' in one ? [one.code] : []));
  const tracked = [
    ...(ids.length === 0 ? [] : await readTracked(db, { accountId, trackedIds: ids })),
    ...(codes.length === 0 ? [] : await readTrackedCodes(db, { accountId, codes })),
  ];
  const byId = new Map(tracked.map((one) => [one.trackedId, one]));
  const byCode = new Map(tracked.map((one) => [one.code, one]));
  return items.map((item) => {
    if (item instanceof Problem) return item;
    const { selector } = item;
    const match = 'id' in selector ? byId.get(selector.id) : byCode.get(selector.code);
    return match === undefined ? noSuchTracked() : { item, tracked: match };
  });
}

const trackedIdOf = ({ tracked }: { tracked: TrackedProduct }) => tracked.trackedId;

const removeEndpoint = (deps: TrackedDeps) =>
  endpoint({
    ...common,
    method: 'POST',
    // Not DELETE: many clients and proxies drop the body of a DELETE request.
    path: `${PATH}/remove`,
    operation: 'oversight-bulk-remove',
    operationId: 'trackedProducts.bulkDelete',
    summary: 'Stop tracking many products',
    description: `Removes up to ${bounds.bulkItemsMax} tracked products, each named by \`id\` or \`retailer_product_code\`. ${EACH} Safe to repeat: an item that is not tracked any more has status 404.`,
    body: bulkBody(Selector, 'BulkTrackedProductRemoval'),
    responses: { 200: Removals },
    async respond({ body, caller }) {
      const { accountId } = caller.account;
      const read = body.items.map((value) =>
        attempt(() => ({ selector: selectorOf(readItem(Selector, value)) })),
      );
      const items = refuseRepeated(await resolved(deps, accountId, read), trackedIdOf);
      const trackedIds = items.flatMap((item) =>
        item instanceof Problem ? [] : [item.tracked.trackedId],
      );
      const removed = await untrackProducts(deps, { accountId, trackedIds });
      return {
        json: {
          results: items.map((item) => {
            if (item instanceof Problem) return itemError(item);
            const { trackedId: id, code } = item.tracked;
            if (!removed.has(id)) return itemError(noSuchTracked());
            return { status: 204, id, retailer_product_code: code };
          }),
        },
      };
    },
  });
