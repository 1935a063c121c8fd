// The plans that can be bought: a small table of the operator's, read often and changed rarely.
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

/** Every plan, the smallest first. */
const LIST_PLANS = statement(
  'list-plans',
  'select name, monthly_credits, tracked_products_max, position from plans order by position',
);

const AGE_MAX_MS = 10_000;

export type Plans = {
  list(): Promise<Plan[]>;
  /** The plan of this name, whatever its case. */
  named(name: string): Promise<Plan>;
};

/** The plan table, remembered for ten seconds: an operator's change is felt soon, and cheaply. */
export function createPlans(db: Database): Plans {
  let known: Plan[] = [];
  let readMs = Number.NEGATIVE_INFINITY;
  const list = async () => {
    if (monotonicMs() - readMs > AGE_MAX_MS) {
      known = (await db.read<PlanRow>(LIST_PLANS)).map(fromRow);
      readMs = monotonicMs();
    }
    return known;
  };
  return {
    list,
    async named(name) {
      const plans = await list();
      const plan = plans.find((one) => one.name.toLowerCase() === name.toLowerCase());
      if (plan !== undefined) return plan;
      const names = plans.map((one) => one.name).join(', ');
      throw new Problem('plan_unknown', `There is no plan "${name}"; there are ${names}.`);
    },
  };
}
