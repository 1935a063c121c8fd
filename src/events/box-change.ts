// Changes of the buybox itself: its price, and whether there is one at all.
import { type Comparison, emit, observedBeforeAtSeconds } from './comparison.ts';
import { observed } from './detected-event.ts';
import { afterHolder, type BoxStatus, boxlessReason, heldBefore } from './holder-change.ts';
import { freshCompleteOffers, isLive, isSoldOut, type ObservedState } from './observed-state.ts';
import { isPriceMove } from './rule.ts';
import type { BoxState, NotifiedPrice } from './watch-state.ts';

/**
 * Compares with the last notified price, so that slow creep is not lost and a wobble does not
 * repeat.
 */
export function afterPrice(
  notified: NotifiedPrice | null,
  comparison: Comparison,
): NotifiedPrice | null {
  const { observation, rules } = comparison;
  const cents = observation.buybox?.priceCents;
  if (cents === undefined) return notified;
  if (notified === null) return { cents, atSeconds: observation.atSeconds };
  if (!isPriceMove(rules.price, notified.cents, cents)) return notified;
  const { basisPoints, cents: leastCents } = rules.price;
  emit(comparison, {
    kind: cents < notified.cents ? 'price.drop' : 'price.increase',
    before: observed(notified.cents, notified.atSeconds),
    value: cents,
    rule: { name: 'price', threshold: { percent: basisPoints / 100, usd: leastCents / 100 } },
  });
  return { cents, atSeconds: observation.atSeconds };
}

export function boxStatusOf(observation: ObservedState): BoxStatus {
  if (observation.buybox) return 'held';
  if (isSoldOut(observation)) return 'gone';
  // A missing box beside offers carried from an earlier observation does not show which of them
  // ended.
  const offers = freshCompleteOffers(observation);
  // Without any offer there is no box, even if it was not observed. With offers it must be
  // observed.
  if (offers === undefined || (observation.buybox === undefined && offers.length > 0))
    return 'unseen';
  return offers.some(isLive) ? 'suppressed' : 'gone';
}

export function afterBox(
  box: BoxState | null,
  notified: NotifiedPrice | null,
  comparison: Comparison,
): BoxState | null {
  const boxStatus = boxStatusOf(comparison.observation);
  if (boxStatus === 'unseen') return box;
  if (box === null) return firstBox(boxStatus, comparison);
  const held = afterHolder(box, boxStatus, comparison);
  if (boxStatus === 'held') return afterReturn(held, comparison);
  if (boxStatus === 'suppressed') return afterSuppression(held, notified, comparison);
  return afterLoss(held, box, comparison);
}

function firstBox(boxStatus: BoxStatus, { observation }: Comparison): BoxState {
  const name = observation.buybox?.sellerName ?? null;
  const isKnown = boxStatus !== 'held' || name !== null;
  return {
    holders: isKnown ? [{ name, atSeconds: observation.atSeconds }] : [],
    lost: boxStatus === 'gone',
    suppressedAtSeconds: boxStatus === 'suppressed' ? observation.atSeconds : null,
    summaryAtSeconds: null,
  };
}

/** A box is present. */
function afterReturn(box: BoxState, comparison: Comparison): BoxState {
  if (!box.lost && box.suppressedAtSeconds === null) return box;
  const { observation, watchedSeller } = comparison;
  if (box.lost && watchedSeller === null) {
    const before = observed(null, observedBeforeAtSeconds(comparison));
    emit(comparison, { kind: 'buybox.won', before, value: observation.buybox?.sellerName ?? null });
  }
  if (box.suppressedAtSeconds !== null) {
    const before = observed(null, box.suppressedAtSeconds);
    emit(comparison, {
      kind: 'price.restored',
      before,
      value: observation.buybox?.priceCents ?? null,
    });
  }
  return { ...box, lost: false, suppressedAtSeconds: null };
}

function afterSuppression(
  box: BoxState,
  notified: NotifiedPrice | null,
  comparison: Comparison,
): BoxState {
  if (box.suppressedAtSeconds !== null) return box;
  const { observation, before } = comparison;
  const last = before?.buybox
    ? observed(before.buybox.priceCents, before.atSeconds)
    : observed(notified?.cents ?? null, notified?.atSeconds ?? observedBeforeAtSeconds(comparison));
  emit(comparison, { kind: 'price.suppressed', before: last, value: null });
  return { ...box, suppressedAtSeconds: observation.atSeconds };
}

/** No box and no live offers. A box that was already suppressed is not lost with the last offer. */
function afterLoss(box: BoxState, previous: BoxState, comparison: Comparison): BoxState {
  if (box.lost || box.suppressedAtSeconds !== null) return box;
  const { observation, watchedSeller } = comparison;
  if (watchedSeller === null) {
    const last = previous.holders.at(-1);
    emit(comparison, {
      kind: 'buybox.lost',
      before: last
        ? heldBefore(last, comparison)
        : observed(null, observedBeforeAtSeconds(comparison)),
      value: null,
      reason: boxlessReason(observation),
    });
  }
  return { ...box, lost: true };
}
