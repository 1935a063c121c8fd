// Whether what a call brought may be believed: looks that lost their product are held until confirmed, and while too
// many of a source's looks lose theirs, they are failed ones.
import { reasonOf } from '../background/isolate.ts';
import type { Products } from '../catalog/products.ts';
import { blameFor } from '../database/blame.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import {
  isAlarmed,
  judgeLoss,
  type LossVerdict,
  losesProduct,
  stretchOf,
} from '../events/crawl-guard.ts';
import type { Log } from '../foundation/log.ts';
import { lookOf } from '../history/look.ts';
import { addTally } from '../oversight/look-tallies.ts';
import type { Due } from '../oversight/schedule.ts';
import { phaseMs } from '../oversight/slot.ts';
import type { FetchOutcome } from './source.ts';

type Deps = { db: Database; products: Products; log: Log };

const DAY_MS = 86_400_000;

export type Judged = {
  /** One for each due product that was answered; undefined for those that were not. */
  verdicts: (LossVerdict | undefined)[];
  /** Places in the call of products whose stored record cannot be read, with the reason. */
  unreadable: Map<number, string>;
};

export async function judgeLooks(
  deps: Deps,
  source: string,
  input: { call: readonly Due[]; outcomes: readonly FetchOutcome[]; at: number },
): Promise<Judged> {
  const { call, outcomes, at } = input;
  const unreadable = new Map<number, string>();
  const losses = await Promise.all(
    call.map((due, index) =>
      loses(deps, due, outcomes[index]).catch((error) => {
        if (blameFor(error) !== 'item') throw error;
        unreadable.set(index, reasonOf(error));
        return undefined;
      }),
    ),
  );
  const atSeconds = Math.floor(at / 1000);
  const first = call.flatMap((due, index) =>
    due.heldSince === null && losses[index] !== undefined ? [losses[index]] : [],
  );
  const lost = losses.includes(true);
  const tally = {
    stretch: stretchOf(atSeconds),
    looks: first.length,
    losses: first.filter(Boolean).length,
  };
  const tallies = first.length > 0 || lost ? await addTallyUnlessBusy(deps, { source, tally }) : [];
  // Not knowing how many were lost elsewhere, none is believed to be.
  const alarmed = lost && (tallies === null || isAlarmed(tallies));
  const verdicts = losses.map((own, index) => {
    if (own === undefined) return undefined;
    const { code, heldSince } = call[index] as Due;
    return judgeLoss({
      ...{ losesProduct: own, atSeconds, isAlarmed: alarmed },
      heldSinceSeconds: heldSince === null ? null : Math.floor(heldSince / 1000),
      spread: phaseMs(code) / DAY_MS,
    });
  });
  return { verdicts, unreadable };
}

/** null when another session keeps the row of the source: nobody's collection waits for it. */
async function addTallyUnlessBusy(
  { db, log }: Deps,
  input: Parameters<typeof addTally>[1],
): Promise<Awaited<ReturnType<typeof addTally>> | null> {
  try {
    return await withLockTimeout(db, TALLY_WAIT_MS).transaction((tx) => addTally(tx, input));
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    log.warn({ source: input.source, reason: reasonOf(error) }, 'losses were not counted');
    return null;
  }
}

const TALLY_WAIT_MS = 500;

/** undefined when the look failed anyway. Only what seems lost is held against what is stored. */
async function loses(
  deps: Deps,
  due: Due,
  outcome: FetchOutcome | undefined,
): Promise<boolean | undefined> {
  if (outcome?.kind !== 'snapshot' && outcome?.kind !== 'not_found') return undefined;
  const found = outcome.kind === 'not_found' ? 'missing' : lookOf(outcome.snapshot);
  if (!losesProduct(true, found)) return false;
  const known = await deps.products.byCode(due.code);
  return losesProduct((known?.offers.length ?? 0) > 0, found);
}
