// The buybox itself: its price, and whether there is one at all.
import { type Comparison, lookedBeforeAt, tell } from './comparison.ts';
import { observed } from './detected-event.ts';
import { afterHolder, type BoxSight, boxlessReason, heldBefore } from './holder-change.ts';
import { isLive, type ObservedLook, seenList } from './observed-look.ts';
import { isPriceMove } from './rule.ts';
import type { BoxState, ToldPrice } from './watch-state.ts';

/** Against the price last told, so that a slow creep is not lost and a wobble does not repeat. */
export function afterPrice(told: ToldPrice | null, comparison: Comparison): ToldPrice | null {
  const { look, rules } = comparison;
  const cents = look.buybox?.priceCents;
  if (cents === undefined) return told;
  if (told === null) return { cents, atSeconds: look.atSeconds };
  if (!isPriceMove(rules.price, told.cents, cents)) return told;
  const { basisPoints, cents: leastCents } = rules.price;
  tell(comparison, {
    kind: cents < told.cents ? 'price.drop' : 'price.increase',
    before: observed(told.cents, told.atSeconds),
    value: cents,
    rule: { name: 'price', threshold: { percent: basisPoints / 100, usd: leastCents / 100 } },
  });
  return { cents, atSeconds: look.atSeconds };
}

export function sightOf(look: ObservedLook): BoxSight {
  if (look.buybox) return 'held';
  // A box that is missing now and offers of an earlier look do not show which of both is gone.
  const offers = seenList(look);
  // Where nobody sells there is no box, looked at or not; otherwise one has to have looked.
  if (offers === undefined || (look.buybox === undefined && offers.length > 0)) return 'unseen';
  return offers.some(isLive) ? 'suppressed' : 'gone';
}

export function afterBox(
  box: BoxState | null,
  told: ToldPrice | null,
  comparison: Comparison,
): BoxState | null {
  const sight = sightOf(comparison.look);
  if (sight === 'unseen') return box;
  if (box === null) return firstBox(sight, comparison);
  const held = afterHolder(box, sight, comparison);
  if (sight === 'held') return afterReturn(held, comparison);
  if (sight === 'suppressed') return afterSuppression(held, told, comparison);
  return afterLoss(held, box, comparison);
}

function firstBox(sight: BoxSight, { look }: Comparison): BoxState {
  const name = look.buybox?.sellerName ?? null;
  const isKnown = sight !== 'held' || name !== null;
  return {
    holders: isKnown ? [{ name, atSeconds: look.atSeconds }] : [],
    lost: sight === 'gone',
    suppressedAtSeconds: sight === 'suppressed' ? look.atSeconds : null,
    summaryAtSeconds: null,
  };
}

/** There is a box. */
function afterReturn(box: BoxState, comparison: Comparison): BoxState {
  if (!box.lost && box.suppressedAtSeconds === null) return box;
  const { look, watchedSeller } = comparison;
  if (box.lost && watchedSeller === null) {
    const before = observed(null, lookedBeforeAt(comparison));
    tell(comparison, { kind: 'buybox.won', before, value: look.buybox?.sellerName ?? null });
  }
  if (box.suppressedAtSeconds !== null) {
    const before = observed(null, box.suppressedAtSeconds);
    tell(comparison, { kind: 'price.restored', before, value: look.buybox?.priceCents ?? null });
  }
  return { ...box, lost: false, suppressedAtSeconds: null };
}

function afterSuppression(box: BoxState, told: ToldPrice | null, comparison: Comparison): BoxState {
  if (box.suppressedAtSeconds !== null) return box;
  const { look, before } = comparison;
  const last = before?.buybox
    ? observed(before.buybox.priceCents, before.atSeconds)
    : observed(told?.cents ?? null, told?.atSeconds ?? lookedBeforeAt(comparison));
  tell(comparison, { kind: 'price.suppressed', before: last, value: null });
  return { ...box, suppressedAtSeconds: look.atSeconds };
}

/** Neither box nor live offers. A box that was suppressed before was not lost with the last offer. */
function afterLoss(box: BoxState, previous: BoxState, comparison: Comparison): BoxState {
  if (box.lost || box.suppressedAtSeconds !== null) return box;
  const { look, watchedSeller } = comparison;
  if (watchedSeller === null) {
    const last = previous.holders.at(-1);
    tell(comparison, {
      kind: 'buybox.lost',
      before: last ? heldBefore(last, comparison) : observed(null, lookedBeforeAt(comparison)),
      value: null,
      reason: boxlessReason(look.offers ?? []),
    });
  }
  return { ...box, lost: true };
}
