// Judges the snapshots of a call by the crawl guard: a snapshot that lost its product is held until
// it is confirmed, and fails while too many of the source's snapshots lose theirs. Every writer of
// snapshots calls this first.
import { isolateByGroup, reasonOf } from '../background/isolate.ts';
import type { Loss, Product } from '../catalog/product.ts';
import { noteLosses, type StoredState } from '../catalog/products.ts';
import type { Products } from '../catalog/read-batched.ts';
import { isStatedSoldOut } from '../catalog/snapshot.ts';
import { blameFor } from '../database/blame.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { completeOffers, isLive, type ObservedState } from '../events/observed-state.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_MS, SECOND_MS } from '../foundation/time.ts';
import { observationOf } from '../history/observation.ts';
import type { FetchOutcome } from '../sources/source.ts';
import { collectOthersEarly, readOtherProducts } from './check-other-products.ts';
import {
  bucketOf,
  type CrawlTally,
  evidenceBetween,
  FEW_WATCHED_BELOW,
  hadSomethingToLose,
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

export type JudgedCall = {
  /** One per due product; undefined for a product without a snapshot. */
  verdicts: (LossVerdict | undefined)[];
  /** Products whose stored record cannot be read: the reason, by index in the call. */
  unreadable: Map<number, string>;
};

/** A snapshot compared with the stored product. */
export type LossCheck = {
  code: string;
  /** null when it is not needed because nothing seems lost. */
  stored: Pick<Product, 'loss'> | null;
  losesProduct: boolean;
  /** Whether it is evidence of the source's health: the product had or has something to lose. */
  isEvidence: boolean;
};

/**
 * Judges a call for scheduled products. Only snapshots from before `startedAtMs` are evidence of
 * the source's health.
 */
export async function judgeSnapshots(
  deps: Deps,
  source: string,
  input: {
    call: readonly Due[];
    outcomes: readonly FetchOutcome[];
    startedAtMs: number;
    atMs: number;
  },
): Promise<JudgedCall> {
  const { call, outcomes, atMs } = input;
  const unreadable = new Map<number, string>();
  const checks = await Promise.all(
    call.map((due, index) =>
      checkOutcome(deps.products, due.code, outcomes[index]).catch((error) => {
        if (blameFor(error) !== 'item') throw error;
        unreadable.set(index, reasonOf(error));
        return undefined;
      }),
    ),
  );
  // A loss is counted once: with repeats, a fifth of the products would look like a third.
  const counted = checks.filter(
    (check, index) =>
      check?.isEvidence === true &&
      !(check.losesProduct && (isHeld(check) || (call[index] as Due).failures > 0)),
  );
  const hasLoss = checks.some((check) => check?.losesProduct);
  const tally = {
    bucket: bucketOf(seconds(atMs)),
    snapshots: counted.length,
    losses: counted.filter((check) => check?.losesProduct).length,
  };
  const tallies =
    counted.length > 0 || hasLoss
      ? await addTalliesUnlessBusy(deps, { source, tallies: [tally] })
      : [];
  const verdicts = await judgeAll(
    deps,
    checks.filter((check) => check !== undefined),
    { tallies, atMs, beforeBucket: bucketOf(seconds(input.startedAtMs)) },
  );
  return { verdicts: checks.map((check) => check && verdicts.get(check)), unreadable };
}

/**
 * Judges a single snapshot outside the schedule. It is not counted: one product that is looked up
 * again and again says nothing about the others.
 */
export async function judgeLookUp(
  deps: Deps,
  source: string,
  input: { code: string; outcome: FetchOutcome; startedAtMs: number; atMs: number },
): Promise<LossVerdict | undefined> {
  const check = await checkOutcome(deps.products, input.code, input.outcome);
  if (check === undefined || !check.losesProduct) return check && { kind: 'sound' };
  const tallies = await readTallies(deps.db, { source, bucket: bucketOf(seconds(input.atMs)) });
  const verdicts = await judgeAll(deps, [check], {
    tallies,
    atMs: input.atMs,
    beforeBucket: bucketOf(seconds(input.startedAtMs)),
  });
  return verdicts.get(check);
}

/** Judges snapshots and stores held losses with the products. */
export async function judgeAll(
  deps: JudgeDeps,
  checks: readonly LossCheck[],
  input: {
    /** null when the tallies could not be read: then losses fail. */
    tallies: readonly CrawlTally[] | null;
    atMs: number;
    beforeBucket: number;
    /** Ingested snapshots are judged by their crawl alone. */
    isIngested?: boolean;
  },
): Promise<Map<LossCheck, LossVerdict>> {
  const { tallies, atMs, beforeBucket, isIngested = false } = input;
  const atSeconds = seconds(atMs);
  const losing = checks.filter((check) => check.losesProduct);
  const alarmed = losing.length > 0 && (tallies === null || isAlarmed(tallies));
  const states =
    losing.length === 0 || alarmed || isIngested ? [] : await readOtherProducts(deps, atMs);
  const isFewWatched =
    losing.some(isHeld) &&
    ((!isIngested && !alarmed && states.length < FEW_WATCHED_BELOW) ||
      (await countWatched(deps.db, FEW_WATCHED_BELOW)) < FEW_WATCHED_BELOW);
  const othersOf = ({ code, stored }: LossCheck): OtherProducts | null => {
    if (isIngested) return null;
    if (stored?.loss === undefined) return NO_OTHERS;
    return countOthers(states, { code, sinceMs: stored.loss.sinceMs });
  };
  const verdicts = new Map<LossCheck, LossVerdict>();
  for (const check of checks) {
    const loss = check.stored?.loss;
    const firstHeldAtSeconds = loss === undefined ? atSeconds : seconds(loss.sinceMs);
    const verdict = judgeLoss({
      losesProduct: check.losesProduct,
      atSeconds,
      isAlarmed: alarmed,
      isFewWatched,
      held: loss === undefined ? null : { firstHeldAtSeconds, observations: loss.count },
      others: othersOf(check),
      evidence: evidenceBetween(tallies ?? [], {
        afterBucket: bucketOf(firstHeldAtSeconds),
        beforeBucket,
      }),
      spread: phaseMs(check.code) / DAY_MS,
    });
    verdicts.set(check, verdict);
  }
  const failedAtMs = isIngested ? null : atSeconds * SECOND_MS;
  await storeLossesUnlessBusy(deps, { verdicts, failedAtMs });
  if (!isIngested) await recheckOthers(deps, { states, verdicts, atMs });
  return verdicts;
}

const NO_OTHERS: OtherProducts = { lost: 0, sound: 0, unseen: [] };

/** Collects other products early where that may decide a held loss: few may be due within hours. */
async function recheckOthers(
  deps: JudgeDeps,
  input: {
    states: readonly ProductState[];
    verdicts: ReadonlyMap<LossCheck, LossVerdict>;
    atMs: number;
  },
): Promise<void> {
  for (const [{ code }, verdict] of input.verdicts) {
    if (verdict.kind !== 'held') continue;
    const sinceMs = verdict.firstHeldAtSeconds * SECOND_MS;
    const codes = productsToRecheck(countOthers(input.states, { code, sinceMs }));
    if (codes.length > 0) return collectOthersEarly(deps, { codes, atMs: input.atMs });
  }
}

/**
 * Stores held losses. `failedAtMs` is the start of a new hold after a failed snapshot; see
 * lossAfter.
 */
async function storeLossesUnlessBusy(
  { db, log }: JudgeDeps,
  input: { verdicts: ReadonlyMap<LossCheck, LossVerdict>; failedAtMs: number | null },
): Promise<void> {
  const losses = [...input.verdicts].flatMap(([check, verdict]) => {
    const loss = lossAfter(check, verdict, input.failedAtMs);
    return loss === undefined ? [] : [{ code: check.code, loss }];
  });
  if (losses.length === 0) return;
  const patient = withLockTimeout(db, LOCK_WAIT_MS);
  // A product that is locked keeps what was stored before, and is judged again.
  await isolateByGroup(db, losses, {
    loop: 'note-losses',
    ownerOf: ({ code }) => code,
    log,
    keyOf: ({ code }) => code,
    run: (batch) => patient.transaction((tx) => noteLosses(tx, batch)),
    setAside: async () => {},
  });
}

/**
 * The loss to store with a product; undefined leaves it unchanged, null clears it. After a failed
 * snapshot a new hold starts at `failedAtMs`, or, when that is null (ingest), with the next loss.
 */
function lossAfter(
  check: LossCheck,
  verdict: LossVerdict,
  failedAtMs: number | null,
): Loss | null | undefined {
  switch (verdict.kind) {
    case 'held':
      return {
        sinceMs: verdict.firstHeldAtSeconds * SECOND_MS,
        count: verdict.observations,
      };
    case 'failed':
      if (failedAtMs === null) return isHeld(check) ? null : undefined;
      // A held loss stays held: an alarm that does not end must not keep another writer from
      // confirming it.
      return isHeld(check) ? undefined : { sinceMs: failedAtMs, count: 1 };
    default:
      return undefined;
  }
}

/** Returns null when another session has locked the source's rows: collection does not wait. */
export async function addTalliesUnlessBusy(
  { db, log }: JudgeDeps,
  input: Parameters<typeof addTallies>[1],
): Promise<CrawlTally[] | null> {
  try {
    return await withLockTimeout(db, LOCK_WAIT_MS).transaction((tx) => addTallies(tx, input));
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    log.warn({ source: input.source, reason: reasonOf(error) }, 'losses were not counted');
    return null;
  }
}

const LOCK_WAIT_MS = 500;

const seconds = (ms: number) => Math.floor(ms / SECOND_MS);
const isHeld = ({ stored }: LossCheck) => stored?.loss !== undefined;

/**
 * Returns undefined without a snapshot. Reads the stored product only when something seems lost.
 */
async function checkOutcome(
  products: Products,
  code: string,
  outcome: FetchOutcome | undefined,
): Promise<LossCheck | undefined> {
  if (outcome?.kind !== 'snapshot' && outcome?.kind !== 'not_found') return undefined;
  const observed = outcome.kind === 'not_found' ? 'missing' : observationOf(outcome.snapshot);
  if (observed !== 'missing' && !seemsLost(observed)) return soundCheck(code, observed);
  const product = await products.byCode(code);
  if (product === undefined) return lossCheck(code, observed, undefined);
  const { offers, buybox } = product;
  const isForSale = buybox !== null || offers.some(isLive);
  return lossCheck(code, observed, { ...product, hasOffers: offers.length > 0, isForSale });
}

export const seemsLost = (observed: ObservedState | 'missing'): boolean =>
  observed === 'missing' || completeOffers(observed)?.length === 0 || isStatedSoldOut(observed);

export const soundCheck = (code: string, observed: ObservedState): LossCheck => ({
  code,
  stored: null,
  losesProduct: false,
  isEvidence: (observed.offers?.length ?? 0) > 0 || observed.buybox != null,
});

/** A product without offers can still be delisted, once. */
export function lossCheck(
  code: string,
  observed: ObservedState | 'missing',
  stored: Pick<StoredState, 'loss' | 'delistedAtMs' | 'hasOffers' | 'isForSale'> | undefined,
): LossCheck {
  const hadOffers = stored?.hasOffers ?? false;
  const wasForSale = stored?.isForSale ?? false;
  const before = { hadOffers, wasForSale };
  const isListed = stored !== undefined && stored.delistedAtMs === undefined;
  return {
    code,
    stored: stored ?? null,
    losesProduct: losesProduct(before, observed) || (observed === 'missing' && isListed),
    isEvidence: hadSomethingToLose(before, observed),
  };
}
