// What tracking costs: per day, and at once when a tier is raised. Pure.

export type TierPrice = { tier: number; credits_per_day: number };

/** The month that tier prices are compared by. */
export const DAYS_A_MONTH = 30;

type Charged = { tier: number; status: 'active' | 'suspended' };

/** Credits per day of these products; a suspended one is not charged. */
export function creditsPerDay(rows: readonly Charged[], prices: readonly TierPrice[]): number {
  const byTier = new Map(prices.map(({ tier, credits_per_day }) => [tier, credits_per_day]));
  let sum = 0;
  for (const row of rows) if (row.status === 'active') sum += byTier.get(row.tier) ?? 0;
  return sum;
}

/**
 * How many whole days the credits last at this rate; null if until the refresh. The current day
 * counts.
 */
export function daysCreditsLast(input: {
  perDay: number;
  remaining: number;
  daysUntilRefresh: number;
}): number | null {
  const { perDay, remaining, daysUntilRefresh } = input;
  if (perDay <= 0) return null;
  const days = Math.floor(Math.max(0, remaining) / perDay);
  return days < daysUntilRefresh ? days : null;
}

/** The most that is charged at once when these products get a finer tier today. */
export function raiseCost(
  rows: readonly { tier: number }[],
  tier: number,
  prices: readonly TierPrice[],
): number {
  const byTier = new Map(prices.map((price) => [price.tier, price.credits_per_day]));
  const target = byTier.get(tier) ?? 0;
  let sum = 0;
  for (const row of rows) sum += Math.max(0, target - (byTier.get(row.tier) ?? 0));
  return sum;
}
