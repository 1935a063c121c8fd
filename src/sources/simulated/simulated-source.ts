// The simulated marketplace as a source: a seeded little economy that answers for any product at any time.
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

/** 2020-01-01: histories begin here. */
export const HISTORY_START_MS = 1_577_836_800_000;

const DEFAULT_SEED = 20_200_101;

/** Products kept ready: measured 9 MB for any, 16 MB for the best sellers. Only speed depends on it. */
const PRODUCTS_KEPT_MAX = 2_000;

export type SimulatedSource = Omit<Source, 'history'> & {
  readonly name: 'simulated';
  readonly productCount: number;
  /** From 0; the best sellers of all categories come first. */
  productAt(index: number): Listing;
  /** All codes in the same order. */
  codes(): Iterable<string>;
  /** What a look at this time sees; null for an unknown code. */
  snapshotAt(code: string, atMs: number): Snapshot | null;
  /** Daily unless a step is given; from inclusive, to exclusive, nothing of the future. */
  history(
    code: string,
    range: { fromMs: number; toMs: number; stepMs?: number },
  ): AsyncIterable<Snapshot>;
  /** Units really sold on each UTC day, from inclusive, to exclusive; what estimates are scored against. */
  trueDailySales(code: string, fromDayMs: number, toDayMs: number): number[];
};

export function createSimulatedSource(deps: { clock: Clock; seed?: number }): SimulatedSource {
  const { clock, seed = DEFAULT_SEED } = deps;
  const kept = new Map<number, Product>();

  function productWith(code: string): Product | null {
    const index = indexOfCode(code);
    if (index === null) return null;
    const product = kept.get(index) ?? productOf(seed, index);
    // Asked for last, dropped last.
    kept.delete(index);
    kept.set(index, product);
    if (kept.size > PRODUCTS_KEPT_MAX) kept.delete(kept.keys().next().value as number);
    return product;
  }

  function look(code: string, atMs: number): Snapshot | null {
    const product = productWith(code);
    return product && snapshotAt(product, Math.floor(atMs / 1_000));
  }

  async function* history(
    code: string,
    { fromMs, toMs, stepMs = DAY_MS }: { fromMs: number; toMs: number; stepMs?: number },
  ) {
    if (!(stepMs >= 1_000)) throw new RangeError('a step of a history is at least a second');
    const endMs = Math.min(toMs, clock.nowMs() + 1);
    const skipped = Math.max(0, Math.ceil((HISTORY_START_MS - fromMs) / stepMs));
    for (let atMs = fromMs + skipped * stepMs; atMs < endMs; atMs += stepMs) {
      const snapshot = look(code, atMs);
      if (snapshot === null) return;
      yield snapshot;
    }
  }

  return {
    name: 'simulated',
    productCount: PRODUCT_COUNT,
    productAt: (index) => {
      if (!Number.isInteger(index) || index < 0 || index >= PRODUCT_COUNT)
        throw new RangeError(`no product ${index}`);
      return listingOf(index);
    },
    *codes() {
      for (let index = 0; index < PRODUCT_COUNT; index++) yield codeOf(index);
    },
    snapshotAt: look,
    fetchBatch: async (codes) => {
      const nowMs = clock.nowMs();
      return codes.map((code): FetchOutcome => {
        const snapshot = look(code, nowMs);
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
    close: async () => kept.clear(),
  };
}
