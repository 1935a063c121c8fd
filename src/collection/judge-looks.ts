// Whether what a call brought may be believed: looks that lost their product are held until confirmed, and while too
// many of a source's looks lose theirs, they are failed ones.
import type { Products } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import {
  isAlarmed,
  judgeLoss,
  type LossVerdict,
  losesProduct,
  stretchOf,
} from '../events/crawl-guard.ts';
import { lookOf } from '../history/look.ts';
import { addTally } from '../oversight/look-tallies.ts';
import type { Due } from '../oversight/schedule.ts';
import { phaseMs } from '../oversight/slot.ts';
import type { FetchOutcome } from './source.ts';

type Deps = { db: Database; products: Products };

const DAY_MS = 86_400_000;

/** One verdict for each due product that was answered; undefined for those that were not. */
export async function judgeLooks(
  deps: Deps,
  source: string,
  input: { call: readonly Due[]; outcomes: readonly FetchOutcome[]; at: number },
): Promise<(LossVerdict | undefined)[]> {
  const { call, outcomes, at } = input;
  const losses = await Promise.all(call.map((due, index) => loses(deps, due, outcomes[index])));
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
  const tallies = first.length > 0 || lost ? await addTally(deps.db, { source, tally }) : [];
  const alarmed = lost && isAlarmed(tallies);
  return losses.map((own, index) => {
    if (own === undefined) return undefined;
    const { code, heldSince } = call[index] as Due;
    return judgeLoss({
      ...{ losesProduct: own, atSeconds, isAlarmed: alarmed },
      heldSinceSeconds: heldSince === null ? null : Math.floor(heldSince / 1000),
      spread: phaseMs(code) / DAY_MS,
    });
  });
}

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
