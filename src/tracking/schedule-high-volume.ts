// Products that nobody tracks, collected for their sales: the fastest sellers hourly, others less often, as many as
// the budget of looks allows.
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import { listProducts } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { newestMarketModel, readMarketModel, readUnitsPerDay } from '../sales/daily-sales.ts';
import type { MarketModel } from '../sales/market-model.ts';
import { curveUnits } from '../sales/rank-curve.ts';
import { deleteUntracked, listUntracked, scheduleUntracked } from './schedule.ts';
import { nextSlot, phaseMs } from './slot.ts';

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

type Deps = { db: Database; clock: Clock; log: Log };

/** Places them anew; what is tracked stays as it is. */
export async function scheduleHighVolume(
  deps: Deps,
  { snapshotsPerMinute }: { snapshotsPerMinute: number },
): Promise<number> {
  const products = await listProducts(deps.db, CANDIDATES_MAX);
  const knownUnits = await readUnitsPerDay(
    deps.db,
    products.map(({ code }) => code),
  );
  const newest = await newestMarketModel(deps.db);
  const model = await readMarketModel(deps.db, newest?.version ?? 0);
  const bySales = products
    .map(({ code, rank }) => ({ code, units: knownUnits.get(code) ?? byRank(model, rank) }))
    .sort((a, b) => b.units - a.units);
  const now = deps.clock.nowMs();
  let snapshotsLeft = snapshotsPerMinute * 60 * DAY_HOURS;
  const chosen = bySales.flatMap(({ code, units }) => {
    const hours = hoursBetween(units);
    snapshotsLeft -= DAY_HOURS / hours;
    if (snapshotsLeft < 0) return [];
    const intervalSeconds = hours * 3600;
    return [{ code, intervalSeconds, dueAt: nextSlot(now, phaseMs(code), intervalSeconds * 1000) }];
  });
  return scheduleEntry(deps, chosen);
}

/** Those that are to be collected are placed, all others taken off; returns how many were placed. */
async function scheduleEntry(deps: Deps, chosen: readonly Placed[]): Promise<number> {
  const db = withLockTimeout(deps.db, LOCK_WAIT_MS);
  const passedOver = await quarantinedKeys(db, SCHEDULE_HIGH_VOLUME);
  const isolated = {
    ...{ loop: SCHEDULE_HIGH_VOLUME, log: deps.log },
    setAside: ({ code }: Pick<Placed, 'code'>, reason: string) =>
      putInQuarantine(db, {
        ...{ owner: code, loop: SCHEDULE_HIGH_VOLUME, item: code, reason, payload: null },
        atMs: deps.clock.nowMs(),
      }),
    keyOf: ({ code }: Pick<Placed, 'code'>) => code,
  };
  const { done } = await isolate(
    chosen.filter(({ code }) => !passedOver.has(code)),
    { ...isolated, run: (batch) => db.transaction((tx) => scheduleUntracked(tx, batch)) },
  );
  const staying = new Set(chosen.map(({ code }) => code));
  const gone = (await listUntracked(db)).filter((code) => !staying.has(code));
  await isolate(
    gone.filter((code) => !passedOver.has(code)).map((code) => ({ code })),
    {
      ...isolated,
      run: (batch) =>
        db.transaction((tx) =>
          deleteUntracked(
            tx,
            batch.map(({ code }) => code),
          ),
        ),
    },
  );
  return done.length;
}

type Placed = { code: string; intervalSeconds: number; dueAt: number };

const SCHEDULE_HIGH_VOLUME = 'place-high-volume';
/** How long a place is waited for that another session keeps locked. */
const LOCK_WAIT_MS = 250;

export const scheduleHighVolumeHandler: QuarantineHandler = {
  loop: SCHEDULE_HIGH_VOLUME,
  // It is placed with the next round.
  retry: (deps, item) => release(deps, item),
  drop: { refusedBecause: 'The product is passed over until it is retried: mend it, then retry.' },
};

function byRank(model: MarketModel, rank: { position: number; category: string } | null): number {
  const curve = rank === null ? null : (model.categories[rank.category]?.curve ?? null);
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
