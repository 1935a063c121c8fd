// Fits the market model to all products and stores it as a new version: once a day, and after a
// large ingest. market-sums holds the sums, market-model the arithmetic.
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import { createPause, type Pause } from '../background/slices.ts';
import { listCodesInLane } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { LANES } from '../database/families.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import { insertMarketModel, isModelOutdated, newestMarketModel } from './daily-sales.ts';
import { fitMarketModel } from './market-model.ts';
import { addProduct, emptyMarketSums, type MarketSums } from './market-sums.ts';
import { readStockObservations } from './read-stock-observations.ts';

type Deps = { db: Database; clock: Clock; log: Log };

/**
 * Fits a new model and returns its version. It is fitted to the products of the first lanes, which
 * are a random sample. Four products with a year of hourly observations take 20 MB.
 */
export async function learnMarket(
  deps: Deps,
  onProgress: (products: number) => void = () => {},
): Promise<number> {
  const sums = emptyMarketSums();
  const pause = createPause();
  const quarantined = await quarantinedKeys(deps.db, LEARN_MARKET);
  let products = 0;
  let observations = 0;
  for (let lane = 0; lane < LANES && products < bounds.modelProductsMax; lane++) {
    const codes = await listCodesInLane(deps.db, {
      lane,
      limit: bounds.modelProductsMax - products,
    });
    for (let from = 0; from < codes.length; from += bounds.modelProductsAtOnceMax) {
      const batch = codes.slice(from, from + bounds.modelProductsAtOnceMax);
      observations += await addProducts(
        { ...deps, pause },
        sums,
        batch.filter((code) => !quarantined.has(code)),
      );
      products += batch.length;
      onProgress(products);
    }
  }
  for (;;) {
    const version = ((await newestMarketModel(deps.db))?.version ?? 0) + 1;
    const model = fitMarketModel(sums, version);
    const nowMs = deps.clock.nowMs();
    if (await insertMarketModel(deps.db, { model, products, observations, nowMs })) return version;
  }
}

/**
 * Adds products to the sums. Returns the number of their observations; failing products are
 * skipped.
 */
async function addProducts(
  deps: Deps & { pause: Pause },
  sums: MarketSums,
  codes: readonly string[],
): Promise<number> {
  const isolated = {
    loop: LEARN_MARKET,
    log: deps.log,
    keyOf: (code: string) => code,
    setAside: (code: string, reason: string) =>
      putInQuarantine(deps.db, {
        owner: code,
        loop: LEARN_MARKET,
        item: code,
        reason,
        payload: null,
        atMs: deps.clock.nowMs(),
      }),
  };
  const read = await isolate(codes, {
    ...isolated,
    run: (batch) => readStockObservations(deps, batch),
  });
  let added = 0;
  for (const [code, observations] of read.results.flatMap((histories) => [...histories])) {
    if (observations.length === 0) continue;
    // What was added before a failure stays: it is a part of one product in thousands.
    const { done } = await isolate([code], {
      ...isolated,
      run: async () => addProduct(sums, observations),
    });
    if (done.length > 0) added += observations.length;
    await deps.pause();
  }
  return added;
}

const LEARN_MARKET = 'learn-market';

export const learnMarketHandler: QuarantineHandler = {
  loop: LEARN_MARKET,
  // The next fit includes it.
  retry: (deps, item) => release(deps, item),
  drop: {
    refusedBecause:
      'The model is fitted without the product until it is retried. Repair it, then retry.',
  },
};

/** Share of new observations after which a model is fitted at once, or when ingest has paused. */
const GROWN_AT_ONCE = 0.2;
const GROWN_WHEN_QUIET = 0.02;
const OBSERVATIONS_MIN = 1_000;
/** An older model is replaced. */
const AGE_MAX_MS = DAY_MS;

export type MarketLearner = ReturnType<typeof createMarketLearner>;

/**
 * Decides when to fit. Each process counts only what it ingested itself. If another process has
 * fitted meanwhile, the count is too high, which only causes an early fit.
 */
export function createMarketLearner(deps: Deps) {
  let ingested = 0;
  let ingestedAtLastCheck = 0;
  let learning: Promise<unknown> | null = null;
  let isFormatChecked = false;

  const learn = async () => {
    learning ??= learnMarket(deps).finally(() => {
      learning = null;
    });
    ingested = 0;
    await learning;
  };
  const hasGrown = (share: number, fitted: number) =>
    ingested >= OBSERVATIONS_MIN && ingested >= fitted * share;

  return {
    /** Counts ingested observations. After many of them, fits a model and waits for it. */
    async noteIngested(observations: number): Promise<void> {
      ingested += observations;
      if (observations === 0) return;
      const newest = await newestMarketModel(deps.db);
      if (hasGrown(GROWN_AT_ONCE, newest?.observations ?? 0)) await learn();
    },
    /**
     * Fits a model if the newest is a day old, or if observations were ingested and no more arrive.
     */
    async learnWhenDue(): Promise<void> {
      const isQuiet = ingested === ingestedAtLastCheck;
      ingestedAtLastCheck = ingested;
      const newest = await newestMarketModel(deps.db);
      const isOld = newest !== null && deps.clock.nowMs() - newest.fittedAtMs >= AGE_MAX_MS;
      const isOutdated = !isFormatChecked && (await isModelOutdated(deps.db));
      isFormatChecked = true;
      if (isOld || isOutdated || (isQuiet && hasGrown(GROWN_WHEN_QUIET, newest?.observations ?? 0)))
        await learn();
    },
  };
}
