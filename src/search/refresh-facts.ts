// Keeps facts and words of products current: products that were recorded, found by this process or
// by a sweep over all of them, and once a day every product, because facts change with time.
import { isolateByGroup } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import { isWithdrawn, type Product } from '../catalog/product.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { listObservedAfter, readProducts, readTails } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { ALL_LANES, type LaneShare, lanesOf } from '../database/families.ts';
import { inGroups } from '../database/lane-groups.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs, realNowMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS, DAY_SECONDS, SECOND_MS } from '../foundation/time.ts';
import { OBSERVED_SPAN_SECONDS } from '../history/observed-span.ts';
import { ALL_TIME, walkObservations, walkStream } from '../history/walk-observations.ts';
import { createSalesEstimates, type SalesEstimates } from '../sales/estimate-sales.ts';
import { factValue } from './fact.ts';
import { factsOf, isNearlySame, productWords, unitsPerDay } from './facts-of-product.ts';
import {
  deleteFacts,
  type FactsKey,
  listFactTimes,
  type ProductFacts,
  readFacts,
  type StoredFacts,
  touchFacts,
  writeFacts,
} from './product-facts.ts';
import {
  deleteWords,
  insertSearchWords,
  type ProductWords,
  readWords,
  writeWords,
} from './product-words.ts';
import {
  createRecentHistory,
  LOWEST_DAYS_MAX,
  type RecentHistory,
  SHARE_DAYS,
} from './recent-history.ts';
import { createStaleProducts, type StaleProducts } from './stale-products.ts';
import { isCorrectable } from './word.ts';

const REFRESH_FACTS = 'refresh-facts';

export type RefreshDeps = {
  db: Database;
  log: Log;
  clock: Clock;
  salesEstimates: SalesEstimates;
};

type Prepared = { code: string; facts: ProductFacts | null; words: ProductWords | null };

/**
 * Computes and writes the facts of some products, all or none of a lane group. Units sold are
 * estimated for those that `estimates` names, as estimating takes ten times as long as the rest;
 * others keep the last estimate.
 */
export async function refreshFacts(
  deps: RefreshDeps,
  codes: readonly string[],
  estimates: (code: string) => boolean = () => true,
): Promise<void> {
  const [products, tails, stored] = await Promise.all([
    readProducts(deps.db, codes),
    readTails(deps.db, codes),
    readFacts(deps.db, codes),
  ]);
  const prepared: Prepared[] = [];
  for (const [code, product] of products) {
    const tail = tails.get(code);
    if (tail === undefined) continue;
    const units = stored.get(code)?.values.units_per_day ?? null;
    const lastUnits = estimates(code) ? null : { perDay: factValue('units_per_day', units) };
    prepared.push(await prepare(deps, { product, tail, lastUnits }));
  }
  const words = prepared.flatMap((one) => one.words?.words ?? []);
  await insertSearchWords(deps.db, words.filter(isCorrectable));
  await inGroups(deps.db, prepared, {
    keyOf: ({ code }) => code,
    work: (part) => write(deps, part, stored),
  });
}

/** A product that is no longer listed is no longer found. */
async function prepare(
  deps: RefreshDeps,
  input: { product: Product; tail: ProductTail; lastUnits: { perDay: number | null } | null },
): Promise<Prepared> {
  const { product, tail } = input;
  const { code } = product;
  const nowMs = deps.clock.nowMs();
  if (isWithdrawn(product, nowMs)) return { code, facts: null, words: null };
  const history = await readRecentHistory(deps, { code, tail, nowMs });
  const units =
    input.lastUnits === null
      ? unitsPerDay(await deps.salesEstimates.yearsOf(code, tail), Math.floor(nowMs / DAY_MS))
      : input.lastUnits.perDay;
  const facts = factsOf(product, { history, unitsPerDay: units, nowMs });
  return { code, facts, words: productWords(product) };
}

async function readRecentHistory(
  deps: RefreshDeps,
  { code, tail, nowMs }: { code: string; tail: ProductTail; nowMs: number },
): Promise<RecentHistory> {
  const nowSeconds = Math.floor(nowMs / SECOND_MS);
  const history = createRecentHistory(nowSeconds);
  // All of the tail is read, and what the shares need of the runs before it.
  const sharesFrom = Math.min(
    nowSeconds - SHARE_DAYS * DAY_SECONDS - OBSERVED_SPAN_SECONDS,
    (tail.runsUntilSeconds ?? -1) + 1,
  );
  const older = {
    fromAtSeconds: nowSeconds - LOWEST_DAYS_MAX * DAY_SECONDS - OBSERVED_SPAN_SECONDS,
    toAtSeconds: sharesFrom,
  };
  // Before the 90 days only the price counts: the offers are not read.
  for await (const one of walkStream(deps, { code, stream: 'box' }, older)) history.add(one);
  const recent = { ...ALL_TIME, fromAtSeconds: sharesFrom };
  for await (const one of walkObservations(deps, code, recent)) history.add(one);
  return history;
}

async function write(
  deps: RefreshDeps,
  part: readonly Prepared[],
  storedFacts: ReadonlyMap<string, StoredFacts>,
): Promise<void> {
  const codes = part.map(({ code }) => code);
  const storedWords = await readWords(deps.db, codes);
  const gone = part.filter(({ facts }) => facts === null).map(({ code }) => code);
  const facts = part.flatMap((one) => one.facts ?? []);
  const words = part
    .flatMap((one) => one.words ?? [])
    .map((one) => withSteadyBand(one, storedWords.get(one.code)))
    .filter((one) => !sameWords(one, storedWords.get(one.code)));
  // With other words, brand or categories may be others too, which stored facts do not show.
  const renamed = new Set(words.map(({ code }) => code));
  const isSame = (one: ProductFacts) =>
    !renamed.has(one.code) && isNearlySame(storedFacts.get(one.code), one);
  await deps.db.transaction(async (tx) => {
    await writeFacts(
      tx,
      facts.filter((one) => !isSame(one)),
    );
    await touchFacts(tx, facts.filter(isSame));
    await writeWords(tx, words);
    await deleteFacts(tx, gone);
    await deleteWords(tx, gone);
  });
}

/** A rank that swings around the edge of a band stays in it, so that its row is not written. */
const withSteadyBand = (one: ProductWords, stored: ProductWords | undefined): ProductWords =>
  stored !== undefined && Math.abs(one.rankBand - stored.rankBand) <= 1
    ? { ...one, rankBand: stored.rankBand }
    : one;

function sameWords(one: ProductWords, stored: ProductWords | undefined): boolean {
  if (stored?.rankBand !== one.rankBand || stored.words.length !== one.words.length) return false;
  const words = new Set(stored.words);
  return one.words.every((word) => words.has(word));
}

export type FactsRefresher = ReturnType<typeof createFactsRefresher>;

/** `sweeps`: this process also finds products that others recorded. */
export function createFactsRefresher(
  deps: RefreshDeps,
  staleProducts: StaleProducts,
  { sweeps }: { sweeps: boolean },
) {
  const sweep = createSweep(deps);
  /** New products, found at once and estimated when there is time. */
  const unestimated = createStaleProducts();

  const takeSome = async (
    share: LaneShare,
  ): Promise<{ codes: string[]; areEstimated: boolean }> => {
    const limit = bounds.factsRefreshedAtOnce;
    const noted = staleProducts.take(limit);
    if (noted.length > 0) return { codes: noted, areEstimated: false };
    const fresh = unestimated.take(limit);
    if (fresh.length > 0 || !sweeps) return { codes: fresh, areEstimated: true };
    return { codes: await sweep(share, limit), areEstimated: false };
  };

  return {
    /** Refreshes products for a part of a second. Returns how many. */
    async refreshSome(share: LaneShare = ALL_LANES): Promise<number> {
      const endMs = monotonicMs() + bounds.factsRoundBudgetMs;
      const { codes, areEstimated } = await takeSome(share);
      const stored = await readFacts(deps.db, codes);
      const today = Math.floor(deps.clock.nowMs() / DAY_MS);
      const isDue = (code: string) => {
        const facts = stored.get(code);
        return facts !== undefined && Math.floor(facts.refreshedAtMs / DAY_MS) < today;
      };
      const isUnestimated = (code: string) =>
        (stored.get(code)?.values.units_per_day ?? null) === null && !isDue(code);
      let done = 0;
      for (; done < codes.length && monotonicMs() < endMs; done += CHUNK) {
        const chunk = codes.slice(done, done + CHUNK);
        await refreshIsolated(deps, chunk, (code) => areEstimated || isDue(code));
        if (areEstimated) continue;
        for (const code of chunk) if (isUnestimated(code)) unestimated.add(code);
      }
      const rest = areEstimated ? unestimated : staleProducts;
      for (const code of codes.slice(done)) rest.add(code);
      return Math.min(done, codes.length);
    },
  };
}

/** Products refreshed together, before the clock is read again. */
const CHUNK = 5;

async function refreshIsolated(
  deps: RefreshDeps,
  codes: readonly string[],
  estimates: (code: string) => boolean,
): Promise<void> {
  await isolateByGroup(deps.db, codes, {
    loop: REFRESH_FACTS,
    log: deps.log,
    ownerOf: (code) => code,
    keyOf: (code) => code,
    run: (batch) => refreshFacts(deps, batch, estimates),
    setAside: (code, reason) =>
      putInQuarantine(deps.db, {
        owner: code,
        loop: REFRESH_FACTS,
        item: code,
        reason,
        payload: null,
        atMs: realNowMs(),
      }),
  });
}

export const refreshFactsHandler: QuarantineHandler = {
  loop: REFRESH_FACTS,
  async retry(deps, item) {
    await refreshFacts({ ...deps, salesEstimates: createSalesEstimates(deps) }, [item.item]);
    await release(deps, item);
  },
  drop: { means: 'Search and finder keep the product’s last facts until it is recorded again.' },
};

const FIRST_KEY: FactsKey = { lane: -1, code: '' };

/**
 * Walks over all products of this process's lanes, some rows at a time, and returns those whose
 * facts are missing or stale. Rests between two passes: four times as long as a pass took.
 */
function createSweep(deps: RefreshDeps) {
  let position = { group: 0, after: FIRST_KEY };
  let passStartedMs = monotonicMs();
  let restsUntilMs = Number.NEGATIVE_INFINITY;

  const endGroup = () => {
    const isLast = position.group + 1 >= deps.db.groups.count();
    position = { group: isLast ? 0 : position.group + 1, after: FIRST_KEY };
    if (!isLast) return;
    const tookMs = monotonicMs() - passStartedMs;
    restsUntilMs = monotonicMs() + Math.max(bounds.factsSweepRestMs, 4 * tookMs);
  };

  return async (share: LaneShare, limit: number): Promise<string[]> => {
    if (monotonicMs() < restsUntilMs) return [];
    if (position.group === 0 && position.after === FIRST_KEY) passStartedMs = monotonicMs();
    const shared = new Set(lanesOf(share));
    // Without the lanes before: PostgreSQL 15 would read all of their rows to skip them, 23,000
    // pages instead of 2,000 in the middle of 200,000 products.
    const lanes = deps.db.groups
      .lanesOf(position.group)
      .filter((lane) => shared.has(lane) && lane >= position.after.lane);
    const rows =
      lanes.length === 0
        ? []
        : await listObservedAfter(deps.db, {
            lanes,
            after: position.after,
            limit: bounds.factsSweptAtOnce,
          });
    const last = rows.at(-1);
    if (last === undefined) {
      endGroup();
      return [];
    }
    const upTo = { lane: last.lane, code: last.code };
    const times = await listFactTimes(deps.db, {
      lanes: lanes.filter((lane) => lane <= upTo.lane),
      after: position.after,
      upTo,
    });
    const quarantined = await quarantinedKeys(deps.db, REFRESH_FACTS);
    const nowMs = deps.clock.nowMs();
    const stale = rows.filter((row) => {
      if (quarantined.has(row.code)) return false;
      const time = times.get(row.code);
      if (time === undefined) return !isWithdrawn(row, nowMs);
      const isOld = nowMs - time.refreshedAtMs >= DAY_MS;
      return isOld || time.observedAtMs < row.observedAtMs || isWithdrawn(row, nowMs);
    });
    // What exceeds the limit is found again: the sweep continues after the last one it returns.
    const taken = stale.slice(0, limit);
    const next = stale.length > limit ? taken.at(-1) : last;
    if (next === last && rows.length < bounds.factsSweptAtOnce) endGroup();
    else
      position = { ...position, after: { lane: (next ?? last).lane, code: (next ?? last).code } };
    return taken.map(({ code }) => code);
  };
}
