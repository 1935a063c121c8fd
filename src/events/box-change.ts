// The buybox itself: its price, and whether there is one at all.
import { type Comparison, emit, observedBeforeAtSeconds } from './comparison.ts';
import { observed } from './detected-event.ts';
import { afterHolder, type BoxStatus, boxlessReason, heldBefore } from './holder-change.ts';
import { isLive, type ObservedState, seenList } from './observed-state.ts';
import { isPriceMove } from './rule.ts';
import type { BoxState, NotifiedPrice } from './watch-state.ts';

/** Against the price last told, so that a slow creep is not lost and a wobble does not repeat. */
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
  // A box that is missing now and offers of an earlier look do not show which of both is gone.
  const offers = seenList(observation);
  // Where nobody sells there is no box, looked at or not; otherwise one has to have looked.
  if (offers === undefined || (observation.buybox === undefined && offers.length > 0))
    return 'unseen';
  return offers.some(isLive) ? 'suppressed' : 'gone';
}

export function afterBox(
  box: BoxState | null,
  notified: NotifiedPrice | null,
  comparison: Comparison,
): BoxState | null {
  const boxState = boxStatusOf(comparison.observation);
  if (boxState === 'unseen') return box;
  if (box === null) return firstBox(boxState, comparison);
  const held = afterHolder(box, boxState, comparison);
  if (boxState === 'held') return afterReturn(held, comparison);
  if (boxState === 'suppressed') return afterSuppression(held, notified, comparison);
  return afterLoss(held, box, comparison);
}

function firstBox(boxState: BoxStatus, { observation }: Comparison): BoxState {
  const name = observation.buybox?.sellerName ?? null;
  const isKnown = boxState !== 'held' || name !== null;
  return {
    holders: isKnown ? [{ name, atSeconds: observation.atSeconds }] : [],
    lost: boxState === 'gone',
    suppressedAtSeconds: boxState === 'suppressed' ? observation.atSeconds : null,
    summaryAtSeconds: null,
  };
}

/** There is a box. */
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

/** Neither box nor live offers. A box that was suppressed before was not lost with the last offer. */
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
      reason: boxlessReason(observation.offers ?? []),
    });
  }
  return { ...box, lost: true };
}
