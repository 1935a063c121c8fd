// POST /retailer/oversight/products/{id}/backtest: how often each event would have fired with the
// rules of the request, over the stored observations. Costs nothing and changes nothing.
import { Type } from 'typebox';
import { readBalances } from '../credits/ledger.ts';
import { remainingCredits } from '../credits/settlement.ts';
import type { ConditionMatches } from '../events/back-test.ts';
import { readCondition } from '../events/condition.ts';
import { EVENT_KINDS } from '../events/kind.ts';
import { readRules } from '../events/read-rules.ts';
import { DAY_MS, SECOND_MS } from '../foundation/time.ts';
import { effectiveRules } from '../tracking/account-rule.ts';
import { listAccountRules } from '../tracking/account-rules.ts';
import { type PaidSpan, tierOn } from '../tracking/paid-day.ts';
import { readPaidDays } from '../tracking/read-paid-days.ts';
import { runBackTest } from '../tracking/run-back-test.ts';
import { dayOf } from '../tracking/slot.ts';
import { creditsPerDay } from '../tracking/tier.ts';
import type { TrackedProduct } from '../tracking/tracked-product.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { ConditionText, RulesSchema } from './rules-schema.ts';
import { ById, ownProduct, TRACKED_PATH } from './tracked-products.ts';
import type { TrackingDeps } from './tracking-data.ts';
import { DateTime, isoTime, nullable, TEXT_PATTERN } from './wire.ts';

const DAYS_MAX = 90;
const DAYS_DEFAULT = 30;
const BASELINE_DAYS = 7;

const BacktestRecord = Type.Object(
  {
    from: DateTime('Start of the counted period'),
    to: DateTime('End of the counted period: the time of the request'),
    counts: Type.Object(
      Object.fromEntries(EVENT_KINDS.map((kind) => [kind, Type.Integer({ minimum: 0 })])),
      {
        title: 'EventCounts',
        description: 'Counts by event type, including types that would not have fired.',
      },
    ),
    condition: Type.Optional(
      Type.Object(
        {
          matches: Type.Integer({ minimum: 0, description: 'How often it would have matched.' }),
          last_matched_at: nullable(DateTime('When it would have matched last')),
          warning: nullable(
            Type.String({ description: 'Set if it would not have matched in this period.' }),
          ),
        },
        { title: 'ConditionBacktest', description: 'Present if the request has a `condition`.' },
      ),
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
    summary: 'Count the events that rules would have fired',
    description:
      'Uses the product’s tier, its watched seller and all stored observations, or only those of paid days if the current day cannot be paid. `rules` defaults to the rules that apply to the product, `seller_name` to its seller. A `condition` is tried, too. Costs no credits.',
    params: ById,
    body: Type.Object(
      {
        rules: Type.Optional(RulesSchema),
        condition: Type.Optional(ConditionText),
        seller_name: Type.Optional(
          nullable(
            Type.String({
              minLength: 1,
              maxLength: 500,
              pattern: TEXT_PATTERN,
              description:
                'the seller to watch instead of the product’s, or null for the account’s',
            }),
          ),
        ),
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
      const { condition } = body;
      if (condition !== undefined) readCondition(condition);
      const requestRules = body.rules === undefined ? undefined : readRules(body.rules);
      const tracked = await ownProduct(deps, params.id, caller);
      const { code } = tracked;
      const accountRules = await listAccountRules(deps.db, tracked.accountId);
      const toAtMs = deps.clock.nowMs();
      const fromAtMs = toAtMs - (body.days ?? DAYS_DEFAULT) * DAY_MS;
      const { counts, matches } = await runBackTest(
        { ...deps, takeTurn },
        {
          code,
          tier: tracked.tier,
          fromAtMs,
          toAtMs,
          watchedSeller: sellerOf(body, tracked) ?? caller.account.sellerName,
          rules: requestRules ?? readRules(effectiveRules(tracked, accountRules)),
          ...(await paidOnly(deps, tracked)),
          ...(condition === undefined
            ? {}
            : { conditions: [{ id: '', name: '', text: condition }] }),
        },
      );
      const period = { from: isoTime(fromAtMs), to: isoTime(toAtMs) };
      if (condition === undefined) return { json: { ...period, counts } };
      return { json: { ...period, counts, condition: conditionResult(matches) } };
    },
  });
}

/** The seller of the request, which may be none, or that of the product. */
const sellerOf = (
  { seller_name }: { seller_name?: string | null },
  { sellerName }: TrackedProduct,
): string | null => (seller_name === undefined ? sellerName : seller_name);

const conditionResult = ({ count, lastAtSeconds }: ConditionMatches) => ({
  matches: count,
  last_matched_at: lastAtSeconds === null ? null : isoTime(lastAtSeconds * SECOND_MS),
  warning:
    count > 0
      ? null
      : 'The condition would not have matched in this period. Check it before saving.',
});

/**
 * Limits the backtest to paid days if the current day is neither paid nor payable: an unpaid
 * product shows nothing new, not even counts.
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
