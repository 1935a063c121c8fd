// Looking a product up: from the catalogue while it is fresh, else from the marketplace now, with one call
// however many ask at once. What is stored is better than nothing when the marketplace is away.
import { gtin14 } from '../catalog/gtin.ts';
import { bestListing, type Product } from '../catalog/product.ts';
import type { Products } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { type Clock, monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { type Recorded, recordSnapshots } from './record-snapshot.ts';
import type { Refusal, Source } from './source.ts';

/** An observation younger than this is answered as it is. */
export const FRESH_MS = 15 * 60_000;
/** A code that was not found is not asked for again within this. */
const NOT_FOUND_MS = 10 * 60_000;
/** A paid request waits this long for the marketplace at most. */
const WAIT_MAX_MS = 10_000;
const NOT_FOUND_MAX = 100_000;
/** Outcomes kept for those who read the catalogue just before; needed for milliseconds. */
const ENDED_MAX = 1_000;

export type LookUp = {
  byCode(code: string): Promise<Product | undefined>;
  /** By a UPC or EAN: the best of its listings. */
  byGtin(digits: string): Promise<Product | undefined>;
};

type Deps = { db: Database; products: Products; source: Source; clock: Clock; log: Log };

export function createLookUp(deps: Deps): LookUp {
  const underWay = new Map<string, Promise<Product | Refusal>>();
  const ended = new Map<string, { outcome: Product | Refusal; endedMs: number }>();
  const notFound = new Map<string, number>();

  const isFresh = (product: Product | undefined) =>
    product !== undefined && deps.clock.nowMs() - product.observedAt < FRESH_MS;

  const isKnownMissing = (key: string) => {
    const sinceMs = notFound.get(key);
    return sinceMs !== undefined && monotonicMs() - sinceMs < NOT_FOUND_MS;
  };

  const rememberMissing = (key: string) => {
    if (notFound.size >= NOT_FOUND_MAX) notFound.clear();
    notFound.set(key, monotonicMs());
  };

  /**
   * One call for a code, however many want it. Who read the catalogue before a call ended may not have
   * seen what it recorded: that call's outcome is theirs as well.
   */
  const collect = (code: string, sinceMs: number): Promise<Product | Refusal> => {
    const begun = underWay.get(code);
    if (begun !== undefined) return begun;
    const last = ended.get(code);
    if (last !== undefined && last.endedMs >= sinceMs) return Promise.resolve(last.outcome);
    const started = collectNow(deps, code)
      .then((outcome) => {
        if (ended.size >= ENDED_MAX) ended.clear();
        ended.set(code, { outcome, endedMs: monotonicMs() });
        return outcome;
      })
      .finally(() => underWay.delete(code));
    underWay.set(code, started);
    return started;
  };

  const refreshed = async (code: string, stored: Product | undefined, sinceMs: number) => {
    if (isFresh(stored)) return stored;
    if (stored === undefined && isKnownMissing(code)) return undefined;
    const found = await collect(code, sinceMs);
    if (!('kind' in found)) return found;
    if (stored !== undefined) return stored;
    if (found.kind === 'not_found') {
      rememberMissing(code);
      return undefined;
    }
    throw sourceAway(found.reason);
  };

  return {
    async byCode(code) {
      const sinceMs = monotonicMs();
      return refreshed(code, await deps.products.byCode(code), sinceMs);
    },
    async byGtin(digits) {
      const sinceMs = monotonicMs();
      const gtin = gtin14(digits);
      const stored = bestListing(await deps.products.byGtin(digits));
      if (stored !== undefined) return refreshed(stored.code, stored, sinceMs);
      if (isKnownMissing(gtin)) return undefined;
      const outcome = await withinLimit(deps.source.findByGtin(gtin));
      if (outcome.kind === 'unsupported') return undefined;
      if (outcome.kind !== 'codes') throw sourceAway(outcome.reason);
      const found = await Promise.all(
        outcome.codes.map((code) => refreshed(code, undefined, sinceMs)),
      );
      const best = bestListing(found.filter((product) => product !== undefined));
      if (best === undefined) rememberMissing(gtin);
      return best;
    },
  };
}

async function collectNow(deps: Deps, code: string): Promise<Product | Refusal> {
  const [outcome] = await withinLimit(deps.source.fetchBatch([code])).catch((error): [Refusal] => [
    { kind: 'unavailable', reason: String(error) },
  ]);
  if (outcome === undefined) return { kind: 'bad_answer', reason: 'no outcome' };
  if (outcome.kind !== 'snapshot') {
    if (outcome.kind !== 'not_found') deps.log.warn({ code, ...outcome }, 'look-up failed');
    return outcome;
  }
  const [recorded] = await recordSnapshots(deps, [outcome.snapshot]);
  return (recorded as Recorded).product;
}

function withinLimit<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(sourceAway('it did not answer in time')), WAIT_MAX_MS);
  });
  return Promise.race([answer, limit]).finally(() => clearTimeout(timer));
}

function sourceAway(reason: string): Problem {
  return new Problem(
    'source_unavailable',
    'The marketplace cannot be reached and nothing is stored of this product. Nothing was charged; try again shortly.',
    { cause: new Error(reason) },
  );
}
