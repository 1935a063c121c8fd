// The sales rank within one category: gains and losses against the last notified position, and
// crossings of the top 10, 50 and 100.
import { type Comparison, emit } from './comparison.ts';
import { type FiredRule, observed } from './detected-event.ts';
import { isRankMove, type Rules } from './rule.ts';
import type { RankState } from './watch-state.ts';

/** Top 10, 50, 100. */
export const RANK_LINES: readonly number[] = [10, 50, 100];
const ALL_ARMED = 2 ** RANK_LINES.length - 1;

/** A gain is notified at once, a loss when the next observation of the rank confirms it. */
export function afterRank(rank: RankState | null, comparison: Comparison): RankState | null {
  const seen = comparison.observation.rank;
  if (seen === undefined) return rank;
  const { atSeconds } = comparison.observation;
  const { position, category } = seen;
  if (rank === null || rank.category !== category) {
    return { position, category, atSeconds, lossPending: false, armedLines: ALL_ARMED };
  }
  const rule = firedRule(rank, position, comparison.rules);
  const isLoss = rule !== null && position > rank.position;
  // A rank carried from an earlier observation neither confirms nor cancels the loss.
  if (isLoss && comparison.observation.carried?.rank) return rank;
  if (rule === null || (isLoss && !rank.lossPending)) {
    const armedLines = rank.armedLines | linesPassed(position);
    if (armedLines === rank.armedLines && isLoss === rank.lossPending) return rank;
    return { ...rank, lossPending: isLoss, armedLines };
  }
  emit(comparison, {
    kind: isLoss ? 'rank.lost' : 'rank.gained',
    before: observed(rank.position, rank.atSeconds),
    value: position,
    rule,
    reason: crossingReason(rule, isLoss),
  });
  const crossed = linesBetween(rank.position, position);
  const armedLines = (rank.armedLines & ~crossed) | linesPassed(position);
  return { position, category, atSeconds, lossPending: false, armedLines };
}

/**
 * A crossing takes precedence over a percentage. Of several crossings it reports the innermost line
 * that was entered or the outermost that was left.
 */
function firedRule(rank: RankState, position: number, rules: Rules): FiredRule | null {
  const armed = linesBetween(rank.position, position) & (rank.armedLines | linesPassed(position));
  if (armed !== 0) {
    const crossed = RANK_LINES.filter((_, index) => (armed & (1 << index)) !== 0);
    const top = position < rank.position ? crossed[0] : crossed.at(-1);
    return { name: 'rank_crossing', threshold: { top: top as number } };
  }
  if (!isRankMove(rules.rank, rank.position, position)) return null;
  const { basisPoints, places } = rules.rank;
  return { name: 'rank', threshold: { percent: basisPoints / 100, places } };
}

function crossingReason({ name, threshold }: FiredRule, isLoss: boolean): string | null {
  if (name !== 'rank_crossing') return null;
  return `${isLoss ? 'left' : 'entered'} the top ${threshold?.top}`;
}

function linesBetween(a: number, b: number): number {
  let lines = 0;
  for (const [index, line] of RANK_LINES.entries()) {
    if (a <= line !== b <= line) lines |= 1 << index;
  }
  return lines;
}

/**
 * Lines that a position is more than 10 % past, on either side: they are armed again. "At least 10
 * %" would let a wobble between 10 and 11 repeat forever.
 */
function linesPassed(position: number): number {
  let lines = 0;
  for (const [index, line] of RANK_LINES.entries()) {
    if (position * 10 > line * 11 || position * 10 < line * 9) lines |= 1 << index;
  }
  return lines;
}
