// Schedules untracked products to learn their sales: the fastest sellers hourly, others less often,
// as many as the budget of snapshots allows.
import { isolateByGroup } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import { listProducts } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { HOUR_SECONDS, MINUTE_MS, SECOND_MS } from '../foundation/time.ts';
import { newestMarketModel, readMarketModel, readUnitsPerDay } from '../sales/daily-sales.ts';
import type { MarketModel } from '../sales/market-model.ts';
import { curveUnits } from '../sales/rank-curve.ts';
import { deleteUntracked, listUntracked, scheduleUntracked } from './schedule.ts';
import { nextSlot, phaseMs } from './slot.ts';

/** How many products are considered, best ranked first. */
const CANDIDATES_MAX = 20_000;
const DAY_HOURS = 24;
const MINUTES_PER_HOUR = 60;

/** Hours between two snapshots of a product that sells at least `unitsFrom` units a day. */
const INTERVALS: readonly { unitsFrom: number; hours: number }[] = [
  { unitsFrom: 50, hours: 1 },
  { unitsFrom: 20, hours: 2 },
  { unitsFrom: 5, hours: 6 },
  { unitsFrom: 1, hours: 12 },
  { unitsFrom: 0, hours: 24 },
];

export const hoursBetween = (unitsPerDay: number): number =>
  INTERVALS.find(({ unitsFrom }) => unitsPerDay >= unitsFrom)?.hours ?? DAY_HOURS;

type Deps = { db: Database; clock: Clock; log: Log };

/** Reschedules all untracked products; returns how many are scheduled. */
export async function scheduleHighVolume(
  deps: Deps,
  { snapshotsPerMinute }: { snapshotsPerMinute: number },
): Promise<number> {
  const products = await listProducts(deps.db, CANDIDATES_MAX);
  const estimates = await readUnitsPerDay(
    deps.db,
    products.map(({ code }) => code),
  );
  const newest = await newestMarketModel(deps.db);
  const model = await readMarketModel(deps.db, newest?.version ?? 0);
  const bySales = products
    .map(({ code, rank }) => ({ code, units: estimates.get(code) ?? byRank(model, rank) }))
    .sort((a, b) => b.units - a.units);
  const nowMs = deps.clock.nowMs();
  let snapshotsLeft = snapshotsPerMinute * MINUTES_PER_HOUR * DAY_HOURS;
  const chosen = bySales.flatMap(({ code, units }): UntrackedEntry[] => {
    const hours = hoursBetween(units);
    snapshotsLeft -= DAY_HOURS / hours;
    if (snapshotsLeft < 0) return [];
    const intervalSeconds = hours * HOUR_SECONDS;
    const dueAtMs = nextSlot(nowMs, phaseMs(code), intervalSeconds * SECOND_MS);
    return [{ code, intervalSeconds, dueAtMs }];
  });
  return writeSchedule(deps, chosen);
}

type UntrackedEntry = { code: string; intervalSeconds: number; dueAtMs: number };

/** Schedules the chosen products and deletes all other untracked entries. */
async function writeSchedule(deps: Deps, chosen: readonly UntrackedEntry[]): Promise<number> {
  const db = withLockTimeout(deps.db, LOCK_WAIT_MS);
  const quarantined = await quarantinedKeys(db, SCHEDULE_HIGH_VOLUME);
  const isolation = {
    loop: SCHEDULE_HIGH_VOLUME,
    log: deps.log,
    keyOf: ({ code }: { code: string }) => code,
    ownerOf: ({ code }: { code: string }) => code,
    setAside: ({ code }: { code: string }, reason: string) =>
      putInQuarantine(db, {
        owner: code,
        loop: SCHEDULE_HIGH_VOLUME,
        item: code,
        reason,
        payload: null,
        atMs: deps.clock.nowMs(),
      }),
  };
  const { done } = await isolateByGroup(
    db,
    chosen.filter(({ code }) => !quarantined.has(code)),
    { ...isolation, run: (batch) => db.transaction((tx) => scheduleUntracked(tx, batch)) },
  );
  const chosenCodes = new Set(chosen.map(({ code }) => code));
  const obsolete = (await listUntracked(db)).filter(
    (code) => !chosenCodes.has(code) && !quarantined.has(code),
  );
  const deleteEntries = (batch: readonly { code: string }[]) =>
    db.transaction((tx) =>
      deleteUntracked(
        tx,
        batch.map(({ code }) => code),
      ),
    );
  await isolateByGroup(
    db,
    obsolete.map((code) => ({ code })),
    { ...isolation, run: deleteEntries },
  );
  return done.length;
}

/** The slug is stored with quarantined items, so it keeps its former name. */
const SCHEDULE_HIGH_VOLUME = 'place-high-volume';
/** How long to wait for a schedule entry that another session has locked. */
const LOCK_WAIT_MS = 250;

export const scheduleHighVolumeHandler: QuarantineHandler = {
  loop: SCHEDULE_HIGH_VOLUME,
  // The next round schedules it.
  retry: (deps, item) => release(deps, item),
  drop: { refusedBecause: 'The product would stay unscheduled. Repair it, then retry.' },
};

function byRank(model: MarketModel, rank: { position: number; category: string } | null): number {
  const curve = rank === null ? null : (model.categories[rank.category]?.curve ?? null);
  return curve === null || rank === null ? 0 : curveUnits(curve, rank.position);
}

/** A budget of snapshots per real minute; at most one minute's worth accumulates. */
export function createBudget(perMinute: number, nowMs: () => number): { take(): number } {
  let left = 0;
  let sinceMs = nowMs();
  return {
    /** Takes everything that may be spent now. */
    take() {
      left = Math.min(perMinute, left + ((nowMs() - sinceMs) / MINUTE_MS) * perMinute);
      sinceMs = nowMs();
      const whole = Math.floor(left);
      left -= whole;
      return whole;
    },
  };
}
