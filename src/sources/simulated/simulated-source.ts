// The simulated marketplace as a source: a seeded economy with a snapshot of any product at any
// time.
import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { Clock } from '../../foundation/clock.ts';
import { DAY_MS } from '../../foundation/time.ts';
import type { FetchOutcome, Source } from '../source.ts';
import {
  codeOf,
  indexOfCode,
  indexOfGtin,
  type Listing,
  listingOf,
  PRODUCT_COUNT,
} from './listing.ts';
import { snapshotAt } from './market.ts';
import { type Product, productOf } from './product.ts';
import { soldOn } from './stock.ts';

/** 2020-01-01: histories start here. */
export const HISTORY_START_MS = 1_577_836_800_000;

const DEFAULT_SEED = 20_200_101;

/** Cached products: measured 9 MB for any, 16 MB for the best sellers. Only speed depends on it. */
const PRODUCTS_CACHED_MAX = 2_000;

/** A kettle, headphones and a yoga mat: best sellers of three categories. */
const SAMPLES: readonly number[] = [0, 10, 25];

export type SimulatedSource = Omit<Source, 'history'> & {
  readonly name: 'simulated';
  readonly productCount: number;
  /** From 0; the best sellers of all categories come first. */
  productAt(index: number): Listing;
  /** All codes in the same order. */
  codes(): Iterable<string>;
  /** The snapshot at this time; null for an unknown code. */
  snapshotAt(code: string, atMs: number): Snapshot | null;
  /** Daily by default; `fromMs` inclusive, `toMs` exclusive, never later than now. */
  history(
    code: string,
    range: { fromMs: number; toMs: number; stepMs?: number },
  ): AsyncIterable<Snapshot>;
  /**
   * Units truly sold per UTC day, from inclusive, to exclusive; estimates are scored against them.
   */
  trueDailySales(code: string, fromDayMs: number, toDayMs: number): number[];
};

export function createSimulatedSource(deps: { clock: Clock; seed?: number }): SimulatedSource {
  const { clock, seed = DEFAULT_SEED } = deps;
  const cache = new LRUCache<number, Product>({ max: PRODUCTS_CACHED_MAX });

  function productWith(code: string): Product | null {
    const index = indexOfCode(code);
    if (index === null) return null;
    const product = cache.get(index) ?? productOf(seed, index);
    cache.set(index, product);
    return product;
  }

  function snapshotOf(code: string, atMs: number): Snapshot | null {
    const product = productWith(code);
    return product && snapshotAt(product, Math.floor(atMs / 1_000));
  }

  async function* history(
    code: string,
    { fromMs, toMs, stepMs = DAY_MS }: { fromMs: number; toMs: number; stepMs?: number },
  ) {
    if (!(stepMs >= 1_000)) throw new RangeError('the step of a history must be at least a second');
    const endMs = Math.min(toMs, clock.nowMs() + 1);
    const skipped = Math.max(0, Math.ceil((HISTORY_START_MS - fromMs) / stepMs));
    for (let atMs = fromMs + skipped * stepMs; atMs < endMs; atMs += stepMs) {
      const snapshot = snapshotOf(code, atMs);
      if (snapshot === null) return;
      yield snapshot;
    }
  }

  return {
    name: 'simulated',
    sampleCodes: SAMPLES.map(codeOf),
    productCount: PRODUCT_COUNT,
    productAt: (index) => {
      if (!Number.isInteger(index) || index < 0 || index >= PRODUCT_COUNT)
        throw new RangeError(`there is no product with the index ${index}`);
      return listingOf(index);
    },
    *codes() {
      for (let index = 0; index < PRODUCT_COUNT; index++) yield codeOf(index);
    },
    snapshotAt: snapshotOf,
    fetchBatch: async (codes) => {
      const nowMs = clock.nowMs();
      return codes.map((code): FetchOutcome => {
        const snapshot = snapshotOf(code, nowMs);
        return snapshot === null ? { kind: 'not_found' } : { kind: 'snapshot', snapshot };
      });
    },
    findByGtin: async (gtin) => {
      const index = indexOfGtin(gtin);
      return { kind: 'codes', codes: index === null ? [] : [codeOf(index)] };
    },
    history,
    trueDailySales: (code, fromDayMs, toDayMs) => {
      const product = productWith(code);
      const sales: number[] = [];
      if (product === null) return sales;
      for (let day = Math.floor(fromDayMs / DAY_MS); day * DAY_MS < toDayMs; day++)
        sales.push(soldOn(product, day));
      return sales;
    },
    close: async () => cache.clear(),
  };
}
