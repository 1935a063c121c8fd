// Judges ingested snapshots that empty products: a failed crawl must not become events or history.
// Judges at the time of the observations, so that one file and many single lines have the same
// result.
import { readStates, type StoredState } from '../catalog/products.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { blameFor } from '../database/blame.ts';
import { isLive } from '../events/observed-state.ts';
import { SECOND_MS } from '../foundation/time.ts';
import { observationOf } from '../history/observation.ts';
import { bucketOf, type CrawlTally, isMassLoss } from '../tracking/crawl-guard.ts';
import {
  type JudgeDeps,
  judgeAll,
  type LossCheck,
  lossCheck,
  seemsLost,
  soundCheck,
} from '../tracking/judge-snapshots.ts';
import { finestTiers } from '../tracking/watchers.ts';
import { countIngested } from './count-ingested.ts';

/** Snapshots that must not be recorded now, each with the reason. */
export type HeldSnapshots = ReadonlyMap<Snapshot, string>;

const NOT_CONFIRMED =
  'empties a tracked product, which is not confirmed yet; it is recorded when a later crawl shows the same and others unharmed';
const MASS_LOSS =
  'a third or more of the products observed within 15 minutes lost all their offers: the crawl seems to have failed';

/**
 * Returns the snapshots that must not be recorded now. Judges only a product's last snapshots that
 * nothing newer follows: others are late and change history alone. A product that nobody watches is
 * held in a mass loss only.
 */
export async function heldOfIngested(
  deps: JudgeDeps,
  snapshots: readonly Snapshot[],
): Promise<HeldSnapshots> {
  const byCode = Map.groupBy(snapshots, ({ code }) => code);
  try {
    return await heldOf(deps, byCode);
  } catch (error) {
    if (blameFor(error) !== 'item') throw error;
    // One unreadable record says nothing about the others. Recording will show whether it can be
    // written.
    if (byCode.size === 1) return new Map();
    const held: [Snapshot, string][] = [];
    for (const [, ofProduct] of byCode) held.push(...(await heldOfIngested(deps, ofProduct)));
    return new Map(held);
  }
}

async function heldOf(
  deps: JudgeDeps,
  byCode: ReadonlyMap<string, readonly Snapshot[]>,
): Promise<HeldSnapshots> {
  const states = await readStates(deps.db, [...byCode.keys()]);
  const live = states.flatMap((state) => liveOf(state, byCode.get(state.code) ?? []));
  const losing = live.filter(({ check }) => check.losesProduct);
  const newestAtMs = live.reduce((last, { atMs }) => Math.max(last, atMs), 0);
  const tallies = await countIngested(deps, {
    tallies: talliesOf(live),
    readUpToBucket: losing.length === 0 ? null : bucketAt(newestAtMs),
  });
  const held = new Map<Snapshot, string>();
  if (losing.length === 0) return held;
  const codes = losing.map(({ check }) => check.code);
  const tiers = await finestTiers(deps.db, codes);
  for (const product of losing) {
    const isWatched = (tiers.get(product.check.code) ?? null) !== null;
    if (isWatched) await judgeTrailing(deps, product, { tallies, held });
    else holdInMassLoss(product, { tallies, held });
  }
  return held;
}

const bucketAt = (atMs: number) => bucketOf(Math.floor(atMs / SECOND_MS));

/** `tallies` null: they could not be read, and the line is recorded as sent. */
function holdInMassLoss(
  { atMs, losing }: LiveProduct,
  { tallies, held }: { tallies: readonly CrawlTally[] | null; held: Map<Snapshot, string> },
): void {
  const bucket = bucketAt(atMs);
  const earlier = tallies?.filter((tally) => tally.bucket <= bucket) ?? [];
  if (isMassLoss(earlier)) for (const snapshot of losing) held.set(snapshot, MASS_LOSS);
}

type LiveProduct = {
  /** The check of its newest snapshot. */
  check: LossCheck;
  /** The time of that snapshot. */
  atMs: number;
  /** The trailing snapshots that lose the product. */
  losing: readonly Snapshot[];
};

function liveOf(stored: StoredState, snapshots: readonly Snapshot[]): LiveProduct[] {
  const newer = snapshots
    .filter(({ observedAtMs }) => observedAtMs > stored.observedAtMs)
    .sort((a, b) => a.observedAtMs - b.observedAtMs);
  const last = newer.at(-1);
  if (last === undefined) return [];
  const { code, observedAtMs: atMs } = last;
  const observed = observationOf(last);
  if (!seemsLost(observed)) return [{ check: soundCheck(code, observed), atMs, losing: [] }];
  const lastSoundIndex = newer.findLastIndex((one) => !seemsLost(observationOf(one)));
  const losing = newer.slice(lastSoundIndex + 1);
  const sound = newer.slice(0, lastSoundIndex + 1);
  const isFilled = sound.some(({ offers }) => (offers?.length ?? 0) > 0);
  const isOffered = sound.some(({ buybox, offers }) => buybox || offers?.some(isLive));
  // The product was observed in this batch before it was lost: an earlier hold has ended.
  const before = {
    ...stored,
    ...(isFilled || isOffered ? { loss: undefined } : {}),
    hasOffers: stored.hasOffers || isFilled,
    isForSale: stored.isForSale || isOffered,
  };
  return [{ check: lossCheck(code, observed, before), atMs, losing }];
}

/** Counts every live product: a crawl has each product once. */
function talliesOf(live: readonly LiveProduct[]): CrawlTally[] {
  const tallies = new Map<number, CrawlTally>();
  for (const { check, atMs } of live) {
    // A line that is sent again is not counted again.
    if (!check.isEvidence || atMs <= (check.stored?.loss?.sinceMs ?? 0)) continue;
    const bucket = bucketAt(atMs);
    const sum = tallies.get(bucket) ?? { bucket, snapshots: 0, losses: 0 };
    sum.snapshots++;
    if (check.losesProduct) sum.losses++;
    tallies.set(bucket, sum);
  }
  return [...tallies.values()];
}

/**
 * Judges the trailing snapshots in order, as if each line had come alone. If one confirms the loss,
 * all are recorded.
 */
async function judgeTrailing(
  deps: JudgeDeps,
  product: LiveProduct,
  input: { tallies: readonly CrawlTally[] | null; held: Map<Snapshot, string> },
): Promise<void> {
  const { held } = input;
  let { stored } = product.check;
  for (const snapshot of product.losing) {
    const check = { ...product.check, stored };
    const atMs = snapshot.observedAtMs;
    const bucket = bucketAt(atMs);
    const verdicts = await judgeAll(deps, [check], {
      tallies: input.tallies?.filter((tally) => tally.bucket <= bucket) ?? null,
      atMs,
      // The crawl that confirms a loss may be its own evidence, so its bucket counts.
      beforeBucket: bucket + 1,
      isIngested: true,
    });
    const verdict = verdicts.get(check);
    if (verdict?.kind === 'confirmed') {
      for (const earlier of product.losing) held.delete(earlier);
      return;
    }
    held.set(snapshot, verdict?.kind === 'failed' ? MASS_LOSS : NOT_CONFIRMED);
    const loss =
      verdict?.kind === 'held'
        ? { sinceMs: verdict.firstHeldAtSeconds * SECOND_MS, count: verdict.observations }
        : undefined;
    stored = stored && { ...stored, loss };
  }
}
