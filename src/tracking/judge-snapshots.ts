// Whether what a call brought may be believed: observations that lost their product are held until
// confirmed, and while too many of a source's observations lose theirs, they are failed ones. Every
// writer asks here.
import { isolate, reasonOf } from '../background/isolate.ts';
import type { Loss, Product } from '../catalog/product.ts';
import { noteLosses, type Products } from '../catalog/products.ts';
import { blameFor } from '../database/blame.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { type ObservedState, wholeList } from '../events/observed-state.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS } from '../foundation/time.ts';
import { observationOf } from '../history/observation.ts';
import type { FetchOutcome } from '../sources/source.ts';
import { collectOthersEarly, readOtherProducts } from './check-other-products.ts';
import {
  bucketOf,
  type CrawlTally,
  evidenceBetween,
  FEW_WATCHED_BELOW,
  isAlarmed,
  judgeLoss,
  type LossVerdict,
  losesProduct,
} from './crawl-guard.ts';
import { addTallies, readTallies } from './crawl-tallies.ts';
import {
  countOthers,
  type OtherProducts,
  type ProductState,
  productsToRecheck,
} from './isolated-loss.ts';
import type { Due } from './schedule-row.ts';
import { phaseMs } from './slot.ts';
import { countWatched } from './watchers.ts';

export type JudgeDeps = { db: Database; log: Log };
type Deps = JudgeDeps & { products: Products };

export type Judged = {
  /** One for each due product that was answered; undefined for those that were not. */
  verdicts: (LossVerdict | undefined)[];
  /** Places in the call of products whose stored record cannot be read, with the reason. */
  unreadable: Map<number, string>;
};

/** What one observation says of a product beside what is stored of it. */
export type Observed = {
  code: string;
  /** null where it is not needed: nothing seems lost. */
  known: Pick<Product, 'loss'> | null;
  losesProduct: boolean;
  /** Whether it shows how the source is: the product had, or has, something to lose. */
  isEvidence: boolean;
};

/**
 * Judges a call of the schedule, which began at `startedAt`: only what was seen before speaks for
 * its source.
 */
export async function judgeSnapshots(
  deps: Deps,
  source: string,
  input: {
    call: readonly Due[];
    outcomes: readonly FetchOutcome[];
    startedAtMs: number;
    at: number;
  },
): Promise<Judged> {
  const { call, outcomes, at } = input;
  const unreadable = new Map<number, string>();
  const observed = await Promise.all(
    call.map((due, index) =>
      observe(deps.products, due.code, outcomes[index]).catch((error) => {
        if (blameFor(error) !== 'item') throw error;
        unreadable.set(index, reasonOf(error));
        return undefined;
      }),
    ),
  );
  // A loss is counted when it is first seen: repeats would show a fifth of the products as a third.
  const counted = observed.filter(
    (one, index) =>
      one?.isEvidence === true &&
      !(one.losesProduct && (isHeld(one) || (call[index] as Due).failures > 0)),
  );
  const lost = observed.some((one) => one?.losesProduct);
  const tally = {
    bucket: bucketOf(seconds(at)),
    snapshots: counted.length,
    losses: counted.filter((one) => one?.losesProduct).length,
  };
  const tallies =
    counted.length > 0 || lost ? await addUnlessBusy(deps, { source, tallies: [tally] }) : [];
  const judgements = await judgeAll(
    deps,
    observed.filter((one) => one !== undefined),
    { tallies, at, beforeBucket: bucketOf(seconds(input.startedAtMs)) },
  );
  return { verdicts: observed.map((one) => one && judgements.get(one)), unreadable };
}

/**
 * Judges a single observation between those of the schedule. It is not counted: one product asked
 * for again and again says nothing of the others.
 */
export async function judgeLookUp(
  deps: Deps,
  source: string,
  input: { code: string; outcome: FetchOutcome; startedAtMs: number; at: number },
): Promise<LossVerdict | undefined> {
  const one = await observe(deps.products, input.code, input.outcome);
  if (one === undefined || !one.losesProduct) return one && { kind: 'sound' };
  const tallies = await readTallies(deps.db, { source, bucket: bucketOf(seconds(input.at)) });
  const judgements = await judgeAll(deps, [one], {
    ...{ tallies, at: input.at, beforeBucket: bucketOf(seconds(input.startedAtMs)) },
  });
  return judgements.get(one);
}

/**
 * The verdicts, noted with the products. `tallies` null: it is not known how many were lost
 * elsewhere.
 */
export async function judgeAll(
  deps: JudgeDeps,
  observed: readonly Observed[],
  input: {
    tallies: readonly CrawlTally[] | null;
    at: number;
    beforeBucket: number;
    /** Ingested ones are judged by their crawls alone. */
    isIngested?: boolean;
  },
): Promise<Map<Observed, LossVerdict>> {
  const { tallies, at, beforeBucket, isIngested = false } = input;
  const atSeconds = seconds(at);
  const losing = observed.filter((one) => one.losesProduct);
  const alarmed = losing.length > 0 && (tallies === null || isAlarmed(tallies));
  const states =
    losing.length === 0 || alarmed || isIngested ? [] : await readOtherProducts(deps, at);
  const isFewWatched =
    losing.some(isHeld) &&
    ((!isIngested && !alarmed && states.length < FEW_WATCHED_BELOW) ||
      (await countWatched(deps.db, FEW_WATCHED_BELOW)) < FEW_WATCHED_BELOW);
  const censusOf = ({ code }: Observed, sinceMs: number) => countOthers(states, { code, sinceMs });
  const verdicts = new Map<Observed, LossVerdict>();
  for (const one of observed) {
    const loss = one.known?.loss;
    const firstHeldAtSeconds = loss === undefined ? atSeconds : seconds(loss.sinceMs);
    const window = { afterBucket: bucketOf(firstHeldAtSeconds), beforeBucket };
    verdicts.set(
      one,
      judgeLoss({
        ...{ losesProduct: one.losesProduct, atSeconds, isAlarmed: alarmed, isFewWatched },
        held: loss === undefined ? null : { firstHeldAtSeconds, observations: loss.count },
        census: isIngested ? null : loss === undefined ? NONE_SEEN : censusOf(one, loss.sinceMs),
        evidence: evidenceBetween(tallies ?? [], window),
        spread: phaseMs(one.code) / DAY_MS,
      }),
    );
  }
  await noteUnlessBusy(deps, { verdicts, failedSinceMs: isIngested ? null : atSeconds * 1000 });
  if (!isIngested) await observeOthers(deps, { states, verdicts, at });
  return verdicts;
}

const NONE_SEEN: OtherProducts = { lost: 0, sound: 0, unseen: [] };

/**
 * Others are observed soon where that may decide what is held: few of them may be due within hours.
 */
async function observeOthers(
  deps: JudgeDeps,
  input: {
    states: readonly ProductState[];
    verdicts: ReadonlyMap<Observed, LossVerdict>;
    at: number;
  },
): Promise<void> {
  for (const [{ code }, verdict] of input.verdicts) {
    if (verdict.kind !== 'held') continue;
    const sinceMs = verdict.firstHeldAtSeconds * 1000;
    const codes = productsToRecheck(countOthers(input.states, { code, sinceMs }));
    if (codes.length > 0) return collectOthersEarly(deps, { codes, at: input.at });
  }
}

/**
 * Held ones are remembered. After a failed one the product is held anew, from then or from when it
 * is next seen lost.
 */
async function noteUnlessBusy(
  { db, log }: JudgeDeps,
  {
    verdicts,
    failedSinceMs,
  }: { verdicts: ReadonlyMap<Observed, LossVerdict>; failedSinceMs: number | null },
): Promise<void> {
  const losses = [...verdicts].flatMap(([one, verdict]): { code: string; loss: Loss | null }[] => {
    const { code } = one;
    // One that is held stays held since then: an alarm that does not end must not keep another
    // writer from confirming.
    if (verdict.kind === 'failed' && isHeld(one) && failedSinceMs !== null) return [];
    if (verdict.kind === 'failed' && failedSinceMs !== null) {
      return [{ code, loss: { sinceMs: failedSinceMs, count: 1 } }];
    }
    if (verdict.kind === 'failed') return isHeld(one) ? [{ code, loss: null }] : [];
    if (verdict.kind !== 'held') return [];
    const { firstHeldAtSeconds, observations: count } = verdict;
    return [{ code, loss: { sinceMs: firstHeldAtSeconds * 1000, count } }];
  });
  if (losses.length === 0) return;
  const patient = withLockTimeout(db, WAIT_MS);
  // A product that cannot be changed now stays as it was noted before, and is judged again.
  await isolate(losses, {
    ...{ loop: 'note-losses', log, keyOf: ({ code }) => code },
    run: (batch) => patient.transaction((tx) => noteLosses(tx, batch)),
    setAside: async () => {},
  });
}

/** null when another session keeps the row of the source: nobody's collection waits for it. */
export async function addUnlessBusy(
  { db, log }: JudgeDeps,
  input: Parameters<typeof addTallies>[1],
): Promise<CrawlTally[] | null> {
  try {
    return await withLockTimeout(db, WAIT_MS).transaction((tx) => addTallies(tx, input));
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    log.warn({ source: input.source, reason: reasonOf(error) }, 'losses were not counted');
    return null;
  }
}

const WAIT_MS = 500;

const seconds = (ms: number) => Math.floor(ms / 1000);
const isHeld = ({ known }: Observed) => known?.loss !== undefined;

/** undefined when there is no observation. Only what seems lost is held against what is stored. */
async function observe(
  products: Products,
  code: string,
  outcome: FetchOutcome | undefined,
): Promise<Observed | undefined> {
  if (outcome?.kind !== 'snapshot' && outcome?.kind !== 'not_found') return undefined;
  const found = outcome.kind === 'not_found' ? 'missing' : observationOf(outcome.snapshot);
  if (found !== 'missing' && !seemsLost(found)) return observedSound(code, found);
  const known = await products.byCode(code);
  return observedLost(code, found, known && { ...known, hasOffers: known.offers.length > 0 });
}

export const seemsLost = (found: ObservedState | 'missing'): boolean =>
  found === 'missing' || wholeList(found)?.length === 0;

export const observedSound = (code: string, found: ObservedState): Observed => ({
  ...{ code, known: null, losesProduct: false },
  isEvidence: (found.offers?.length ?? 0) > 0 || found.buybox != null,
});

/** A product without offers can still be delisted, once. */
export function observedLost(
  code: string,
  found: ObservedState | 'missing',
  known: (Pick<Product, 'loss' | 'delistedAtMs'> & { hasOffers: boolean }) | undefined,
): Observed {
  const hadOffers = known?.hasOffers ?? false;
  const isListed = known !== undefined && known.delistedAtMs === undefined;
  return {
    ...{ code, known: known ?? null, isEvidence: hadOffers },
    losesProduct: losesProduct(hadOffers, found) || (found === 'missing' && isListed),
  };
}
