// POST /retailer/oversight/products/{id}/backtest: how often each kind of event would have fired by given rules, over
// the looks that are kept. Costs nothing and changes nothing.
import { Type } from 'typebox';
import { backTest } from '../events/back-test.ts';
import { EVENT_KINDS } from '../events/kind.ts';
import { readRules } from '../events/read-rules.ts';
import { readUnitsPerDay } from '../history/daily-sales.ts';
import { readLooks } from '../history/read-looks.ts';
import { DAY_MS, phaseMs } from '../oversight/slot.ts';
import { intervalSeconds } from '../oversight/tier.ts';
import { type Door, door } from './metered.ts';
import { ById, ownProduct, RulesSchema, TRACKED_PATH } from './oversight-products.ts';
import type { TrackingDeps } from './tracking-data.ts';
import { DateTime, isoTime } from './wire.ts';

const DAYS_MAX = 90;
const DAYS_DEFAULT = 30;
/** Looks of so many days before the first counted one make the baseline: seven of the coarsest tier. */
const BASELINE_MS = 7 * DAY_MS;

const BacktestRecord = Type.Object({
  from: DateTime('Events are counted from then on'),
  to: DateTime('When it was asked'),
  counts: Type.Object(
    Object.fromEntries(EVENT_KINDS.map((kind) => [kind, Type.Integer({ minimum: 0 })])),
    { description: 'Every kind, also those that would not have fired.' },
  ),
});

export function oversightBacktest(deps: TrackingDeps): Door {
  return door({
    tag: 'Oversight',
    bucket: 'account',
    method: 'POST',
    path: `${TRACKED_PATH}/:id/backtest`,
    operation: 'oversight-backtest',
    summary: 'How often each kind of event would have fired',
    description:
      'At the product’s own tier and for its watched seller, over the looks that are kept. Without rules, by those that the product has.',
    params: ById,
    body: Type.Object({
      rules: Type.Optional(RulesSchema),
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: DAYS_MAX,
          default: DAYS_DEFAULT,
          description: `a whole number of days from 1 to ${DAYS_MAX}`,
        }),
      ),
    }),
    answers: { 200: BacktestRecord },
    errors: [404],
    async respond({ params, body, caller }) {
      const asked = body.rules === undefined ? undefined : readRules(body.rules);
      const { code, ...tracked } = await ownProduct(deps, params.id, caller);
      const to = deps.clock.nowMs();
      const from = to - (body.days ?? DAYS_DEFAULT) * DAY_MS;
      const [looks, unitsPerDay] = await Promise.all([
        readLooks(deps, code, {
          fromAt: Math.floor((from - BASELINE_MS) / 1000),
          toAt: Math.floor(to / 1000) + 1,
        }),
        readUnitsPerDay(deps.db, [code]),
      ]);
      const counts = backTest({
        looks,
        slot: {
          intervalSeconds: intervalSeconds(tracked.tier),
          phaseSeconds: phaseMs(code) / 1000,
        },
        fromSeconds: Math.ceil(from / 1000),
        watchedSeller: tracked.sellerName ?? caller.account.sellerName,
        rules: asked ?? readRules(tracked.rules),
        estimatedUnitsPerDay: unitsPerDay.get(code) ?? null,
      });
      return { json: { from: isoTime(from), to: isoTime(to), counts } };
    },
  });
}
