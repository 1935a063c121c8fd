// Products that nobody tracks, collected for their sales: the fastest sellers hourly, others less often, as many as
// the budget of looks allows.
import { listProducts } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import { newestKnowledge, readKnowledge, readUnitsPerDay } from '../history/daily-sales.ts';
import { curveUnits } from '../history/rank-curve.ts';
import type { Knowledge } from '../history/sales-knowledge.ts';
import { placeUntracked } from '../oversight/schedule.ts';
import { nextSlot, phaseMs } from '../oversight/slot.ts';

/** Products looked at for it, the best ranked first. */
const CANDIDATES_MAX = 20_000;
const DAY_HOURS = 24;

/** Hours between two looks at a product that sells so many units a day. */
const INTERVALS: readonly { unitsFrom: number; hours: number }[] = [
  { unitsFrom: 50, hours: 1 },
  { unitsFrom: 20, hours: 2 },
  { unitsFrom: 5, hours: 6 },
  { unitsFrom: 1, hours: 12 },
  { unitsFrom: 0, hours: 24 },
];

export const hoursBetween = (unitsPerDay: number): number =>
  INTERVALS.find(({ unitsFrom }) => unitsPerDay >= unitsFrom)?.hours ?? DAY_HOURS;

/** Places them anew; what is tracked stays as it is. */
export async function placeHighVolume(
  deps: { db: Database; clock: Clock },
  { looksPerMinute }: { looksPerMinute: number },
): Promise<number> {
  const products = await listProducts(deps.db, CANDIDATES_MAX);
  const knownUnits = await readUnitsPerDay(
    deps.db,
    products.map(({ code }) => code),
  );
  const newest = await newestKnowledge(deps.db);
  const knowledge = await readKnowledge(deps.db, newest?.version ?? 0);
  const bySales = products
    .map(({ code, rank }) => ({ code, units: knownUnits.get(code) ?? byRank(knowledge, rank) }))
    .sort((a, b) => b.units - a.units);
  const now = deps.clock.nowMs();
  let looksLeft = looksPerMinute * 60 * DAY_HOURS;
  const chosen = bySales.flatMap(({ code, units }) => {
    const hours = hoursBetween(units);
    looksLeft -= DAY_HOURS / hours;
    if (looksLeft < 0) return [];
    const intervalSeconds = hours * 3600;
    return [{ code, intervalSeconds, dueAt: nextSlot(now, phaseMs(code), intervalSeconds * 1000) }];
  });
  await placeUntracked(deps.db, chosen);
  return chosen.length;
}

function byRank(knowledge: Knowledge, rank: { position: number; category: string } | null): number {
  const curve = rank === null ? null : (knowledge.categories[rank.category]?.curve ?? null);
  return curve === null || rank === null ? 0 : curveUnits(curve, rank.position);
}

/** So many looks a real minute, saved up for at most as long. */
export function createBudget(perMinute: number, nowMs: () => number): { take(): number } {
  let left = 0;
  let sinceMs = nowMs();
  return {
    /** All that may be spent now. */
    take() {
      left = Math.min(perMinute, left + ((nowMs() - sinceMs) / 60_000) * perMinute);
      sinceMs = nowMs();
      const whole = Math.floor(left);
      left -= whole;
      return whole;
    },
  };
}
