// Learning from all products at once when they sell, how sales follow rank and how shelves are filled: once a
// day, and after much was taken in.

import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import { createPause, type Pause } from '../background/slices.ts';
import { listCodesInLane } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { LANES } from '../database/families.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { insertMarketModel, newestMarketModel } from './daily-sales.ts';
import { fitMarketModel } from './market-model.ts';
import { addProduct, emptyMarketSums, type MarketSums } from './market-sums.ts';
import { readStockObservations } from './read-stock-observations.ts';

/** As many products teach enough; lanes are as good as drawn by lot. */
const PRODUCTS_MAX = 5_000;
/** Their looks are held together: a year of hours is 20 MB for four. */
const PRODUCTS_AT_ONCE = 4;

type Deps = { db: Database; clock: Clock; log: Log };

/** Answers the new version. */
export async function learnMarket(
  deps: Deps,
  onProgress: (products: number) => void = () => {},
): Promise<number> {
  const learning = emptyMarketSums();
  const pause = createPause();
  const passedOver = await quarantinedKeys(deps.db, LEARN_MARKET);
  let products = 0;
  let seen = 0;
  for (let lane = 0; lane < LANES && products < PRODUCTS_MAX; lane++) {
    const codes = await listCodesInLane(deps.db, { lane, limit: PRODUCTS_MAX - products });
    for (let from = 0; from < codes.length; from += PRODUCTS_AT_ONCE) {
      const some = codes.slice(from, from + PRODUCTS_AT_ONCE);
      seen += await learnSome(
        { ...deps, pause },
        learning,
        some.filter((code) => !passedOver.has(code)),
      );
      products += some.length;
      onProgress(products);
    }
  }
  for (;;) {
    const version = ((await newestMarketModel(deps.db))?.version ?? 0) + 1;
    const model = fitMarketModel(learning, version);
    const now = deps.clock.nowMs();
    if (await insertMarketModel(deps.db, { model, products, observations: seen, now }))
      return version;
  }
}

/** Returns how many looks taught something. A product whose history cannot be read teaches nothing. */
async function learnSome(
  deps: Deps & { pause: Pause },
  learning: MarketSums,
  codes: readonly string[],
): Promise<number> {
  const isolated = {
    ...{ loop: LEARN_MARKET, log: deps.log, keyOf: (code: string) => code },
    setAside: (code: string, reason: string) =>
      putInQuarantine(deps.db, {
        ...{ owner: code, loop: LEARN_MARKET, item: code, reason, payload: null },
        atMs: deps.clock.nowMs(),
      }),
  };
  const read = await isolate(codes, {
    ...isolated,
    run: (batch) => readStockObservations(deps, batch),
  });
  let seen = 0;
  for (const [code, observations] of read.results.flatMap((found) => [...found])) {
    if (observations.length === 0) continue;
    // What it had taught before it failed stays: a share of one product in thousands.
    const { done } = await isolate([code], {
      ...isolated,
      run: async () => addProduct(learning, observations),
    });
    if (done.length > 0) seen += observations.length;
    await deps.pause();
  }
  return seen;
}

const LEARN_MARKET = 'learn-market';

export const learnMarketHandler: QuarantineHandler = {
  loop: LEARN_MARKET,
  // It is learned from with the next fit.
  retry: (deps, item) => release(deps, item),
  drop: { refusedBecause: 'The product is passed over until it is retried: mend it, then retry.' },
};

/** Looks that came in since, against those learned from, that make it worth learning anew at once, or in time. */
const GROWN_AT_ONCE = 0.2;
const GROWN_IN_TIME = 0.02;
const OBSERVATIONS_MIN = 1_000;
/** Knowledge older than this is made anew. */
const AGE_MAX_MS = 86_400_000;

export type MarketLearner = {
  /** Counts what was taken in; after much of it, waits until it has been learned from. */
  noteIngested(observations: number): Promise<void>;
  /** Learns when a day has passed, or when less came in and nothing more follows. */
  learnWhenDue(): Promise<void>;
};

/** Each process counts what it took in itself; that another learned meanwhile only makes the count too high. */
export function createMarketLearner(deps: Deps): MarketLearner {
  let since = 0;
  let sinceLastAsked = 0;
  let learning: Promise<unknown> | null = null;

  const learn = async () => {
    learning ??= learnMarket(deps).finally(() => {
      learning = null;
    });
    since = 0;
    await learning;
  };
  const hasGrown = (share: number, learnedFrom: number) =>
    since >= OBSERVATIONS_MIN && since >= learnedFrom * share;

  return {
    async noteIngested(observations) {
      since += observations;
      if (observations === 0) return;
      const newest = await newestMarketModel(deps.db);
      if (hasGrown(GROWN_AT_ONCE, newest?.observations ?? 0)) await learn();
    },
    async learnWhenDue() {
      const isQuiet = since === sinceLastAsked;
      sinceLastAsked = since;
      const newest = await newestMarketModel(deps.db);
      const isOld = newest !== null && deps.clock.nowMs() - newest.fittedAtMs >= AGE_MAX_MS;
      if (isOld || (isQuiet && hasGrown(GROWN_IN_TIME, newest?.observations ?? 0))) await learn();
    },
  };
}
