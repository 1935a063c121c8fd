// What is shown of a tracked product: what its paid days pay for, at the tier of each day, by key and by session alike.
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { Observation } from '../history/observation.ts';
import { walkObservations } from '../history/walk-observations.ts';
import { lastPaidDay, type PaidSpan, tierOn } from '../tracking/paid-day.ts';
import { dayOf, phaseMs, slotStart } from '../tracking/slot.ts';
import { intervalSeconds, type Tier } from '../tracking/tier.ts';

/** The last paid day, the tier it was paid for, and the observation that is seen of it. */
export type PaidView = { day: number; tier: Tier; at: number };

/**
 * null while nothing was paid. A day that is over shows what its watcher saw at its end, whatever has been seen since:
 * that belongs to days that are not paid.
 */
export async function paidView(
  deps: { db: Database; log: Log },
  input: { code: string; seenAtMs: number | null; paid: readonly PaidSpan[]; today: number },
): Promise<PaidView | null> {
  const { code, seenAtMs, paid, today } = input;
  const day = lastPaidDay(paid, today);
  const tier = day === null ? null : tierOn(paid, day);
  if (seenAtMs === null || day === null || tier === null) return null;
  if (day === today || dayOf(seenAtMs) <= day) return { day, tier, at: seenAtMs };
  const at = await lastSeenOn(deps, { code, day, tier });
  return at === null ? null : { day, tier, at };
}

/** The last observation that a tier saw of a product until a day ended: the first of each of its slots. */
async function lastSeenOn(
  deps: { db: Database; log: Log },
  { code, day, tier }: { code: string; day: number; tier: Tier },
): Promise<number | null> {
  const toAtSeconds = ((day + 1) * DAY_MS) / 1000;
  const phase = phaseMs(code);
  const intervalMs = intervalSeconds(tier) * 1000;
  let slot: number | null = null;
  let seenAtMs: number | null = null;
  const fromAtSeconds = toAtSeconds - 2 * (DAY_MS / 1000);
  for await (const observation of walkObservations(deps, code, { fromAtSeconds, toAtSeconds })) {
    const at = observation.atSeconds * 1000;
    const own = slotStart(at, phase, intervalMs);
    if (own === slot) continue;
    [slot, seenAtMs] = [own, at];
  }
  return seenAtMs;
}

/** The looks of days that were paid at a tier, and the one that is seen now. */
export async function* paidObservations(
  observations: AsyncIterable<Observation>,
  { paid, tier, view }: { paid: readonly PaidSpan[]; tier: Tier; view: PaidView },
): AsyncGenerator<Observation, void, undefined> {
  const seenSeconds = Math.floor(view.at / 1000);
  let day: number | null = null;
  let isPaid = false;
  for await (const observation of observations) {
    const own = dayOf(observation.atSeconds * 1000);
    if (own !== day) [day, isPaid] = [own, tierOn(paid, own) === tier];
    if (isPaid || observation.atSeconds === seenSeconds) yield observation;
  }
}
