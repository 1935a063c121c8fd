// Adds, changes and removes tracked products.
import type { BookingDeps } from '../credits/book-entries.ts';
import { creditCount } from '../credits/credit-count.ts';
import { lockBalances } from '../credits/ledger.ts';
import type { Transaction } from '../database/database.ts';
import { newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { chargeDays, type DayOutcome, refuseClosed } from './charge-tracking.ts';
import { dayOf } from './slot.ts';
import { type FirstObservation, syncAfterChange } from './sync-watchers.ts';
import { creditsPerDay, DEFAULT_TIER, type Tier } from './tier.ts';
import { dayKey, readDays } from './tracked-days.ts';
import type { TrackedProduct } from './tracked-product.ts';
import {
  countTracked,
  findTracked,
  findTrackedCode,
  insertTracked,
  lockTracked,
  updateTracked,
} from './tracked-products.ts';

export type TrackingOptions = {
  tier?: Tier | undefined;
  sellerName?: string | null | undefined;
  rules?: TrackedProduct['rules'] | undefined;
};

/** The credits that a change cost, and the balance after it. */
export type Booked = { credits: number; remaining: number };

export type Change = Pick<TrackingOptions, 'tier' | 'sellerName'> & {
  /** Computes the new rules from those stored at the moment of the change. */
  rules?: ((stored: TrackedProduct['rules']) => TrackedProduct['rules']) | undefined;
};

/** Tracks a product that was just looked up. Idempotent. */
export async function trackProduct(
  deps: BookingDeps,
  input: { accountId: string; code: string; first: FirstObservation; changes: TrackingOptions },
): Promise<{ tracked: TrackedProduct; isNew: boolean }> {
  const { accountId, code, changes } = input;
  const plans = await deps.plans.list();
  const result = await deps.db.transaction(async (tx) => {
    // The balance's lock lets one request per account count against the plan's limit at a time.
    const balance = (await lockBalances(tx, [accountId])).get(accountId);
    const existing = await findTrackedCode(tx, { accountId, code });
    if (existing !== undefined) {
      refuseOtherTier(existing, changes.tier);
      return { tracked: existing, isNew: false };
    }
    const limit = plans.find((plan) => plan.name === balance?.plan)?.trackedProductsMax ?? 0;
    if ((await countTracked(tx, accountId)) >= limit) {
      throw new Problem(
        'tracked_product_limit_reached',
        `Your plan allows ${limit} tracked products; all are in use.`,
        { details: { tracked_products_max: limit } },
      );
    }
    const tracked: TrackedProduct = {
      accountId,
      trackedId: newId(),
      code,
      tier: changes.tier ?? DEFAULT_TIER,
      isSuspended: false,
      sellerName: changes.sellerName ?? null,
      rules: changes.rules ?? null,
      createdAtMs: deps.clock.nowMs(),
      removedAtMs: null,
    };
    await insertTracked(tx, tracked);
    return { tracked, isNew: true };
  });
  if (result.isNew) await syncAfterChange(deps, result.tracked, input.first);
  return result;
}

function refuseOtherTier({ tier, trackedId }: TrackedProduct, requested: Tier | undefined): void {
  if (requested === undefined || requested === tier) return;
  throw new Problem(
    'tracked_product_tier_conflict',
    `This product is already tracked at tier ${tier}. To change the tier, use PATCH /retailer/oversight/products/${trackedId}.`,
    { field: 'tier', details: { id: trackedId, tier } },
  );
}

/** Changes a tracked product. A finer tier on a charged day costs the difference at once. */
export async function changeTracked(
  deps: BookingDeps,
  key: { accountId: string; trackedId: string },
  changes: Change & { creditsMax?: number | undefined },
): Promise<{ tracked: TrackedProduct; booked?: Booked } | undefined> {
  const stored = await findTracked(deps.db, key);
  if (stored === undefined) return undefined;
  const tier = changes.tier ?? stored.tier;
  const charge = { ...key, code: stored.code, day: dayOf(deps.clock.nowMs()), tier };
  const costsMore = creditsPerDay(tier) > creditsPerDay(stored.tier);
  const paidToday = costsMore
    ? await deps.db.transaction((tx) => readDays(tx, [charge]))
    : new Map();
  let changed: TrackedProduct | undefined;
  let booked: Booked | undefined;
  if (paidToday.has(dayKey(charge))) {
    await chargeDays(deps, [charge], async (tx, [outcome]) => {
      changed = await write(tx, key, changes);
      // Removed meanwhile: throwing also rolls back the charge.
      if (changed === undefined) {
        throw new Problem('tracked_product_not_found', 'This product was just removed.');
      }
      booked = bookedOrRefused(outcome, tier, changes.creditsMax);
    });
  } else {
    changed = await deps.db.transaction((tx) => write(tx, key, changes));
  }
  if (changed === undefined) return undefined;
  await syncAfterChange(deps, changed);
  return booked === undefined ? { tracked: changed } : { tracked: changed, booked };
}

/**
 * Applies changes to the locked row: a concurrent suspension or other change is not overwritten.
 */
async function write(
  tx: Transaction,
  key: { accountId: string; trackedId: string },
  { tier, sellerName, rules }: Change,
): Promise<TrackedProduct | undefined> {
  const stored = await lockTracked(tx, key);
  if (stored === undefined) return undefined;
  const changed: TrackedProduct = {
    ...stored,
    tier: tier ?? stored.tier,
    sellerName: sellerName === undefined ? stored.sellerName : sellerName,
    rules: rules === undefined ? stored.rules : rules(stored.rules),
  };
  await updateTracked(tx, changed);
  return changed;
}

/** Returns the cost of the step to a finer tier; throws when it cannot or must not be paid. */
function bookedOrRefused(
  outcome: DayOutcome | undefined,
  tier: Tier,
  creditsMax = Number.POSITIVE_INFINITY,
): Booked {
  refuseClosed(outcome);
  if (!outcome?.paid) {
    const [required, remaining] = [outcome?.required ?? 0, outcome?.remaining ?? 0];
    throw new Problem(
      'insufficient_credits',
      `Tier ${tier} costs ${creditCount(required)} more today and ${remaining} remain. Nothing was changed.`,
      { details: { credits_required: required, credits_remaining: remaining } },
    );
  }
  if (outcome.charged > creditsMax) {
    throw new Problem(
      'max_credits_exceeded',
      `Tier ${tier} costs ${creditCount(outcome.charged)} more today, more than the x-max-credits of ${creditsMax}. Nothing was changed.`,
      {
        field: 'x-max-credits',
        details: { credits_required: outcome.charged, credits_max: creditsMax },
      },
    );
  }
  return { credits: outcome.charged, remaining: outcome.remaining };
}

/** Stops tracking and charging a product at once. Returns false when it is not tracked. */
export async function untrackProduct(
  deps: BookingDeps,
  key: { accountId: string; trackedId: string },
): Promise<boolean> {
  const removed = await deps.db.transaction(async (tx) => {
    const stored = await findTracked(tx, key);
    if (stored === undefined) return undefined;
    const marked = { ...stored, removedAtMs: deps.clock.nowMs() };
    await updateTracked(tx, marked);
    return marked;
  });
  if (removed === undefined) return false;
  await syncAfterChange(deps, removed);
  return true;
}
