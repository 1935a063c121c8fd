// Whether ingested snapshots that empty products may be believed: a crawl that failed must become neither events nor
// history. Judged at the time of the observations, so that one file and many single lines are judged alike.
import type { ProductState } from '../catalog/product.ts';
import { readStates } from '../catalog/products.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { blameFor } from '../database/blame.ts';
import { observationOf } from '../history/observation.ts';
import { bucketOf, type CrawlTally, isMassLoss } from '../tracking/crawl-guard.ts';
import {
  type JudgeDeps,
  judgeAll,
  type Observed,
  observedLost,
  observedSound,
  seemsLost,
} from '../tracking/judge-snapshots.ts';
import { finestTiers } from '../tracking/watchers.ts';
import { countIngested } from './count-ingested.ts';

/** What must not be recorded now, each with the reason. */
export type Held = ReadonlyMap<Snapshot, string>;

const NOT_CONFIRMED =
  'empties a tracked product, which is not confirmed yet; it is recorded when a later crawl shows the same and others unharmed';
const MASS_LOSS =
  'a third or more of the products observed within 15 minutes lost all their offers: the crawl seems to have failed';

/**
 * Returns the snapshots that must not be recorded now. Of each product only those after which nothing newer shows it are
 * in question: others are late, and change history alone. A product that nobody watches is held in a mass loss only.
 */
export async function heldOfIngested(
  deps: JudgeDeps,
  snapshots: readonly Snapshot[],
): Promise<Held> {
  const byCode = Map.groupBy(snapshots, ({ code }) => code);
  try {
    return await heldOf(deps, byCode);
  } catch (error) {
    if (blameFor(error) !== 'item') throw error;
    // One record that cannot be read says nothing of the others. Whether it can be written shows when it is recorded.
    if (byCode.size === 1) return new Map();
    const held: [Snapshot, string][] = [];
    for (const [, some] of byCode) held.push(...(await heldOfIngested(deps, some)));
    return new Map(held);
  }
}

async function heldOf(
  deps: JudgeDeps,
  byCode: ReadonlyMap<string, readonly Snapshot[]>,
): Promise<Held> {
  const states = await readStates(deps.db, [...byCode.keys()]);
  const live = states.flatMap((state) => liveOf(state, byCode.get(state.code) ?? []));
  const losing = live.filter(({ observed }) => observed.losesProduct);
  const newest = live.reduce((last, { at }) => Math.max(last, at), 0);
  const counted = await countIngested(deps, {
    tallies: talliesOf(live),
    readUntil: losing.length === 0 ? null : bucketOf(Math.floor(newest / 1000)),
  });
  const held = new Map<Snapshot, string>();
  if (losing.length === 0) return held;
  const codes = losing.map(({ observed }) => observed.code);
  const tiers = await deps.db.transaction((tx) => finestTiers(tx, codes));
  for (const trailing of losing) {
    const isWatched = (tiers.get(trailing.observed.code) ?? null) !== null;
    if (isWatched) await judgeTrailing(deps, trailing, { counted, held });
    else holdInMassLoss(trailing, { counted, held });
  }
  return held;
}

/** `counted` null: it is not known what others show, and the line is recorded as sent. */
function holdInMassLoss(
  { at, losing }: Live,
  { counted, held }: { counted: readonly CrawlTally[] | null; held: Map<Snapshot, string> },
): void {
  const bucket = bucketOf(Math.floor(at / 1000));
  const upTo = counted?.filter((tally) => tally.bucket <= bucket) ?? [];
  if (isMassLoss(upTo)) for (const snapshot of losing) held.set(snapshot, MASS_LOSS);
}

/** The newest observation of a product, and the snapshots at the end that lose it. */
type Live = { observed: Observed; at: number; losing: readonly Snapshot[] };

function liveOf(known: ProductState & { hasOffers: boolean }, all: readonly Snapshot[]): Live[] {
  const newer = all
    .filter(({ observedAtMs }) => observedAtMs > known.observedAtMs)
    .sort((a, b) => a.observedAtMs - b.observedAtMs);
  const last = newer.at(-1);
  if (last === undefined) return [];
  const { code, observedAtMs: at } = last;
  const found = observationOf(last);
  if (!seemsLost(found)) return [{ observed: observedSound(code, found), at, losing: [] }];
  const sinceMs = newer.findLastIndex((one) => !seemsLost(observationOf(one)));
  const losing = newer.slice(sinceMs + 1);
  const filled = newer.slice(0, sinceMs + 1).some(({ offers }) => (offers?.length ?? 0) > 0);
  // Seen in this very batch before it was lost: what was held before is over.
  const before = filled ? { ...known, loss: undefined } : known;
  const hadOffers = filled || known.hasOffers;
  const observed = { ...observedLost(code, found, before), isEvidence: hadOffers };
  return [{ observed: { ...observed, losesProduct: hadOffers }, at, losing }];
}

/** Every live observation is counted: a crawl sees each product once. */
function talliesOf(live: readonly Live[]): CrawlTally[] {
  const tallies = new Map<number, CrawlTally>();
  for (const { observed, at } of live) {
    // A line that is sent again is not counted again.
    if (!observed.isEvidence || at <= (observed.known?.loss?.sinceMs ?? 0)) continue;
    const bucket = bucketOf(Math.floor(at / 1000));
    const sum = tallies.get(bucket) ?? { bucket, snapshots: 0, losses: 0 };
    sum.snapshots++;
    if (observed.losesProduct) sum.losses++;
    tallies.set(bucket, sum);
  }
  return [...tallies.values()];
}

/** Judged one after the other, as if each line had come alone; from the one that confirms on all are recorded. */
async function judgeTrailing(
  deps: JudgeDeps,
  { observed, losing }: Live,
  { counted, held }: { counted: readonly CrawlTally[] | null; held: Map<Snapshot, string> },
): Promise<void> {
  let known = observed.known;
  for (const snapshot of losing) {
    const one = { ...observed, known };
    const at = snapshot.observedAtMs;
    const bucket = bucketOf(Math.floor(at / 1000));
    const tallies = counted?.filter((tally) => tally.bucket <= bucket) ?? null;
    // The crawl that sees it lost again may speak for itself: its own stretch counts.
    const verdicts = await judgeAll(deps, [one], {
      ...{ tallies, at, beforeBucket: bucket + 1, isIngested: true },
    });
    const verdict = verdicts.get(one);
    if (verdict?.kind === 'confirmed') {
      for (const earlier of losing) held.delete(earlier);
      return;
    }
    held.set(snapshot, verdict?.kind === 'failed' ? MASS_LOSS : NOT_CONFIRMED);
    const loss =
      verdict?.kind === 'held'
        ? { sinceMs: verdict.firstHeldAtSeconds * 1000, count: verdict.observations }
        : undefined;
    known = known && { ...known, loss };
  }
}
