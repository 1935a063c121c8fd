// Tries the condition of a rule on some of the products that it applies to, by a back-test over
// their stored observations.
import { readRules } from '../events/read-rules.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { WalkDeps } from '../history/walk-observations.ts';
import { type AccountRule, effectiveRules } from './account-rule.ts';
import { readPaidDays } from './read-paid-days.ts';
import { runBackTest } from './run-back-test.ts';
import { dayOf } from './slot.ts';
import type { TrackedProduct } from './tracked-product.ts';
import { listTracked } from './tracked-products.ts';

const PRODUCTS_MAX = 3;
const DAYS = 30;
/** Days before the first counted one that a back-test reads for its baseline. */
const BASELINE_DAYS = 7;

export type RuleTrialDeps = WalkDeps & { clock: Clock };

export type RuleTrial = { products: number; days: number; matches: number };

/** Counts only what the customer has paid to see. */
export async function tryRule(
  deps: RuleTrialDeps,
  { rule, accountSeller }: { rule: AccountRule; accountSeller: string | null },
): Promise<RuleTrial> {
  const trial = { products: 0, days: DAYS, matches: 0 };
  if (rule.condition === null) return trial;
  const conditions = [{ id: rule.ruleId, name: rule.name, text: rule.condition }];
  const toAtMs = deps.clock.nowMs();
  for (const tracked of await someProducts(deps, rule)) {
    const { accountId, code, tier } = tracked;
    const fromDay = dayOf(toAtMs) - DAYS - BASELINE_DAYS;
    const spans = await readPaidDays(deps.db, { accountId, codes: [code], fromDay });
    const paid = spans.get(code) ?? [];
    if (paid.length === 0) continue;
    const { matches } = await runBackTest(deps, {
      code,
      tier,
      fromAtMs: toAtMs - DAYS * DAY_MS,
      toAtMs,
      watchedSeller: tracked.sellerName ?? accountSeller,
      rules: readRules(effectiveRules(tracked, [])),
      conditions,
      paid,
    });
    trial.products += 1;
    trial.matches += matches.count;
  }
  return trial;
}

async function someProducts(deps: RuleTrialDeps, { accountId, tags }: AccountRule) {
  if (tags === null) return listTracked(deps.db, { accountId, limit: PRODUCTS_MAX });
  const products = new Map<string, TrackedProduct>();
  for (const tag of tags) {
    const filter = { tags: [tag] };
    for (const one of await listTracked(deps.db, { accountId, limit: PRODUCTS_MAX, filter })) {
      products.set(one.trackedId, one);
    }
  }
  return [...products.values()].slice(0, PRODUCTS_MAX);
}
