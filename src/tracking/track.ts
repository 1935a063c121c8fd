// Adding, changing and removing tracked products.
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
import {
  countTracked,
  findTracked,
  findTrackedCode,
  insertTracked,
  lockTracked,
  type TrackedProduct,
  updateTracked,
} from './tracked-products.ts';

export type TrackingOptions = {
  tier?: Tier | undefined;
  sellerName?: string | null | undefined;
  rules?: TrackedProduct['rules'] | undefined;
};

/** What a change has cost, and what is left. */
export type Booked = { credits: number; remaining: number };

export type Change = Pick<TrackingOptions, 'tier' | 'sellerName'> & {
  /** From those that hold at the moment of the change. */
  rules?: ((known: TrackedProduct['rules']) => TrackedProduct['rules']) | undefined;
};

/** Tracks a product that was just looked up; the same again is the same. */
export async function trackProduct(
  deps: BookingDeps,
  input: { accountId: string; code: string; first: FirstObservation; changes: TrackingOptions },
): Promise<{ tracked: TrackedProduct; isNew: boolean }> {
  const { accountId, code, changes } = input;
  const plans = await deps.plans.list();
  const result = await deps.db.transaction(async (tx) => {
    // One at a time for each account: the limit is counted under its lock.
    const balance = (await lockBalances(tx, [accountId])).get(accountId);
    const known = await findTrackedCode(tx, { accountId, code });
    if (known !== undefined) return { tracked: sameTier(known, changes.tier), isNew: false };
    const limit = plans.find((plan) => plan.name === balance?.plan)?.trackedProductsMax ?? 0;
    if ((await countTracked(tx, accountId)) >= limit) {
      throw new Problem(
        'tracked_product_limit_reached',
        `Your plan allows ${limit} tracked products; all are in use.`,
        {
          details: { tracked_products_max: limit },
        },
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
      createdAt: deps.clock.nowMs(),
      removedAt: null,
    };
    await insertTracked(tx, tracked);
    return { tracked, isNew: true };
  });
  if (result.isNew) await syncAfterChange(deps, result.tracked, input.first);
  return result;
}

function sameTier(known: TrackedProduct, tier: Tier | undefined): TrackedProduct {
  if (tier === undefined || tier === known.tier) return known;
  throw new Problem(
    'tracked_product_tier_conflict',
    `This product is tracked already, at tier ${known.tier}; change that with PATCH /retailer/oversight/products/${known.trackedId}.`,
    { field: 'tier', details: { id: known.trackedId, tier: known.tier } },
  );
}

/** Changes a tracked product; a finer tier on a day that was charged costs the difference at once. */
export async function changeTracked(
  deps: BookingDeps,
  key: { accountId: string; trackedId: string },
  changes: Change & { creditsMax?: number | undefined },
): Promise<{ tracked: TrackedProduct; booked?: Booked } | undefined> {
  const known = await findTracked(deps.db, key);
  if (known === undefined) return undefined;
  const tier = changes.tier ?? known.tier;
  const ask = { ...key, code: known.code, day: dayOf(deps.clock.nowMs()), tier };
  const isDearer = creditsPerDay(tier) > creditsPerDay(known.tier);
  const paidToday = isDearer ? await deps.db.transaction((tx) => readDays(tx, [ask])) : new Map();
  let changed: TrackedProduct | undefined;
  let booked: Booked | undefined;
  if (paidToday.has(dayKey(ask))) {
    await chargeDays(deps, [ask], async (tx, [outcome]) => {
      changed = await write(tx, key, changes);
      // Removed meanwhile: nothing is charged either.
      if (changed === undefined)
        throw new Problem('tracked_product_not_found', 'This product was just removed.');
      booked = payable(outcome, tier, changes.creditsMax);
    });
  } else {
    changed = await deps.db.transaction((tx) => write(tx, key, changes));
  }
  if (changed === undefined) return undefined;
  await syncAfterChange(deps, changed);
  return booked === undefined ? { tracked: changed } : { tracked: changed, booked };
}

/** Over what is there now, under its lock: a suspension or another change of the same moment stays. */
async function write(
  tx: Transaction,
  key: { accountId: string; trackedId: string },
  { tier, sellerName, rules }: Change,
): Promise<TrackedProduct | undefined> {
  const known = await lockTracked(tx, key);
  if (known === undefined) return undefined;
  const changed: TrackedProduct = {
    ...known,
    tier: tier ?? known.tier,
    sellerName: sellerName === undefined ? known.sellerName : sellerName,
    rules: rules === undefined ? known.rules : rules(known.rules),
  };
  await updateTracked(tx, changed);
  return changed;
}

/** What the step to a finer tier has cost; throws where that is too much. */
function payable(
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

/** Stops tracking, and with it charging, at once. */
export async function untrackProduct(
  deps: BookingDeps,
  key: { accountId: string; trackedId: string },
): Promise<boolean> {
  const removed = await deps.db.transaction(async (tx) => {
    const known = await findTracked(tx, key);
    if (known === undefined) return undefined;
    const gone = { ...known, removedAt: deps.clock.nowMs() };
    await updateTracked(tx, gone);
    return gone;
  });
  if (removed === undefined) return false;
  await syncAfterChange(deps, removed);
  return true;
}
