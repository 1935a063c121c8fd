// Adds, changes and removes tracked products of an account, any number at once. Each has its own
// result: one that is refused changes nothing and does not stop the others.
import type { BookingDeps } from '../credits/book-entries.ts';
import { creditCount } from '../credits/credit-count.ts';
import { lockBalances } from '../credits/ledger.ts';
import type { Transaction } from '../database/database.ts';
import { newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { chargeDays, type DayCharge, type DayOutcome, refuseClosed } from './charge-tracking.ts';
import { dayOf } from './slot.ts';
import { type FirstObservation, syncAfterChanges } from './sync-watchers.ts';
import { creditsPerDay, DEFAULT_TIER, type Tier } from './tier.ts';
import { dayKey, readDays } from './tracked-days.ts';
import type { TrackedProduct } from './tracked-product.ts';
import {
  countTracked,
  insertTracked,
  lockTracked,
  readTracked,
  readTrackedCodes,
  updateTracked,
} from './tracked-products.ts';

export type TrackingOptions = {
  tier?: Tier | undefined;
  sellerName?: string | null | undefined;
  rules?: TrackedProduct['rules'] | undefined;
  tags?: readonly string[] | undefined;
  metadata?: TrackedProduct['metadata'] | undefined;
  endsAtMs?: number | null | undefined;
};

/** The credits that a change cost, and the balance after it. */
export type Booked = { credits: number; remaining: number };

export type Change = Omit<TrackingOptions, 'rules'> & {
  /** Computes the new rules from those stored at the moment of the change. */
  rules?: ((stored: TrackedProduct['rules']) => TrackedProduct['rules']) | undefined;
};

export type NewTracked = { code: string; first: FirstObservation; changes: TrackingOptions };
export type Added = { tracked: TrackedProduct; isNew: boolean };

/** Tracks products that were just looked up, in order until the plan is full. Idempotent. */
export async function trackProducts(
  deps: BookingDeps,
  { accountId, items }: { accountId: string; items: readonly NewTracked[] },
): Promise<(Added | Problem)[]> {
  if (items.length === 0) return [];
  const plans = await deps.plans.list();
  const nowMs = deps.clock.nowMs();
  const results = await deps.db.transaction(async (tx) => {
    // The balance's lock lets one request per account count against the plan's limit at a time.
    const balance = (await lockBalances(tx, [accountId])).get(accountId);
    const limit = plans.find((plan) => plan.name === balance?.plan)?.trackedProductsMax ?? 0;
    const codes = items.map(({ code }) => code);
    const stored = await readTrackedCodes(tx, { accountId, codes });
    const byCode = new Map(stored.map((tracked) => [tracked.code, tracked]));
    let count = await countTracked(tx, accountId);
    const added = items.map(({ code, changes }): Added | Problem => {
      const existing = byCode.get(code);
      if (existing !== undefined) {
        return otherTier(existing, changes.tier) ?? { tracked: existing, isNew: false };
      }
      if (count >= limit) return limitReached(limit);
      count += 1;
      const tracked = newTracked({ accountId, code, changes, createdAtMs: nowMs });
      byCode.set(code, tracked);
      return { tracked, isNew: true };
    });
    await insertTracked(tx, newOnes(added));
    return added;
  });
  const firstOf = new Map(items.map(({ code, first }) => [code, first]));
  await syncAfterChanges(
    deps,
    newOnes(results).map((tracked) => ({ tracked, first: firstOf.get(tracked.code) ?? null })),
  );
  return results;
}

const newOnes = (results: readonly (Added | Problem)[]) =>
  results.flatMap((one) => (one instanceof Problem || !one.isNew ? [] : [one.tracked]));

const newTracked = (
  input: Pick<TrackedProduct, 'accountId' | 'code' | 'createdAtMs'> & { changes: TrackingOptions },
): TrackedProduct => ({
  accountId: input.accountId,
  trackedId: newId(),
  code: input.code,
  tier: input.changes.tier ?? DEFAULT_TIER,
  isSuspended: false,
  sellerName: input.changes.sellerName ?? null,
  rules: input.changes.rules ?? null,
  tags: input.changes.tags ?? [],
  metadata: input.changes.metadata ?? null,
  endsAtMs: input.changes.endsAtMs ?? null,
  createdAtMs: input.createdAtMs,
  removedAtMs: null,
});

const limitReached = (limit: number) =>
  new Problem(
    'tracked_product_limit_reached',
    `Your plan allows ${limit} tracked products; all are in use.`,
    { details: { tracked_products_max: limit } },
  );

function otherTier(
  { tier, trackedId }: TrackedProduct,
  requested: Tier | undefined,
): Problem | undefined {
  if (requested === undefined || requested === tier) return undefined;
  return new Problem(
    'tracked_product_tier_conflict',
    `This product is already tracked at tier ${tier}. To change the tier, use PATCH /retailer/oversight/products/${trackedId}.`,
    { field: 'tier', details: { id: trackedId, tier } },
  );
}

/** Tracks one product; throws when it is refused. */
export async function trackProduct(
  deps: BookingDeps,
  { accountId, ...item }: NewTracked & { accountId: string },
): Promise<Added> {
  return orThrow((await trackProducts(deps, { accountId, items: [item] }))[0]);
}

function orThrow<T>(result: T | Problem | undefined): T {
  if (result instanceof Problem) throw result;
  return result as T;
}

export const noSuchTracked = () =>
  new Problem('tracked_product_not_found', 'No tracked product has this id.');

export type TrackedChange = { trackedId: string; changes: Change };

type Changing = { accountId: string; items: readonly TrackedChange[]; creditsMax?: number };

/**
 * Changes products, each once. A finer tier on a charged day costs the difference at once; a
 * product whose difference cannot be paid stays as it is. If all differences together exceed
 * `creditsMax`, nothing is changed and this throws.
 */
export async function changeProducts(
  deps: BookingDeps,
  input: Changing,
): Promise<{ results: (TrackedProduct | Problem)[]; booked?: Booked }> {
  const { accountId, items } = input;
  const trackedIds = items.map(({ trackedId }) => trackedId);
  const stored = await readTracked(deps.db, { accountId, trackedIds });
  const charges = await chargesNow(deps, stored, items);
  let results: Results = new Map();
  let booked: Booked | undefined;
  const charge = () =>
    chargeDays(deps, charges, async (tx, outcomes) => {
      booked = bookedOrRefused(outcomes, input.creditsMax);
      const refused = new Map(
        charges.flatMap(({ trackedId, tier }, index) => {
          const problem = unpaid(outcomes[index], tier);
          return problem === undefined ? [] : [[trackedId, problem] as const];
        }),
      );
      results = await write(tx, input, refused);
      // Throwing also rolls back the charge.
      if (charges.some(({ trackedId }) => !results.has(trackedId))) throw new RemovedMeanwhile();
    });
  if (charges.length === 0) {
    results = await deps.db.transaction((tx) => write(tx, input, new Map()));
  } else {
    try {
      await charge();
    } catch (error) {
      // The next attempt does not find the product that was removed.
      if (error instanceof RemovedMeanwhile) return changeProducts(deps, input);
      throw error;
    }
  }
  await syncAfterChanges(
    deps,
    changedOnes(results).map((tracked) => ({ tracked, first: null })),
  );
  return {
    results: items.map(({ trackedId }) => results.get(trackedId) ?? noSuchTracked()),
    ...(booked === undefined ? {} : { booked }),
  };
}

/** By id. */
type Results = Map<string, TrackedProduct | Problem>;
const changedOnes = (results: Results): TrackedProduct[] =>
  [...results.values()].flatMap((one) => (one instanceof Problem ? [] : [one]));

class RemovedMeanwhile extends Error {}

type ProductCharge = DayCharge & { trackedId: string };

/** The products whose new tier costs more and whose present day is paid already. */
async function chargesNow(
  deps: BookingDeps,
  stored: readonly TrackedProduct[],
  items: readonly TrackedChange[],
): Promise<ProductCharge[]> {
  const day = dayOf(deps.clock.nowMs());
  const byId = new Map(stored.map((tracked) => [tracked.trackedId, tracked]));
  const costMore = items.flatMap(({ trackedId, changes: { tier } }): ProductCharge[] => {
    const tracked = byId.get(trackedId);
    if (tracked === undefined || tier === undefined) return [];
    if (creditsPerDay(tier) <= creditsPerDay(tracked.tier)) return [];
    return [{ accountId: tracked.accountId, trackedId, code: tracked.code, day, tier }];
  });
  if (costMore.length === 0) return [];
  const paidToday = await deps.db.transaction((tx) => readDays(tx, costMore));
  return costMore.filter((charge) => paidToday.has(dayKey(charge)));
}

/**
 * Applies changes to the locked rows: a concurrent suspension or other change is not overwritten.
 * Products that are not tracked any more are missing.
 */
async function write(
  tx: Transaction,
  { accountId, items }: Changing,
  refused: ReadonlyMap<string, Problem>,
): Promise<Results> {
  if (items.length === 0) return new Map();
  const stored = await lockTracked(
    tx,
    items.map(({ trackedId }) => ({ accountId, trackedId })),
  );
  const byId = new Map(stored.map((tracked) => [tracked.trackedId, tracked]));
  const results: Results = new Map();
  for (const { trackedId, changes } of items) {
    const tracked = byId.get(trackedId);
    if (tracked === undefined) continue;
    results.set(trackedId, refused.get(trackedId) ?? changedBy(tracked, changes));
  }
  await updateTracked(tx, changedOnes(results));
  return results;
}

const changedBy = (stored: TrackedProduct, changes: Change): TrackedProduct => ({
  ...stored,
  tier: changes.tier ?? stored.tier,
  sellerName: changes.sellerName === undefined ? stored.sellerName : changes.sellerName,
  rules: changes.rules === undefined ? stored.rules : changes.rules(stored.rules),
  tags: changes.tags ?? stored.tags,
  metadata: changes.metadata === undefined ? stored.metadata : changes.metadata,
  endsAtMs: changes.endsAtMs === undefined ? stored.endsAtMs : changes.endsAtMs,
});

/** The cost of all steps to finer tiers; throws when it must not be paid. */
function bookedOrRefused(
  outcomes: readonly DayOutcome[],
  creditsMax = Number.POSITIVE_INFINITY,
): Booked | undefined {
  refuseClosed(outcomes[0]);
  const paid = outcomes.flatMap((outcome) => (outcome.paid ? [outcome] : []));
  const [first] = paid;
  if (first === undefined) return undefined;
  const credits = paid.reduce((sum, { charged }) => sum + charged, 0);
  if (credits > creditsMax) {
    throw new Problem(
      'max_credits_exceeded',
      `This change costs ${creditCount(credits)} more today, more than the x-max-credits of ${creditsMax}. Nothing was changed.`,
      { field: 'x-max-credits', details: { credits_required: credits, credits_max: creditsMax } },
    );
  }
  return { credits, remaining: first.remaining };
}

function unpaid(outcome: DayOutcome | undefined, tier: Tier): Problem | undefined {
  if (outcome?.paid) return undefined;
  const [required, remaining] = [outcome?.required ?? 0, outcome?.remaining ?? 0];
  return new Problem(
    'insufficient_credits',
    `Tier ${tier} costs ${creditCount(required)} more today and ${remaining} remain. Nothing was changed.`,
    { details: { credits_required: required, credits_remaining: remaining } },
  );
}

/** Changes one product; throws when it is refused. Returns undefined when it is not tracked. */
export async function changeTracked(
  deps: BookingDeps,
  { accountId, trackedId }: { accountId: string; trackedId: string },
  { creditsMax, ...changes }: Change & { creditsMax?: number | undefined },
): Promise<{ tracked: TrackedProduct; booked?: Booked } | undefined> {
  const { results, booked } = await changeProducts(deps, {
    accountId,
    items: [{ trackedId, changes }],
    ...(creditsMax === undefined ? {} : { creditsMax }),
  });
  const [result] = results;
  if (result instanceof Problem && result.code === 'tracked_product_not_found') return undefined;
  const tracked = orThrow(result);
  return booked === undefined ? { tracked } : { tracked, booked };
}

/** Stops tracking and charging products at once. Returns the ids of those that were tracked. */
export async function untrackProducts(
  deps: BookingDeps,
  { accountId, trackedIds }: { accountId: string; trackedIds: readonly string[] },
): Promise<Set<string>> {
  if (trackedIds.length === 0) return new Set();
  const removedAtMs = deps.clock.nowMs();
  const removed = await deps.db.transaction(async (tx) => {
    const keys = trackedIds.map((trackedId) => ({ accountId, trackedId }));
    const stored = await lockTracked(tx, keys);
    const marked = stored.map((tracked) => ({ ...tracked, removedAtMs }));
    await updateTracked(tx, marked);
    return marked;
  });
  await syncAfterChanges(
    deps,
    removed.map((tracked) => ({ tracked, first: null })),
  );
  return new Set(removed.map(({ trackedId }) => trackedId));
}
