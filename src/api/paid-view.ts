// What an account may see of a tracked product: the data of its paid days at each day's tier, for
// API keys and sessions alike.
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { Observation } from '../history/observation.ts';
import { walkObservations } from '../history/walk-observations.ts';
import { lastPaidDay, type PaidSpan, tierOn } from '../tracking/paid-day.ts';
import { dayOf, phaseMs, slotStart } from '../tracking/slot.ts';
import { intervalSeconds, type Tier } from '../tracking/tier.ts';

/** The last paid day, the tier that was paid for it, and the time of the visible observation. */
export type PaidView = { day: number; tier: Tier; seenAtMs: number };

/**
 * Returns null if no day was paid. A past day shows what its watcher saw at its end; newer
 * observations belong to unpaid days.
 */
export async function paidView(
  deps: { db: Database; log: Log },
  input: { code: string; seenAtMs: number | null; paid: readonly PaidSpan[]; today: number },
): Promise<PaidView | null> {
  const { code, seenAtMs, paid, today } = input;
  const day = lastPaidDay(paid, today);
  const tier = day === null ? null : tierOn(paid, day);
  if (seenAtMs === null || day === null || tier === null) return null;
  if (day === today || dayOf(seenAtMs) <= day) return { day, tier, seenAtMs };
  const lastSeenAtMs = await lastSeenOn(deps, { code, day, tier });
  return lastSeenAtMs === null ? null : { day, tier, seenAtMs: lastSeenAtMs };
}

/** The last observation a tier saw before the day ended; a tier sees the first of each slot. */
async function lastSeenOn(
  deps: { db: Database; log: Log },
  { code, day, tier }: { code: string; day: number; tier: Tier },
): Promise<number | null> {
  const toAtSeconds = ((day + 1) * DAY_MS) / 1000;
  const phase = phaseMs(code);
  const intervalMs = intervalSeconds(tier) * 1000;
  let lastSlotAtMs: number | null = null;
  let seenAtMs: number | null = null;
  const fromAtSeconds = toAtSeconds - 2 * (DAY_MS / 1000);
  for await (const observation of walkObservations(deps, code, { fromAtSeconds, toAtSeconds })) {
    const observedAtMs = observation.atSeconds * 1000;
    const slotAtMs = slotStart(observedAtMs, phase, intervalMs);
    if (slotAtMs === lastSlotAtMs) continue;
    [lastSlotAtMs, seenAtMs] = [slotAtMs, observedAtMs];
  }
  return seenAtMs;
}

/** The observations of days paid at a tier, and the one that is visible now. */
export async function* paidObservations(
  observations: AsyncIterable<Observation>,
  { paid, tier, view }: { paid: readonly PaidSpan[]; tier: Tier; view: PaidView },
): AsyncGenerator<Observation, void, undefined> {
  const seenAtSeconds = Math.floor(view.seenAtMs / 1000);
  let lastDay: number | null = null;
  let isPaid = false;
  for await (const observation of observations) {
    const day = dayOf(observation.atSeconds * 1000);
    if (day !== lastDay) [lastDay, isPaid] = [day, tierOn(paid, day) === tier];
    if (isPaid || observation.atSeconds === seenAtSeconds) yield observation;
  }
}
