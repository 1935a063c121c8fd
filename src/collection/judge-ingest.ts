// Whether ingested snapshots that empty watched products may be believed: a crawl that failed must not become events.
// Judged at the time of the observations, so that one file and many single lines are judged alike.
import type { Product } from '../catalog/product.ts';
import { readProducts } from '../catalog/products.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { blameFor } from '../database/blame.ts';
import { type LookTally, stretchOf } from '../events/crawl-guard.ts';
import { lookOf } from '../history/look.ts';
import { readTallies } from '../oversight/look-tallies.ts';
import { finestTiers } from '../oversight/watchers.ts';
import {
  addUnlessBusy,
  type JudgeDeps,
  judgeAll,
  type Observed,
  observedLost,
  observedSound,
  seemsLost,
} from './judge-looks.ts';

/** What the guard counts ingested observations under, beside those of the source. */
export const INGESTED = 'ingest';

/**
 * Returns the snapshots that must not be recorded now. Of each watched product only those after which nothing newer
 * shows it are in question: others are late, and change history alone.
 */
export async function heldOfIngested(
  deps: JudgeDeps,
  snapshots: readonly Snapshot[],
): Promise<ReadonlySet<Snapshot>> {
  const byCode = Map.groupBy(snapshots, ({ code }) => code);
  try {
    return await heldOf(deps, byCode);
  } catch (error) {
    if (blameFor(error) !== 'item') throw error;
    // One record that cannot be read says nothing of the others. Whether it can be written shows when it is recorded.
    if (byCode.size === 1) return new Set();
    const held: Snapshot[] = [];
    for (const [, some] of byCode) held.push(...(await heldOfIngested(deps, some)));
    return new Set(held);
  }
}

async function heldOf(
  deps: JudgeDeps,
  byCode: ReadonlyMap<string, readonly Snapshot[]>,
): Promise<ReadonlySet<Snapshot>> {
  const tiers = await deps.db.transaction((tx) => finestTiers(tx, [...byCode.keys()]));
  const watched = [...tiers].flatMap(([code, tier]) => (tier === null ? [] : [code]));
  if (watched.length === 0) return new Set();
  const known = await readProducts(deps.db, watched);
  const live = watched.flatMap((code) => {
    const one = known.get(code);
    return one === undefined ? [] : liveOf(one, byCode.get(code) ?? []);
  });
  const losing = live.filter(({ observed }) => observed.losesProduct);
  const tallies = talliesOf(live);
  const newest = live.reduce((last, { at }) => Math.max(last, at), 0);
  const counted =
    tallies.length > 0
      ? await addUnlessBusy(deps, { source: INGESTED, tallies })
      : await readTallies(deps.db, { source: INGESTED, stretch: stretchOf(newest / 1000) });
  const held = new Set<Snapshot>();
  for (const trailing of losing) {
    await judgeTrailing(deps, trailing, { counted, held });
  }
  return held;
}

/** The newest observation of a product, and the snapshots at the end that lose it. */
type Live = { observed: Observed; at: number; losing: readonly Snapshot[] };

function liveOf(known: Product, all: readonly Snapshot[]): Live[] {
  const newer = all
    .filter(({ observedAt }) => observedAt > known.observedAt)
    .sort((a, b) => a.observedAt - b.observedAt);
  const last = newer.at(-1);
  if (last === undefined) return [];
  const { code, observedAt: at } = last;
  const found = lookOf(last);
  if (!seemsLost(found)) return [{ observed: observedSound(code, found), at, losing: [] }];
  const since = newer.findLastIndex((one) => !seemsLost(lookOf(one)));
  const losing = newer.slice(since + 1);
  const filled = newer.slice(0, since + 1).some(({ offers }) => (offers?.length ?? 0) > 0);
  // Seen in this very batch before it was lost: what was held before is over.
  const before = filled ? { ...known, loss: undefined } : known;
  const hadOffers = filled || known.offers.length > 0;
  const observed = { ...observedLost(code, found, before), isEvidence: hadOffers };
  return [{ observed: { ...observed, losesProduct: hadOffers }, at, losing }];
}

/** Every live observation is counted: a crawl sees each product once. */
function talliesOf(live: readonly Live[]): LookTally[] {
  const tallies = new Map<number, LookTally>();
  for (const { observed, at } of live) {
    // A line that is sent again is not counted again.
    if (!observed.isEvidence || at <= (observed.known?.loss?.since ?? 0)) continue;
    const stretch = stretchOf(Math.floor(at / 1000));
    const sum = tallies.get(stretch) ?? { stretch, looks: 0, losses: 0 };
    sum.looks++;
    if (observed.losesProduct) sum.losses++;
    tallies.set(stretch, sum);
  }
  return [...tallies.values()];
}

/** Judged one after the other, as if each line had come alone; from the one that confirms on all are recorded. */
async function judgeTrailing(
  deps: JudgeDeps,
  { observed, losing }: Live,
  { counted, held }: { counted: readonly LookTally[] | null; held: Set<Snapshot> },
): Promise<void> {
  let known = observed.known;
  for (const snapshot of losing) {
    const one = { ...observed, known };
    const at = snapshot.observedAt;
    const stretch = stretchOf(Math.floor(at / 1000));
    const tallies = counted?.filter((tally) => tally.stretch <= stretch) ?? null;
    // The crawl that sees it lost again may speak for itself: its own stretch counts.
    const verdicts = await judgeAll(deps, [one], {
      ...{ tallies, at, beforeStretch: stretch + 1, isIngested: true },
    });
    const verdict = verdicts.get(one);
    if (verdict?.kind === 'confirmed') {
      for (const earlier of losing) held.delete(earlier);
      return;
    }
    held.add(snapshot);
    const loss =
      verdict?.kind === 'held'
        ? { since: verdict.heldSinceSeconds * 1000, count: verdict.observations }
        : undefined;
    known = known && { ...known, loss };
  }
}
