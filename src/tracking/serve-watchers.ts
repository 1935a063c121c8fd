// Serves the watchers of a product with an observation: what each sees, what changed for it, the
// day that must be paid, and the next slot. Runs in the transaction that records the observation,
// after the products' rows are locked.
import { isolate } from '../background/isolate.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Product } from '../catalog/product.ts';
import type { Transaction } from '../database/database.ts';
import { inSavepoint } from '../database/savepoint.ts';
import { changeNotice } from '../events/change-notice.ts';
import type { DetectedEvent } from '../events/detected-event.ts';
import { explanationOf } from '../events/explanation.ts';
import { type ObservedState, totalUnits } from '../events/observed-state.ts';
import type { Log } from '../foundation/log.ts';
import { SECOND_MS } from '../foundation/time.ts';
import { readUnitsPerDay } from '../sales/daily-sales.ts';
import { insertOutboxRows } from './outbox.ts';
import type { OutboxRow } from './outbox-row.ts';
import { saveDroppedCounts } from './save-settlement-records.ts';
import { moveToNextSlot, type SlotMove } from './schedule.ts';
import type { ScheduleEntry } from './schedule-row.ts';
import type { ServedDay } from './served-days.ts';
import { afterServing, droppedCounts } from './served-slot.ts';
import { dayOf, nextSlot, phaseMs } from './slot.ts';
import { servedState, type Watcher } from './watcher.ts';
import { changesFor, type ObservedParts, observedProduct, rulesOf } from './watcher-change.ts';
import { lockWatchers, writeServed } from './watchers.ts';

export type Serving = {
  /** When the product was observed, for the purpose of slots. */
  atMs: number;
  /** The product after the observation. */
  product: Product;
  /** The parts of the product that this observation included. */
  observed: ObservedParts;
  isDelisting: boolean;
};

type WatchersByCode = ReadonlyMap<string, readonly Watcher[]>;

/**
 * Serves watchers with observations, those of one product in order of time, each as if it had come
 * alone. A product without a schedule entry has no watchers. Returns the number of outbox rows
 * written.
 */
export async function serveWatchers(
  tx: Transaction,
  input: {
    servings: readonly Serving[];
    scheduleEntries: ReadonlyMap<string, ScheduleEntry>;
    /** Serve each watcher in its own savepoint and quarantine those that fail. */
    isolates: boolean;
    log: Log;
  },
): Promise<number> {
  const { scheduleEntries } = input;
  const servings = input.servings.filter(({ product }) => scheduleEntries.has(product.code));
  if (servings.length === 0) return 0;
  const codes = [...new Set(servings.map(({ product }) => product.code))];
  const watchersByCode = await lockWatchers(tx, codes);
  const watchedCodes = codes.filter((code) => watchersByCode.has(code));
  const unitsPerDay =
    watchedCodes.length === 0 ? new Map() : await readUnitsPerDay(tx, watchedCodes);
  const serveSome = async (watchers: WatchersByCode) => {
    const result = serveAll(servings, watchers, unitsPerDay);
    await saveDroppedCounts(tx, result.dropped);
    await writeServed(tx, result.served);
    await insertOutboxRows(tx, result.outboxRows);
    return result.outboxRows.length;
  };
  const rowsWritten = input.isolates
    ? await serveIsolated(
        tx,
        { log: input.log, servings, watchers: [...watchersByCode.values()].flat() },
        serveSome,
      )
    : await serveSome(watchersByCode);
  await moveSlots(
    tx,
    servings.filter(({ isDelisting }) => !isDelisting),
    scheduleEntries,
  );
  return rowsWritten;
}

/** Watchers that fail miss this slot and are served again at their next one. */
async function serveIsolated(
  tx: Transaction,
  {
    log,
    servings,
    watchers,
  }: { log: Log; servings: readonly Serving[]; watchers: readonly Watcher[] },
  serveSome: (watchers: WatchersByCode) => Promise<number>,
): Promise<number> {
  const lastAtMs = servings.reduce((last, { atMs }) => Math.max(last, atMs), 0);
  const { results } = await isolate(watchers, {
    loop: SERVE_WATCHERS,
    log,
    keyOf: ({ code, accountId }) => `${code}/${accountId}`,
    run: (batch) => inSavepoint(tx, () => serveSome(Map.groupBy(batch, ({ code }) => code))),
    setAside: ({ code, accountId, trackedId }, reason) =>
      inSavepoint(tx, () =>
        putInQuarantine(tx, {
          owner: code,
          loop: SERVE_WATCHERS,
          item: `${code}/${accountId}`,
          reason,
          payload: { accountId, trackedId, at: lastAtMs },
          atMs: lastAtMs,
        }),
      ),
  });
  return results.reduce((sum, count) => sum + count, 0);
}

export const SERVE_WATCHERS = 'serve-watchers';

/**
 * Returns each watcher once, after all observations. `state` is null where it did not change;
 * `dropped` has the counts of days that the watchers' rows no longer hold.
 */
function serveAll(
  servings: readonly Serving[],
  watchersByCode: WatchersByCode,
  unitsPerDay: ReadonlyMap<string, number>,
): { served: Watcher[]; outboxRows: OutboxRow[]; dropped: ServedDay[] } {
  const outboxRows: OutboxRow[] = [];
  const dropped: ServedDay[] = [];
  const latest = new Map<Watcher, Watcher>();
  for (const serving of servings) {
    const { code } = serving.product;
    const estimatedUnitsPerDay = unitsPerDay.get(code) ?? null;
    let observation: ObservedState | undefined;
    const observe = () => {
      observation ??= observedProduct(serving.product, serving.observed);
      return observation;
    };
    for (const watcher of watchersByCode.get(code) ?? []) {
      const before = latest.get(watcher) ?? watcher;
      const after = serve(before, serving, { observe, estimatedUnitsPerDay });
      if (after === null) continue;
      if (after.watcher.countedDay !== before.countedDay) {
        dropped.push(...droppedCounts(before, after.watcher));
      }
      latest.set(watcher, after.watcher);
      if (after.outboxRow !== null) outboxRows.push(after.outboxRow);
    }
  }
  const served = [...latest].map(([before, after]) =>
    after.state === before.state ? { ...after, state: null } : after,
  );
  return { served, outboxRows, dropped };
}

/** A delisting uses no slot and costs nothing, but watchers are notified of it. */
function serve(
  watcher: Watcher,
  serving: Serving,
  context: { observe: () => ObservedState; estimatedUnitsPerDay: number | null },
): { watcher: Watcher; outboxRow: OutboxRow | null } | null {
  const { atMs, product, isDelisting } = serving;
  const seenAtMs = product.observedAtMs;
  const after = isDelisting
    ? { ...watcher, seenAtMs: Math.max(seenAtMs, watcher.seenAtMs ?? 0) }
    : afterServing(watcher, { atMs, seenAtMs });
  const isEnded = watcher.endsAtMs !== null && atMs >= watcher.endsAtMs;
  if (after === null || watcher.isSuspended || isEnded) return null;
  const { events, state, conditionState } = changesFor(
    watcher,
    context.observe(),
    context.estimatedUnitsPerDay,
  );
  const day = dayOf(atMs);
  const mustPay = !isDelisting && after.chargedDay !== day;
  const served = {
    ...after,
    state: state ?? watcher.state,
    conditionState: conditionState ?? watcher.conditionState,
    chargedDay: mustPay ? day : after.chargedDay,
  };
  if (!mustPay && events.length === 0) return { watcher: served, outboxRow: null };
  const outboxRow: OutboxRow = {
    kind: isDelisting ? 'delisted' : 'served',
    code: watcher.code,
    accountId: watcher.accountId,
    trackedId: watcher.trackedId,
    tier: watcher.tier,
    day,
    atMs,
    body: events.length === 0 ? null : noticeOf(events, serving, { watcher, context }),
    before: isDelisting ? null : servedState(watcher),
  };
  return { watcher: served, outboxRow };
}

function noticeOf(
  events: readonly DetectedEvent[],
  { product, isDelisting }: Serving,
  { watcher, context }: { watcher: Watcher; context: { observe: () => ObservedState } },
) {
  const observation = context.observe();
  return changeNotice(events, product, {
    unitsInStock: totalUnits(observation),
    explanation: explanationOf(observation, { rules: rulesOf(watcher), isDelisting }),
  });
}

async function moveSlots(
  tx: Transaction,
  servings: readonly Serving[],
  scheduleEntries: ReadonlyMap<string, ScheduleEntry>,
): Promise<void> {
  // Of several observations of a product only the first of the last slot moves it: moved one by
  // one, the others would change nothing.
  const moves = new Map<string, SlotMove>();
  for (const { atMs, product } of servings) {
    const { code } = product;
    const { intervalSeconds } = scheduleEntries.get(code) as ScheduleEntry;
    const nextDueAtMs = nextSlot(atMs, phaseMs(code), intervalSeconds * SECOND_MS);
    if (moves.get(code)?.nextDueAtMs !== nextDueAtMs) moves.set(code, { code, atMs, nextDueAtMs });
  }
  await moveToNextSlot(tx, [...moves.values()]);
}
