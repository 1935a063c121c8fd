// POST /retailer/oversight/products/{id}/backtest: how often each kind of event would have fired by given rules, over
// the looks that are kept. Costs nothing and changes nothing.
import { Type } from 'typebox';
import { readBalances } from '../credits/ledger.ts';
import { remainingCredits } from '../credits/settlement.ts';
import { EVENT_KINDS } from '../events/kind.ts';
import { readRules } from '../events/read-rules.ts';
import { DAY_MS } from '../foundation/time.ts';
import { type PaidSpan, tierOn } from '../tracking/paid-day.ts';
import { readPaidDays } from '../tracking/read-paid-days.ts';
import { runBackTest } from '../tracking/run-back-test.ts';
import { dayOf } from '../tracking/slot.ts';
import { creditsPerDay } from '../tracking/tier.ts';
import type { TrackedProduct } from '../tracking/tracked-product.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { RulesSchema } from './rules-schema.ts';
import { ById, ownProduct, TRACKED_PATH } from './tracked-products.ts';
import type { TrackingDeps } from './tracking-data.ts';
import { DateTime, isoTime } from './wire.ts';

const DAYS_MAX = 90;
const DAYS_DEFAULT = 30;
const BASELINE_DAYS = 7;

const BacktestRecord = Type.Object(
  {
    from: DateTime('Events are counted from then on'),
    to: DateTime('When it was asked'),
    counts: Type.Object(
      Object.fromEntries(EVENT_KINDS.map((kind) => [kind, Type.Integer({ minimum: 0 })])),
      {
        title: 'EventCounts',
        description: 'Every kind, also those that would not have fired.',
      },
    ),
  },
  { title: 'BacktestResult' },
);

export function oversightBacktest(deps: TrackingDeps): Endpoint {
  return endpoint({
    tag: 'Tracked products',
    bucket: 'account',
    method: 'POST',
    path: `${TRACKED_PATH}/:id/backtest`,
    operation: 'oversight-backtest',
    operationId: 'trackedProducts.backtest',
    summary: 'How often each kind of event would have fired',
    description:
      'At the product’s own tier and for its watched seller, over all stored observations; of a product whose day cannot be paid, over those of its paid days. Without rules, by those that the product has.',
    params: ById,
    body: Type.Object(
      {
        rules: Type.Optional(RulesSchema),
        days: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: DAYS_MAX,
            default: DAYS_DEFAULT,
            description: `a whole number of days from 1 to ${DAYS_MAX}`,
          }),
        ),
      },
      { title: 'BacktestRequest' },
    ),
    responses: { 200: BacktestRecord },
    errors: [404],
    heavy: () => true,
    async respond({ params, body, caller, takeTurn }) {
      const asked = body.rules === undefined ? undefined : readRules(body.rules);
      const tracked = await ownProduct(deps, params.id, caller);
      const { code } = tracked;
      const to = deps.clock.nowMs();
      const from = to - (body.days ?? DAYS_DEFAULT) * DAY_MS;
      const counts = await runBackTest(
        { ...deps, takeTurn },
        {
          code,
          tier: tracked.tier,
          fromAtMs: from,
          toAtMs: to,
          watchedSeller: tracked.sellerName ?? caller.account.sellerName,
          rules: asked ?? readRules(tracked.rules),
          ...(await paidOnly(deps, tracked)),
        },
      );
      return { json: { from: isoTime(from), to: isoTime(to), counts } };
    },
  });
}

/**
 * A product that nobody pays for shows nothing new, not even by counts: whose current day is neither paid nor can be
 * is back-tested over its paid days.
 */
async function paidOnly(
  deps: TrackingDeps,
  { accountId, code, tier, isSuspended }: TrackedProduct,
): Promise<{ paid?: readonly PaidSpan[] }> {
  const today = dayOf(deps.clock.nowMs());
  const fromDay = today - DAYS_MAX - BASELINE_DAYS;
  const spans = await readPaidDays(deps.db, { accountId, codes: [code], fromDay });
  const paid = spans.get(code) ?? [];
  if (tierOn(paid, today) !== null) return {};
  if (isSuspended) return { paid };
  const balance = (await readBalances(deps.db, [accountId])).get(accountId);
  const isPayable = balance !== undefined && remainingCredits(balance) >= creditsPerDay(tier);
  return isPayable ? {} : { paid };
}
