// The plans on sale: a small table of the operator, read often and changed rarely.
import { type Database, statement } from '../database/database.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';

export type Plan = {
  name: string;
  monthlyCredits: number;
  trackedProductsMax: number;
  position: number;
};

type PlanRow = {
  name: string;
  monthly_credits: number;
  tracked_products_max: number;
  position: number;
};

const fromRow = (row: PlanRow): Plan => ({
  name: row.name,
  monthlyCredits: row.monthly_credits,
  trackedProductsMax: row.tracked_products_max,
  position: row.position,
});

/** Every plan, smallest first. */
const LIST_PLANS = statement(
  'list-plans',
  'select name, monthly_credits, tracked_products_max, position from plans order by position',
);

const CACHE_MS = 10_000;

export type Plans = ReturnType<typeof createPlans>;

/** Caches the plan table for ten seconds, so that an operator's change applies soon. */
export function createPlans(db: Database) {
  let cachedPlans: Plan[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  const list = async (): Promise<Plan[]> => {
    if (monotonicMs() - readAtMs > CACHE_MS) {
      cachedPlans = (await db.read<PlanRow>(LIST_PLANS)).map(fromRow);
      readAtMs = monotonicMs();
    }
    return cachedPlans;
  };
  return {
    list,
    /** Returns a function from plan name to monthly credits; 0 for an unknown plan. */
    async monthlyCredits(): Promise<(plan: string) => number> {
      const credits = new Map((await list()).map((plan) => [plan.name, plan.monthlyCredits]));
      return (plan) => credits.get(plan) ?? 0;
    },
    /** The plan with this name, in any case. */
    async named(name: string): Promise<Plan> {
      const plans = await list();
      const plan = plans.find((one) => one.name.toLowerCase() === name.toLowerCase());
      if (plan !== undefined) return plan;
      const names = plans.map((one) => one.name).join(', ');
      throw new Problem('plan_unknown', `There is no plan "${name}"; there are ${names}.`);
    },
  };
}
