// Who has the buybox: won and lost by the watched seller, and rotation among the others, damped.

import { DAY_SECONDS } from '../foundation/time.ts';
import { type Comparison, emit } from './comparison.ts';
import { type HolderShare, type ObservedValue, observed } from './detected-event.ts';
import { type ListedOffer, seenList } from './observed-state.ts';
import type { BoxState, Holding } from './watch-state.ts';

/** As many as looks an hour apart see in a day, and some more; beyond it the oldest go. */
const HOLDINGS_MAX = 32;

/** Whether there is a box, as far as the look can tell: without all offers nothing follows from its absence. */
export type BoxStatus = 'held' | 'suppressed' | 'gone' | 'unseen';

/** The box after a look that saw who has it, or that nobody does. */
export function afterHolder(box: BoxState, boxState: BoxStatus, comparison: Comparison): BoxState {
  const { observation } = comparison;
  const held = observation.buybox?.sellerName ?? null;
  // A box whose holder is not told: nothing follows about who it is.
  if (boxState === 'held' && held === null) return box;
  const last = box.holders.at(-1);
  if (last?.name === held) return afterQuiet(box, comparison);
  const holding = { name: held, atSeconds: observation.atSeconds };
  const after = { ...box, holders: withHolding(box, holding) };
  // The first holder ever seen is where comparing begins.
  return last === undefined
    ? after
    : withHolderChange(after, { from: last, to: holding, comparison });
}

/** What ended a day ago, and was summed up, is forgotten. */
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

/** At the look before, if that saw it; else when it was first seen. */
export function heldBefore({ name, atSeconds }: Holding, { before }: Comparison): ObservedValue {
  const isSame = before?.buybox !== undefined && (before.buybox?.sellerName ?? null) === name;
  return observed(name, isSame ? before.atSeconds : atSeconds);
}

export type LossReason = 'outbid' | 'out of stock' | 'suppressed' | 'delisted';

function lossReason({ observation, watchedSeller }: Comparison, holder: string | null): LossReason {
  const offers = seenList(observation);
  if (holder === null) return boxlessReason(offers ?? []);
  const own = observation.offers?.find((offer) => offer.sellerName === watchedSeller);
  const isGone = own === undefined ? offers !== undefined : own.unitsInStock === 0;
  return isGone ? 'out of stock' : 'outbid';
}

/** Why nobody has the box. */
export function boxlessReason(offers: readonly ListedOffer[]): LossReason {
  if (offers.length === 0) return 'delisted';
  return offers.some((offer) => offer.unitsInStock !== 0) ? 'suppressed' : 'out of stock';
}

/** One by one while they are few; else a summary now and no more for a day. */
function afterRotation(box: BoxState, change: Change): BoxState {
  const { from, to, comparison } = change;
  const summaryAt = box.summaryAtSeconds;
  if (summaryAt !== null && to.atSeconds - summaryAt < DAY_SECONDS) return box;
  const { count } = comparison.rules.rotation;
  const untold = summaryAt === null ? 0 : rotationsSince(box, summaryAt, comparison) - 1;
  if (untold > 0 || rotationsSince(box, to.atSeconds - DAY_SECONDS, comparison) > count) {
    return summedUp(box, comparison);
  }
  emit(comparison, {
    kind: 'buybox.rotation',
    before: heldBefore(from, comparison),
    value: to.name,
    rule: { name: 'rotation', threshold: { count } },
  });
  return summaryAt === null ? box : { ...box, summaryAtSeconds: null };
}

/** A day after a summary: what was not told since is summed up; if nothing was, damping ends. */
function afterQuiet(box: BoxState, comparison: Comparison): BoxState {
  const { summaryAtSeconds } = box;
  if (summaryAtSeconds === null) return box;
  if (comparison.observation.atSeconds - summaryAtSeconds < DAY_SECONDS) return box;
  return rotationsSince(box, summaryAtSeconds, comparison) > 0
    ? summedUp(box, comparison)
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

function summedUp(box: BoxState, comparison: Comparison): BoxState {
  const nowAt = comparison.observation.atSeconds;
  const since = box.summaryAtSeconds ?? nowAt - DAY_SECONDS;
  const first = box.holders.findLast(({ atSeconds }) => atSeconds <= since) ?? box.holders[0];
  const from = Math.max(since, first?.atSeconds ?? since);
  const rotations = rotationsSince(box, since, comparison);
  const shares = sharesOf(box.holders, from, nowAt);
  const hours = Math.round((nowAt - since) / 3_600);
  const parts = shares.map(({ sellerName, percent }) => `${sellerName ?? 'nobody'} ${percent} %`);
  emit(comparison, {
    kind: 'buybox.rotation',
    before: observed(first?.name ?? null, from),
    value: box.holders.at(-1)?.name ?? null,
    rule: { name: 'rotation', threshold: { count: comparison.rules.rotation.count } },
    reason: `${rotations} ${rotations === 1 ? 'change' : 'changes'} of holder in ${hours} h: ${parts.join(', ')}`,
    shares,
  });
  return { ...box, summaryAtSeconds: nowAt };
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
