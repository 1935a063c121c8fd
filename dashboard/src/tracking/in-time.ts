// How punctually products are collected: the share of due collections that arrived in time, before
// a tenth of their interval had passed.
import { numberFormat } from '../design/locale.ts';
import type { Tracked } from './tracked-product.ts';

export type Share = { due: number; inTime: number };
export type TierShare = Share & { tier: number };

/** Below this share a customer should notice; 99.9 % are the objective. */
const SHARE_MIN = 0.99;
const MINUTES_PER_HOUR = 60;
const IN_TIME_PART = 10;

/** The last seven days by tier, finest first; tiers of which nothing was due yet are missing. */
export function sharesByTier(
  rows: readonly Pick<Tracked, 'tier' | 'slots_due_week' | 'slots_in_time_week'>[],
): TierShare[] {
  const byTier = new Map<number, TierShare>();
  for (const { tier, slots_due_week: due, slots_in_time_week: inTime } of rows) {
    if (due === 0) continue;
    const sum = byTier.get(tier) ?? { tier, due: 0, inTime: 0 };
    byTier.set(tier, { tier, due: sum.due + due, inTime: sum.inTime + inTime });
  }
  return [...byTier.values()].sort((one, other) => one.tier - other.tier);
}

const percentFormat = numberFormat({ maximumFractionDigits: 1 });

/** Rounded down: 100% means that none was late. */
export const shareText = ({ due, inTime }: Share) =>
  `${percentFormat.format(Math.floor((inTime / due) * 1000) / 10)}%`;

export const isPoor = ({ due, inTime }: Share) => inTime < due * SHARE_MIN;

/** How late a collection may arrive to be in time: "6 min", "2 h 24 min". */
export function allowanceText(intervalHours: number): string {
  const minutes = (intervalHours * MINUTES_PER_HOUR) / IN_TIME_PART;
  const [hours, rest] = [Math.floor(minutes / MINUTES_PER_HOUR), minutes % MINUTES_PER_HOUR];
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(Boolean).join(' ');
}
