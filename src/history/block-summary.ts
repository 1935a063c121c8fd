// Sums up a packed block: buybox price, sales rank and stock, each as a value that holds until it
// is observed again.
import { HAS_OFFERS, HAS_RANK, type Seller } from './packed-block.ts';
import { PackedCursor } from './packed-cursor.ts';
import { addStep, addSummary, emptySummary, type StepSummary } from './step-summary.ts';

/**
 * `price` in cents, null while nobody holds the buybox. `rank` is the position. `stock` is 1 if a
 * listed offer has units or may have some (unknown units), else 0.
 */
export type BlockSummary = Record<Series, StepSummary>;

export const SERIES = ['price', 'rank', 'stock'] as const;
export type Series = (typeof SERIES)[number];

/** From inclusive, to exclusive. */
type Span = { fromAtSeconds: number; toAtSeconds: number };

/** A value and when it was observed. */
export type Observed = { atSeconds: number; value: number | null };

export const emptyBlockSummary = (): BlockSummary => ({
  price: emptySummary({ withValues: true }),
  rank: emptySummary({ withValues: false }),
  stock: emptySummary({ withValues: false }),
});

/** Adds the summary of later observations. */
export function addBlockSummary(summary: BlockSummary, next: BlockSummary): void {
  for (const series of SERIES) addSummary(summary[series], next[series]);
}

/** The observations of a span, and the last values before it. */
export type CutSummary = { before: Partial<Record<Series, Observed>>; inside: BlockSummary };

export function summarizeBlock(bytes: Uint8Array, span: Span): CutSummary {
  const cut: CutSummary = { before: {}, inside: emptyBlockSummary() };
  const cursor = new PackedCursor(bytes);
  const { state } = cursor;
  const add = (series: Series, value: number | null) => {
    if (state.atSeconds >= span.fromAtSeconds) addStep(cut.inside[series], state.atSeconds, value);
    else cut.before[series] = { atSeconds: state.atSeconds, value };
  };
  while (cursor.next()) {
    if (state.atSeconds >= span.toAtSeconds) break;
    if (cursor.boxCents !== undefined) add('price', cursor.boxCents);
    if ((state.kind & HAS_RANK) !== 0) add('rank', state.rankPosition);
    if ((state.kind & HAS_OFFERS) !== 0) add('stock', hasUnits(state.roster, state.names) ? 1 : 0);
  }
  return cut;
}

function hasUnits(roster: readonly number[], names: readonly Seller[]): boolean {
  for (const number of roster) {
    const seller = names[number - 1];
    if (seller !== undefined && (seller.unknown || seller.units !== 0)) return true;
  }
  return false;
}

/** The last price below a limit, and when the buybox was observed next. */
export type Undercut = { atSeconds: number; priceCents: number; endedAtSeconds: number | null };

export function lastUndercut(
  bytes: Uint8Array,
  { belowCents, span }: { belowCents: number; span: Span },
): Undercut | null {
  let undercut: Undercut | null = null;
  const cursor = new PackedCursor(bytes);
  while (cursor.next()) {
    const { boxCents } = cursor;
    const { atSeconds } = cursor.state;
    if (boxCents === undefined || atSeconds < span.fromAtSeconds) continue;
    if (atSeconds >= span.toAtSeconds) break;
    if (boxCents !== null && boxCents < belowCents) {
      undercut = { atSeconds, priceCents: boxCents, endedAtSeconds: null };
    } else if (undercut !== null) undercut.endedAtSeconds ??= atSeconds;
  }
  return undercut;
}
