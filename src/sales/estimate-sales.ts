// Brings the stored estimates of a product up to date: only the days that new observations affect,
// or all days if there is a new market model or older observations arrived. day-estimate holds the
// arithmetic.

import { createFairGate } from '../background/fair-gate.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import { inSlices } from '../background/slices.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { clearSalesStale, isUnchanged, readTails } from '../catalog/products.ts';
import { createGroupedBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { ALL_LANES, type LaneShare, lanesOf } from '../database/families.ts';
import { bounds } from '../foundation/bounds.ts';
import { realNowMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { createSingleFlight } from '../foundation/single-flight.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import type { WalkDeps } from '../history/walk-observations.ts';
import {
  listOutdated,
  newestMarketModel,
  readHabit,
  readMarketModel,
  readSalesOf,
  type StoredSales,
  writeSales,
} from './daily-sales.ts';
import {
  affectedDays,
  contextOf,
  type DayRange,
  estimateSteps,
  REACH_DAYS,
} from './day-estimate.ts';
import type { DayEstimate } from './day-sums.ts';
import { explainDays } from './explain-sales.ts';
import { EMPTY_MODEL, type MarketModel } from './market-model.ts';
import { packDays, unpackDays, yearOf } from './packed-days.ts';
import { HABIT_FORMAT, habitSteps } from './product-habit.ts';
import { walkStockObservations } from './read-stock-observations.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

export type SalesEstimates = ReturnType<typeof createSalesEstimates>;

/** The account whose queue the history is read in. */
type Reader = { key: string; takeTurn: NonNullable<WalkDeps['takeTurn']> };
const NO_ACCOUNT: Reader = { key: '', takeTurn: (part) => part() };

type Deps = { db: Database; log: Log };

export function createSalesEstimates(deps: Deps) {
  const estimates = createSingleFlight<Buffer[]>();
  let model: MarketModel = EMPTY_MODEL;
  const modelOf = async (version: number) => {
    if (model.version !== version) model = await readMarketModel(deps.db, version);
    return model;
  };

  const sales = createGroupedBatch<string, StoredSales>(deps.db, {
    keyOf: (code) => code,
    name: 'sales-reads',
    itemsMax: bounds.runReadsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 2,
    run: (codes) => readSalesOf(deps.db, codes),
  });

  // Estimating a product with hundreds of sellers takes hundreds of MB.
  const gate = createFairGate(bounds.salesEstimates);

  const bringUpToDate = async (
    code: string,
    tail: ProductTail,
    reader: Reader,
  ): Promise<Buffer[]> => {
    const stored = await sales.add(code);
    const isCurrent = stored.version === stored.newestVersion;
    if (isCurrent && tail.salesStaleFromDay === null) return packedOf(stored.years);
    const input = { code, tail, stored, model: await modelOf(stored.newestVersion) };
    const reading = { ...deps, takeTurn: reader.takeTurn };
    return gate.run(reader.key, async () => {
      const part = isCurrent ? await estimatePart(reading, input) : null;
      return packedOf(part ?? (await estimateAll(reading, input)));
    });
  };

  /** The packed years of a product, up to date with the tail that the caller has read. */
  const yearsOf = (code: string, tail: ProductTail, reader: Reader = NO_ACCOUNT) => {
    return estimates.run(code, () => bringUpToDate(code, tail, reader));
  };

  /** The newest version, and the part of the products, that have been estimated with it. */
  let refreshed = '';
  return {
    yearsOf,
    /** Explains the days from `fromDay` up to, but not including, `toDay`; names their model. */
    async explain(code: string, { fromDay, toDay }: DayRange, reader: Reader = NO_ACCOUNT) {
      const stored = await sales.add(code);
      const model = await modelOf(stored.newestVersion);
      const input = { code, model, range: { fromDay, toDay: toDay - 1 } };
      const reading = { ...deps, takeTurn: reader.takeTurn };
      const days = await gate.run(reader.key, () => explainDays(reading, input));
      return { modelVersion: model.version, days };
    },
    /** Updates some products that were estimated with an older model. False if there are none. */
    async refreshSome(limit: number, share: LaneShare = ALL_LANES): Promise<boolean> {
      const version = (await newestMarketModel(deps.db))?.version ?? 0;
      const part = `${version} ${share.index}/${share.count}`;
      if (version === 0 || part === refreshed) return false;
      const quarantined = await quarantinedKeys(deps.db, REFRESH_ESTIMATES);
      const outdated = await listOutdated(deps.db, {
        version,
        limit,
        exceptCodes: [...quarantined],
        lanes: lanesOf(share),
      });
      const tails = await readTails(deps.db, outdated);
      for (const [code, tail] of tails) {
        await isolate([code], {
          loop: REFRESH_ESTIMATES,
          log: deps.log,
          keyOf: (key) => key,
          run: () => yearsOf(code, tail),
          setAside: (_, reason) =>
            putInQuarantine(deps.db, {
              owner: code,
              loop: REFRESH_ESTIMATES,
              item: code,
              reason,
              payload: null,
              atMs: realNowMs(),
            }),
        });
      }
      if (outdated.length < limit) refreshed = part;
      return outdated.length > 0;
    },
  };
}

const REFRESH_ESTIMATES = 'refresh-estimates';

export const refreshEstimatesHandler: QuarantineHandler = {
  loop: REFRESH_ESTIMATES,
  async retry(deps, item) {
    const tail = (await readTails(deps.db, [item.item])).get(item.item);
    if (tail !== undefined) await createSalesEstimates(deps).yearsOf(item.item, tail);
    await release(deps, item);
  },
  drop: {
    refusedBecause: 'Its estimates use an older market model. Repair the product, then retry.',
  },
};

const packedOf = (years: StoredSales['years']) => years.map(({ packed }) => packed);

type Input = { code: string; tail: ProductTail; stored: StoredSales; model: MarketModel };

async function estimateAll(deps: WalkDeps, input: Input): Promise<StoredSales['years']> {
  const { code, model } = input;
  const observations = await walkStockObservations(deps, code);
  const habit = await inSlices(habitSteps(observations, model));
  const years = intoYears(await inSlices(estimateSteps(observations, { model, habit })));
  await store(deps, input, { years, habit });
  return years;
}

/**
 * Estimates only the days that new observations affect. Returns null if all days must be estimated:
 * older observations arrived, which may change the habit, or no observation with offers is close
 * enough before the affected days.
 */
async function estimatePart(deps: WalkDeps, input: Input): Promise<StoredSales['years'] | null> {
  const { code, tail, stored, model } = input;
  const staleFromDay = tail.salesStaleFromDay as number;
  const lastDay = lastEstimatedDay(stored);
  if (lastDay === null || staleFromDay < lastDay - REACH_DAYS) return null;
  const { fromDay } = affectedDays(staleFromDay);
  const { fromAtSeconds } = contextOf({ fromDay, toDay: fromDay });
  // 30 days more: most likely they include the nearest observation with offers before the context.
  const observations = await walkStockObservations(deps, code, fromAtSeconds - 30 * DAY_SECONDS);
  if (
    !reachesBack(observations, fromAtSeconds) ||
    gapBefore(observations, staleFromDay) > GAP_DAYS_MAX
  )
    return null;
  const range = { fromDay, toDay: dayOf((observations.at(-1) as StockObservation).atSeconds) };
  const habit = await readHabit(deps.db, code);
  if (habit?.version !== model.version || habit.format !== HABIT_FORMAT) return null;
  const days = await inSlices(estimateSteps(observations, { model, habit }, range));
  const unaffected = stored.years
    .flatMap(({ packed }) => unpackDays(packed))
    .filter(({ day }) => day < fromDay);
  const years = intoYears([...unaffected, ...days]);
  const changed = years.filter(({ year }) => year >= yearOf(fromDay));
  await store(deps, input, { years: changed, habit: null });
  return years;
}

const reachesBack = (observations: readonly StockObservation[], fromAtSeconds: number) =>
  observations.some(
    (observation) => observation.offers !== undefined && observation.atSeconds < fromAtSeconds,
  );

/** After a longer gap, new observations affect all days of the gap and days before it. */
const GAP_DAYS_MAX = 7;

function gapBefore(observations: readonly StockObservation[], day: number): number {
  const before = observations.findLast(
    (observation) => observation.offers !== undefined && dayOf(observation.atSeconds) < day,
  );
  return before === undefined ? Number.POSITIVE_INFINITY : day - dayOf(before.atSeconds);
}

function lastEstimatedDay({ years }: StoredSales): number | null {
  const last = years.at(-1);
  return last === undefined ? null : (unpackDays(last.packed).at(-1)?.day ?? null);
}

function intoYears(days: readonly DayEstimate[]): StoredSales['years'] {
  return [...Map.groupBy(days, ({ day }) => yearOf(day))].map(([year, daysOfYear]) => ({
    year,
    packed: packDays(daysOfYear),
  }));
}

/**
 * Stores estimates, unless the product has changed since it was read: then they are already stale.
 */
async function store(
  deps: Deps,
  { code, tail }: Input,
  estimates: Pick<Parameters<typeof writeSales>[1], 'years' | 'habit'>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await isUnchanged(tx, { code, tail }))) return;
    await writeSales(tx, { code, ...estimates });
    await clearSalesStale(tx, code);
  });
}
