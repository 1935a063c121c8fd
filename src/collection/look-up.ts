// Looking a product up: from the catalogue while it is fresh, else from the marketplace now, with one call
// however many ask at once. What is stored is better than nothing when the marketplace is away.
import type { Signal } from '../background/signal.ts';
import { gtin14 } from '../catalog/gtin.ts';
import { bestListing, isWithdrawn, type Product } from '../catalog/product.ts';
import type { Products } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { type Clock, monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import type { Refusal, Source } from '../sources/source.ts';
import { judgeLookUp } from '../tracking/judge-snapshots.ts';
import { delistedSnapshots } from './delisted-snapshot.ts';
import { createMissBudget } from './miss-budget.ts';
import { type Recorded, recordSnapshots } from './record-snapshot.ts';

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
  /** For an account: look-ups that end in nothing count against its budget. */
  byCode(code: string, accountId: string): Promise<Product | undefined>;
  /** By a UPC or EAN: the best of its listings. */
  byGtin(digits: string, accountId: string): Promise<Product | undefined>;
};

type Deps = {
  db: Database;
  products: Products;
  source: Source;
  clock: Clock;
  log: Log;
  outboxSignal?: Signal;
};

export function createLookUp(deps: Deps): LookUp {
  const underWay = new Map<string, Promise<Product | Refusal>>();
  const ended = new Map<string, { outcome: Product | Refusal; endedMs: number }>();
  const notFound = new Map<string, number>();
  const misses = createMissBudget();

  const isFresh = (product: Product | undefined) =>
    product !== undefined && deps.clock.nowMs() - product.observedAtMs < FRESH_MS;

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

  const refreshed = async (
    code: string,
    stored: Product | undefined,
    asked: { sinceMs: number; accountId: string },
  ) => {
    if (isFresh(stored)) return stored;
    // What is no longer served costs nothing, so that asking for it is bounded like asking for what never was.
    const isGone = stored === undefined || isWithdrawn(stored, deps.clock.nowMs());
    if (isGone) {
      if (isKnownMissing(code)) return stored;
      misses.refuseSpent(asked.accountId);
    }
    const found = await collect(code, asked.sinceMs);
    if (!('kind' in found)) return found;
    if (isGone && found.kind === 'not_found') {
      misses.spend(asked.accountId);
      rememberMissing(code);
      return stored;
    }
    if (stored !== undefined) return stored;
    if (found.kind === 'not_found') return undefined;
    throw notAnswered(found);
  };

  const search = async (gtin: string, asked: { sinceMs: number; accountId: string }) => {
    const outcome = await deps.source.findByGtin(gtin);
    if (outcome.kind === 'unsupported') throw notSearchable();
    if (outcome.kind !== 'codes') throw notAnswered(outcome);
    const found = await Promise.all(outcome.codes.map((code) => refreshed(code, undefined, asked)));
    const best = bestListing(found.filter((product) => product !== undefined));
    if (best === undefined) {
      misses.spend(asked.accountId);
      rememberMissing(gtin);
    }
    return best;
  };

  return {
    async byCode(code, accountId) {
      const asked = { sinceMs: monotonicMs(), accountId };
      return refreshed(code, await deps.products.byCode(code), asked);
    },
    async byGtin(digits, accountId) {
      const asked = { sinceMs: monotonicMs(), accountId };
      const gtin = gtin14(digits);
      const stored = bestListing(await deps.products.byGtin(digits));
      if (stored !== undefined) return refreshed(stored.code, stored, asked);
      if (isKnownMissing(gtin)) return undefined;
      misses.refuseSpent(accountId);
      // The search and the look-ups it leads to, together within the time a request may wait.
      return withinLimit(search(gtin, asked));
    },
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
  if (outcome === undefined) return { kind: 'bad_answer', reason: 'no outcome' };
  if (outcome.kind !== 'snapshot' && outcome.kind !== 'not_found') {
    deps.log.warn({ code, ...outcome }, 'look-up failed');
    return outcome;
  }
  const at = deps.clock.nowMs();
  const verdict = await judgeLookUp(deps, deps.source.name, { code, outcome, startedAtMs, at });
  // What is stored is served, with its own time.
  if (verdict?.kind === 'held' || verdict?.kind === 'failed') return NOT_CONFIRMED;
  if (outcome.kind === 'not_found' && verdict?.kind !== 'confirmed') return outcome;
  const [recorded] =
    outcome.kind === 'snapshot'
      ? await recordSnapshots(deps, [outcome.snapshot], { collectedAtMs: at })
      : await recordSnapshots(deps, delistedSnapshots([code], at), { isDelisting: true });
  const { product } = recorded as Recorded;
  return outcome.kind === 'snapshot' ? product : { ...product, delistedAtMs: product.observedAtMs };
}

function withinLimit<T>(response: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(sourceAway('it did not answer in time')), WAIT_MAX_MS);
  });
  return Promise.race([response, limit]).finally(() => clearTimeout(timer));
}

function notSearchable(): Problem {
  return new Problem(
    'gtin_search_unsupported',
    'No product known so far has this UPC or EAN, and the marketplace cannot be searched by one: ask by retailer_product_code once, then both find it. Nothing was charged.',
  );
}

function notAnswered({ kind, reason }: Exclude<Refusal, { kind: 'not_found' }>): Problem {
  if (kind === 'unavailable') return sourceAway(reason);
  return new Problem(
    'source_data_unusable',
    'What the marketplace says of this product cannot be used, and nothing is stored of it. Nothing was charged.',
    { cause: new Error(reason) },
  );
}

function sourceAway(reason: string): Problem {
  return new Problem(
    'source_unavailable',
    'The marketplace cannot be reached and nothing is stored of this product. Nothing was charged; try again shortly.',
    { cause: new Error(reason) },
  );
}
