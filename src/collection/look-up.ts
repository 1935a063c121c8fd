// Looks a product up: from the catalogue while it is fresh, else from the marketplace, with one
// call for all concurrent requests. While the marketplace is unavailable, the stored product is
// served.
import type { Signal } from '../background/signal.ts';
import { bestListing, isWithdrawn, type Product } from '../catalog/product.ts';
import type { Products } from '../catalog/read-batched.ts';
import type { Database } from '../database/database.ts';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { createSingleFlight } from '../foundation/single-flight.ts';
import { MINUTE_MS, SECOND_MS } from '../foundation/time.ts';
import type { SharedRates } from '../limits/shared-rates.ts';
import type { Refusal, Source } from '../sources/source.ts';
import { judgeLookUp } from '../tracking/judge-snapshots.ts';
import { delistedSnapshots } from './delisted-snapshot.ts';
import { createMissBudget } from './miss-budget.ts';
import { type Recorded, recordSnapshots } from './record-snapshot.ts';

/** A product observed more recently than this is served from the catalogue. */
export const FRESH_MS = 15 * MINUTE_MS;
/** A code that was not found is not looked up again within this time. */
const NOT_FOUND_MS = 10 * MINUTE_MS;
/** The longest that a paid request waits for the marketplace. */
const WAIT_MAX_MS = 10 * SECOND_MS;

type Deps = {
  db: Database;
  products: Products;
  source: Source;
  clock: Clock;
  log: Log;
  outboxSignal?: Signal;
  rates?: SharedRates;
};

/** Who requests a product, and since when (monotonic). */
type LookUpContext = { accountId: string; sinceMs: number };

export type LookUp = ReturnType<typeof createLookUp>;

export function createLookUp(deps: Deps) {
  const collect = createSharedCollect(deps);
  const notFound = createNotFoundMemory();
  const misses = createMissBudget(monotonicMs, deps.rates);

  const isFresh = (product: Product | undefined) =>
    product !== undefined && deps.clock.nowMs() - product.observedAtMs < FRESH_MS;

  const refresh = async (code: string, stored: Product | undefined, context: LookUpContext) => {
    if (isFresh(stored)) return stored;
    // A withdrawn product is free, so looking it up is limited like looking up an unknown one.
    const isFree = stored === undefined || isWithdrawn(stored, deps.clock.nowMs());
    if (isFree) {
      if (notFound.has(code)) return stored;
      misses.refuseSpent(context.accountId);
    }
    const outcome = await collect(code, context.sinceMs);
    if (!('kind' in outcome)) return outcome;
    if (isFree && outcome.kind === 'not_found') {
      misses.spend(context.accountId);
      notFound.add(code);
      return stored;
    }
    if (stored !== undefined) return stored;
    if (outcome.kind === 'not_found') return undefined;
    throw sourceProblem(outcome);
  };

  const search = async (gtin: string, context: LookUpContext) => {
    const outcome = await deps.source.findByGtin(gtin);
    if (outcome.kind === 'unsupported') throw searchUnsupported();
    if (outcome.kind !== 'codes') throw sourceProblem(outcome);
    const listings = await Promise.all(
      outcome.codes.map((code) => refresh(code, undefined, context)),
    );
    const best = bestListing(listings.filter((product) => product !== undefined));
    if (best === undefined) {
      misses.spend(context.accountId);
      notFound.add(gtin);
    }
    return best;
  };

  return {
    /** Look-ups that find nothing count against the account's miss budget. */
    async byCode(code: string, accountId: string): Promise<Product | undefined> {
      const context = { sinceMs: monotonicMs(), accountId };
      return refresh(code, await deps.products.byCode(code), context);
    },
    /** Looks up a GTIN-14; returns the best of its listings. */
    async byGtin(gtin: string, accountId: string): Promise<Product | undefined> {
      const context = { sinceMs: monotonicMs(), accountId };
      const stored = bestListing(await deps.products.byGtin(gtin));
      if (stored !== undefined) return refresh(stored.code, stored, context);
      if (notFound.has(gtin)) return undefined;
      misses.refuseSpent(accountId);
      // The search and its look-ups share the time that a request may wait.
      return withinLimit(search(gtin, context));
    },
  };
}

/** Remembers codes and GTINs that were not found. */
function createNotFoundMemory() {
  const foundMissingMs = boundedCache<string, number>(bounds.notFoundRememberedMax);
  return {
    has(key: string): boolean {
      const sinceMs = foundMissingMs.get(key);
      return sinceMs !== undefined && monotonicMs() - sinceMs < NOT_FOUND_MS;
    },
    add(key: string): void {
      foundMissingMs.set(key, monotonicMs());
    },
  };
}

/**
 * Makes one call per code for all concurrent requests. A request that read the catalogue before a
 * call ended may have missed what the call recorded, so it gets that call's outcome too. Outcomes
 * are needed for milliseconds.
 */
function createSharedCollect(deps: Deps) {
  const calls = createSingleFlight<Product | Refusal>();
  const ended = boundedCache<string, { outcome: Product | Refusal; endedMs: number }>(
    bounds.lookUpOutcomesMax,
  );
  return (code: string, sinceMs: number): Promise<Product | Refusal> => {
    const running = calls.current(code);
    if (running !== undefined) return running;
    const last = ended.get(code);
    if (last !== undefined && last.endedMs >= sinceMs) return Promise.resolve(last.outcome);
    return calls.run(code, async () => {
      const outcome = await collectNow(deps, code);
      ended.set(code, { outcome, endedMs: monotonicMs() });
      return outcome;
    });
  };
}

const NOT_CONFIRMED: Refusal = {
  kind: 'unavailable',
  reason: 'the product seems to be lost, which is not confirmed yet',
};

async function collectNow(deps: Deps, code: string): Promise<Product | Refusal> {
  const startedAtMs = deps.clock.nowMs();
  const [outcome] = await withinLimit(deps.source.fetchBatch([code])).catch((error): [Refusal] => [
    { kind: 'unavailable', reason: String(error) },
  ]);
  if (outcome === undefined) return { kind: 'bad_response', reason: 'no outcome' };
  if (outcome.kind !== 'snapshot' && outcome.kind !== 'not_found') {
    deps.log.warn({ code, ...outcome }, 'look-up failed');
    return outcome;
  }
  const atMs = deps.clock.nowMs();
  const verdict = await judgeLookUp(deps, deps.source.name, { code, outcome, startedAtMs, atMs });
  // The stored product is served, with its true time.
  if (verdict?.kind === 'held' || verdict?.kind === 'failed') return NOT_CONFIRMED;
  if (outcome.kind === 'not_found' && verdict?.kind !== 'confirmed') return outcome;
  const [recorded] =
    outcome.kind === 'snapshot'
      ? await recordSnapshots(deps, [outcome.snapshot], { collectedAtMs: atMs })
      : await recordSnapshots(deps, delistedSnapshots([code], atMs), { isDelisting: true });
  const { product } = recorded as Recorded;
  return outcome.kind === 'snapshot' ? product : { ...product, delistedAtMs: product.observedAtMs };
}

function withinLimit<T>(response: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(sourceUnavailable('no response in time')), WAIT_MAX_MS);
  });
  return Promise.race([response, limit]).finally(() => clearTimeout(timer));
}

function searchUnsupported(): Problem {
  return new Problem(
    'gtin_search_unsupported',
    'No product in the catalogue has this UPC or EAN, and the marketplace cannot be searched by it. Request the product by retailer_product_code once; then its UPC and EAN work too. Nothing was charged.',
  );
}

function sourceProblem({ kind, reason }: Exclude<Refusal, { kind: 'not_found' }>): Problem {
  if (kind === 'unavailable') return sourceUnavailable(reason);
  return new Problem(
    'source_data_unusable',
    'The marketplace’s data for this product cannot be used, and none is stored. Nothing was charged.',
    { cause: new Error(reason) },
  );
}

function sourceUnavailable(reason: string): Problem {
  return new Problem(
    'source_unavailable',
    'The marketplace cannot be reached and no data is stored for this product. Nothing was charged. Try again shortly.',
    { cause: new Error(reason) },
  );
}
