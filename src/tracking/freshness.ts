// The freshness objective of tracked products: a slot is served in time when its snapshot arrives
// before a tenth of the slot has passed. Later is late, and a slot without a snapshot is missed.
import { SECOND_MS } from '../foundation/time.ts';
import type { Due } from './schedule-row.ts';
import { phaseMs, slotStart } from './slot.ts';
import { intervalSeconds, TIERS, type Tier } from './tier.ts';

const IN_TIME_SHARE = 0.1;

/** Whether a snapshot at `atMs` serves the slot that began at `slotAtMs` in time. */
export const isSlotInTime = (slot: { slotAtMs: number; intervalMs: number; atMs: number }) =>
  slot.atMs - slot.slotAtMs <= slot.intervalMs * IN_TIME_SHARE;

export type SlotOutcome = 'in_time' | 'late' | 'missed';
export type SlotCounts = { tier: Tier; counts: Readonly<Record<SlotOutcome, number>> };

/** The slots that ended or were served by a snapshot at `atMs`, which was due before. */
export function slotsAfterSnapshot(due: Due, atMs: number): SlotCounts | null {
  const slotAtMs = slotOf(due, atMs);
  const isLate = !isSlotInTime({ slotAtMs, intervalMs: due.intervalSeconds * SECOND_MS, atMs });
  const missed = slotsBetween(due, slotAtMs);
  return counted(due, { in_time: isLate ? 0 : 1, late: isLate ? 1 : 0, missed });
}

/** The slots that a failed attempt gives up, because the next attempt is after their end. */
export function slotsAfterFailure(due: Due, nextAttemptAtMs: number): SlotCounts | null {
  const missed = slotsBetween(due, slotOf(due, nextAttemptAtMs));
  return counted(due, { in_time: 0, late: 0, missed });
}

function slotsBetween(due: Due, slotAtMs: number): number {
  const firstAtMs = slotOf(due, due.dueAtMs);
  return Math.max(0, Math.round((slotAtMs - firstAtMs) / (due.intervalSeconds * SECOND_MS)));
}

const slotOf = (due: Due, atMs: number) =>
  slotStart(atMs, phaseMs(due.code), due.intervalSeconds * SECOND_MS);

function counted(due: Due, counts: SlotCounts['counts']): SlotCounts | null {
  const tier = TIERS.find((one) => intervalSeconds(one) === due.intervalSeconds);
  return tier === undefined ? null : { tier, counts };
}
