// Who holds the buybox: won and lost by the watched seller, and rotation among the others. Frequent
// rotation becomes one summary a day.
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { type Comparison, emit } from './comparison.ts';
import { type HolderShare, type ObservedValue, observed } from './detected-event.ts';
import { freshCompleteOffers, isSoldOut, type ObservedState } from './observed-state.ts';
import type { BoxState, Holding } from './watch-state.ts';

/** More than hourly observations can see in a day; beyond this the oldest are dropped. */
const HOLDINGS_MAX = 32;

/**
 * Whether the observation shows a box. Its absence means something only with the complete offer
 * list, or where the product is said to be sold out.
 */
export type BoxStatus = 'held' | 'suppressed' | 'gone' | 'unseen';

/** The box state after an observation that showed its holder, or that nobody holds it. */
export function afterHolder(box: BoxState, boxStatus: BoxStatus, comparison: Comparison): BoxState {
  const { observation } = comparison;
  const held = observation.buybox?.sellerName ?? null;
  // The box has a holder, but the observation does not name it.
  if (boxStatus === 'held' && held === null) return box;
  const last = box.holders.at(-1);
  if (last?.name === held) return afterQuiet(box, comparison);
  const holding = { name: held, atSeconds: observation.atSeconds };
  const after = { ...box, holders: withHolding(box, holding) };
  // The first holder is the baseline.
  return last === undefined
    ? after
    : withHolderChange(after, { from: last, to: holding, comparison });
}

/** Appends a holding; those that ended more than a day ago and are in a summary are dropped. */
function withHolding(box: BoxState, holding: Holding): Holding[] {
  const since = Math.min(
    holding.atSeconds - DAY_SECONDS,
    box.summaryAtSeconds ?? Number.POSITIVE_INFINITY,
  );
  let first = Math.max(0, box.holders.length + 1 - HOLDINGS_MAX);
  while ((box.holders[first + 1]?.atSeconds ?? Number.POSITIVE_INFINITY) <= since) first++;
  return [...box.holders.slice(first), holding];
}

type Change = { from: Holding; to: Holding; comparison: Comparison };

function withHolderChange(box: BoxState, { from, to, comparison }: Change): BoxState {
  const { watchedSeller } = comparison;
  if (watchedSeller !== null && to.name === watchedSeller) {
    emit(comparison, { kind: 'buybox.won', before: heldBefore(from, comparison), value: to.name });
  } else if (watchedSeller !== null && from.name === watchedSeller) {
    emit(comparison, {
      kind: 'buybox.lost',
      before: heldBefore(from, comparison),
      value: to.name,
      reason: lossReason(comparison, to.name),
    });
  } else if (from.name !== null && to.name !== null) {
    return afterRotation(box, { from, to, comparison });
  }
  return box;
}

/** Dated by the previous observation if it saw the same holder, else by when the holding began. */
export function heldBefore({ name, atSeconds }: Holding, { before }: Comparison): ObservedValue {
  const isSame = before?.buybox !== undefined && (before.buybox?.sellerName ?? null) === name;
  return observed(name, isSame ? before.atSeconds : atSeconds);
}

export type LossReason = 'outbid' | 'out of stock' | 'suppressed' | 'delisted';

function lossReason({ observation, watchedSeller }: Comparison, holder: string | null): LossReason {
  if (holder === null) return boxlessReason(observation);
  const offers = freshCompleteOffers(observation);
  const watchedOffer = observation.offers?.find((offer) => offer.sellerName === watchedSeller);
  const isGone =
    watchedOffer === undefined ? offers !== undefined : watchedOffer.unitsInStock === 0;
  return isGone ? 'out of stock' : 'outbid';
}

/** Why nobody holds the box. */
export function boxlessReason(observation: ObservedState): LossReason {
  if (isSoldOut(observation)) return 'out of stock';
  const offers = freshCompleteOffers(observation) ?? [];
  if (offers.length === 0) return 'delisted';
  return offers.some((offer) => offer.unitsInStock !== 0) ? 'suppressed' : 'out of stock';
}

/**
 * Emits single rotations while they are few; otherwise a summary, and no rotation for a day after.
 */
function afterRotation(box: BoxState, change: Change): BoxState {
  const { from, to, comparison } = change;
  const summaryAt = box.summaryAtSeconds;
  if (summaryAt !== null && to.atSeconds - summaryAt < DAY_SECONDS) return box;
  const { count } = comparison.rules.rotation;
  const unreported = summaryAt === null ? 0 : rotationsSince(box, summaryAt, comparison) - 1;
  if (unreported > 0 || rotationsSince(box, to.atSeconds - DAY_SECONDS, comparison) > count) {
    return emitSummary(box, comparison);
  }
  emit(comparison, {
    kind: 'buybox.rotation',
    before: heldBefore(from, comparison),
    value: to.name,
    rule: { name: 'rotation', threshold: { count } },
  });
  return summaryAt === null ? box : { ...box, summaryAtSeconds: null };
}

/**
 * A day after a summary: summarizes the rotations since, or ends the summaries if there were none.
 */
function afterQuiet(box: BoxState, comparison: Comparison): BoxState {
  const { summaryAtSeconds } = box;
  if (summaryAtSeconds === null) return box;
  if (comparison.observation.atSeconds - summaryAtSeconds < DAY_SECONDS) return box;
  return rotationsSince(box, summaryAtSeconds, comparison) > 0
    ? emitSummary(box, comparison)
    : { ...box, summaryAtSeconds: null };
}

function rotationsSince(box: BoxState, since: number, { watchedSeller }: Comparison): number {
  let rotations = 0;
  for (const [index, { name, atSeconds }] of box.holders.entries()) {
    const from = box.holders[index - 1]?.name ?? null;
    if (atSeconds <= since || from === null || name === null) continue;
    if (watchedSeller === null || (from !== watchedSeller && name !== watchedSeller)) rotations++;
  }
  return rotations;
}

function emitSummary(box: BoxState, comparison: Comparison): BoxState {
  const nowAtSeconds = comparison.observation.atSeconds;
  const since = box.summaryAtSeconds ?? nowAtSeconds - DAY_SECONDS;
  const first = box.holders.findLast(({ atSeconds }) => atSeconds <= since) ?? box.holders[0];
  const from = Math.max(since, first?.atSeconds ?? since);
  const rotations = rotationsSince(box, since, comparison);
  const shares = sharesOf(box.holders, from, nowAtSeconds);
  const hours = Math.round((nowAtSeconds - since) / HOUR_SECONDS);
  const changes = `${rotations} ${rotations === 1 ? 'change' : 'changes'}`;
  const parts = shares.map(({ sellerName, percent }) => `${sellerName ?? 'nobody'} ${percent} %`);
  emit(comparison, {
    kind: 'buybox.rotation',
    before: observed(first?.name ?? null, from),
    value: box.holders.at(-1)?.name ?? null,
    rule: { name: 'rotation', threshold: { count: comparison.rules.rotation.count } },
    reason: `${changes} of holder in ${hours} h: ${parts.join(', ')}`,
    shares,
  });
  return { ...box, summaryAtSeconds: nowAtSeconds };
}

function sharesOf(holders: readonly Holding[], from: number, to: number): HolderShare[] {
  const seconds = new Map<string | null, number>();
  for (const [index, { name, atSeconds }] of holders.entries()) {
    const until = holders[index + 1]?.atSeconds ?? to;
    const held = until - Math.max(from, atSeconds);
    if (held > 0) seconds.set(name, (seconds.get(name) ?? 0) + held);
  }
  return [...seconds]
    .map(([sellerName, held]) => ({ sellerName, percent: Math.round((100 * held) / (to - from)) }))
    .sort((a, b) => b.percent - a.percent);
}
