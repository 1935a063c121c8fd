// Serving those who watch a product with a look at it: what each sees, what changed for it, the day that must be
// paid, the next slot. In the transaction that records the look, after the products' rows are locked.
import { isolate } from '../background/isolate.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Product } from '../catalog/product.ts';
import type { Transaction } from '../database/database.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { changeNotice } from '../events/change-notice.ts';
import { type ObservedState, type Parts, totalUnits } from '../events/observed-state.ts';
import type { Log } from '../foundation/log.ts';
import { readUnitsPerDay } from '../sales/daily-sales.ts';
import { detectFor, observedProduct } from './detect-for-watchers.ts';
import { keepForgotten } from './keep-paid-days.ts';
import { insertOutgoing, type Outgoing } from './outgoing.ts';
import { moveOn, type Served } from './schedule.ts';
import type { ScheduleEntry } from './schedule-row.ts';
import type { ServedDay } from './served-days.ts';
import { afterServing, forgottenCounts } from './serving.ts';
import { dayOf, nextSlot, phaseMs } from './slot.ts';
import { servedState, type Watcher } from './watcher.ts';
import { lockWatchers, writeServed } from './watchers.ts';

/** When it was looked, the product as it is known since, and what of it was seen this time. */
export type Serving = { at: number; product: Product; observed: Parts; isDelisting: boolean };

/**
 * Serves watchers with looks, those at one product in the order of time, each as if it had come alone. What has no
 * place on the schedule is watched by nobody. Returns the number of outbox rows written.
 */
export async function serveWatchers(
  tx: Transaction,
  input: {
    servings: readonly Serving[];
    scheduleEntries: ReadonlyMap<string, ScheduleEntry>;
    /** Watchers who cannot be served are set aside, each in a savepoint of its own. */
    isolates: boolean;
    log: Log;
  },
): Promise<number> {
  const { scheduleEntries } = input;
  const servings = input.servings.filter(({ product }) => scheduleEntries.has(product.code));
  if (servings.length === 0) return 0;
  const codes = [...new Set(servings.map(({ product }) => product.code))];
  const watching = await lockWatchers(tx, codes);
  const watched = codes.filter((code) => watching.has(code));
  const unitsPerDay = watched.length === 0 ? new Map() : await readUnitsPerDay(tx, watched);
  const serveSome = async (some: ReadonlyMap<string, readonly Watcher[]>) => {
    const { served, outgoing, forgotten } = serveAll(servings, some, unitsPerDay);
    await keepForgotten(tx, forgotten);
    await writeServed(tx, served);
    await insertOutgoing(tx, outgoing);
    return outgoing.length;
  };
  const written = input.isolates
    ? await serveIsolated(
        tx,
        { log: input.log, servings, watchers: [...watching.values()].flat() },
        serveSome,
      )
    : await serveSome(watching);
  await moveSlots(
    tx,
    servings.filter(({ isDelisting }) => !isDelisting),
    scheduleEntries,
  );
  return written;
}

/** All but those who make it fail, who miss this slot and are served again at their next. */
async function serveIsolated(
  tx: Transaction,
  {
    log,
    servings,
    watchers,
  }: { log: Log; servings: readonly Serving[]; watchers: readonly Watcher[] },
  serveSome: (some: ReadonlyMap<string, readonly Watcher[]>) => Promise<number>,
): Promise<number> {
  const atMs = servings.reduce((latest, { at }) => Math.max(latest, at), 0);
  const { results } = await isolate(watchers, {
    ...{ loop: SERVE_WATCHERS, log },
    keyOf: ({ code, accountId }) => `${code}/${accountId}`,
    run: (batch) => inSavepoint(tx, () => serveSome(Map.groupBy(batch, ({ code }) => code))),
    setAside: ({ code, accountId, trackedId }, reason) =>
      inSavepoint(tx, () =>
        putInQuarantine(tx, {
          ...{ owner: code, loop: SERVE_WATCHERS, item: `${code}/${accountId}`, reason, atMs },
          payload: { accountId, trackedId, at: atMs },
        }),
      ),
  });
  return results.reduce((sum, count) => sum + count, 0);
}

export const SERVE_WATCHERS = 'serve-watchers';

/** Each watcher after all of the looks, once; its state only where that is another now. */
function serveAll(
  servings: readonly Serving[],
  watching: ReadonlyMap<string, readonly Watcher[]>,
  unitsPerDay: ReadonlyMap<string, number>,
): { served: Watcher[]; outgoing: Outgoing[]; forgotten: ServedDay[] } {
  const outgoing: Outgoing[] = [];
  /** Counts of days that the watchers' rows do not hold any more. */
  const forgotten: ServedDay[] = [];
  const latest = new Map<Watcher, Watcher>();
  for (const serving of servings) {
    const { code } = serving.product;
    const usual = unitsPerDay.get(code) ?? null;
    let seen: ObservedState | undefined;
    const observation = () => {
      seen ??= observedProduct(serving.product, serving.observed);
      return seen;
    };
    for (const locked of watching.get(code) ?? []) {
      const before = latest.get(locked) ?? locked;
      const after = serve(before, serving, { observation, usual });
      if (after === null) continue;
      if (after.watcher.countedOn !== before.countedOn) {
        forgotten.push(...forgottenCounts(before, after.watcher));
      }
      latest.set(locked, after.watcher);
      if (after.outgoing !== null) outgoing.push(after.outgoing);
    }
  }
  const served = [...latest].map(([before, after]) =>
    after.state === before.state ? { ...after, state: null } : after,
  );
  return { served, outgoing, forgotten };
}

/** A delisting is nobody's slot and costs nothing, but those who watch are told. */
function serve(
  watcher: Watcher,
  serving: Serving,
  { observation, usual }: { observation: () => ObservedState; usual: number | null },
): { watcher: Watcher; outgoing: Outgoing | null } | null {
  const { at, product, isDelisting } = serving;
  const seenAt = product.observedAtMs;
  const after = isDelisting
    ? { ...watcher, seenAt: Math.max(seenAt, watcher.seenAt ?? 0) }
    : afterServing(watcher, { at, seenAt });
  if (after === null || watcher.isSuspended) return null;
  const { events, state } = detectFor(watcher, observation(), usual);
  const day = dayOf(at);
  const mustPay = !isDelisting && after.chargedOn !== day;
  const { code, accountId, trackedId, tier } = watcher;
  const outgoing: Outgoing | null =
    mustPay || events.length > 0
      ? {
          ...{
            kind: isDelisting ? 'delisted' : 'served',
            code,
            accountId,
            trackedId,
            tier,
            day,
            at,
          },
          body:
            events.length === 0 ? null : changeNotice(events, product, totalUnits(observation())),
          before: isDelisting ? null : servedState(watcher),
        }
      : null;
  return {
    watcher: {
      ...after,
      state: state ?? watcher.state,
      chargedOn: mustPay ? day : after.chargedOn,
    },
    outgoing,
  };
}

async function moveSlots(
  tx: Transaction,
  servings: readonly Serving[],
  scheduleEntries: ReadonlyMap<string, ScheduleEntry>,
): Promise<void> {
  // Of several looks at a product only the first of the last slot: one by one, the others would leave no trace.
  const moves = new Map<string, Served>();
  for (const { at, product } of servings) {
    const { code } = product;
    const { intervalSeconds } = scheduleEntries.get(code) as ScheduleEntry;
    const nextDueAt = nextSlot(at, phaseMs(code), intervalSeconds * 1000);
    if (moves.get(code)?.nextDueAt !== nextDueAt) moves.set(code, { code, at, nextDueAt });
  }
  await moveOn(tx, [...moves.values()]);
}
