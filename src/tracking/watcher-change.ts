// What an observation changes for one watcher: the events it emits and the state it leaves.
import type { Product } from '../catalog/product.ts';
import { isStatedSoldOut } from '../catalog/snapshot.ts';
import { detectChanges } from '../events/change-detection.ts';
import type { DetectedEvent } from '../events/detected-event.ts';
import { carriedBox, type ObservedState, type Parts } from '../events/observed-state.ts';
import { readRules } from '../events/read-rules.ts';
import { DEFAULT_RULES, type Rules } from '../events/rule.ts';
import { type PackedState, packState, unpackState } from '../events/watch-state.ts';
import { SECOND_MS } from '../foundation/time.ts';
import type { Watcher } from './watcher.ts';

/** What an observation included, and whether it said that the product is sold out. */
export type ObservedParts = Parts & { soldOut: boolean };

/** A product after an observation, in the form that change detection compares. */
export function observedProduct(product: Product, observed: ObservedParts): ObservedState {
  return {
    atSeconds: Math.floor(product.observedAtMs / SECOND_MS),
    buybox: observed.buybox ? product.buybox : carriedBox(product.buybox, product),
    rank: product.rank ?? undefined,
    offers: product.offers
      .map(({ sellerName, priceCents, shippingCents, unitsInStock }) => ({
        sellerName,
        priceCents,
        shippingCents,
        unitsInStock,
      }))
      .sort((a, b) => (a.sellerName < b.sellerName ? -1 : 1)),
    offersComplete: product.offersComplete,
    soldOut: observed.soldOut,
    carried: { buybox: !observed.buybox, offers: !observed.offers, rank: !observed.rank },
  };
}

/**
 * The state of a new watcher: the product as it is, without events. Its rules and the estimated
 * sales decide whether stock is low already. The state does not depend on the watched seller.
 */
export function firstState(
  product: Product,
  input: { rules: Rules; estimatedUnitsPerDay: number | null },
): PackedState {
  const { state } = detectChanges({
    state: null,
    before: null,
    observation: observedProduct(product, {
      buybox: true,
      offers: true,
      rank: true,
      // Without an offer nothing may have been observed yet.
      soldOut: product.offers.length > 0 && isStatedSoldOut(product),
    }),
    watchedSeller: null,
    rules: input.rules,
    estimatedUnitsPerDay: input.estimatedUnitsPerDay,
  });
  return packState(state);
}

/** The events of one watcher and its new state; `state` is null when it did not change. */
export function changesFor(
  watcher: Watcher,
  observation: ObservedState,
  estimatedUnitsPerDay: number | null,
): { events: readonly DetectedEvent[]; state: PackedState | null } {
  const before = watcher.state === null ? null : unpackState(watcher.state as PackedState);
  const { state, events } = detectChanges({
    state: before,
    before: null,
    observation,
    estimatedUnitsPerDay,
    watchedSeller: watcher.sellerName,
    rules: rulesOf(watcher),
  });
  return { events, state: state === before ? null : packState(state) };
}

const rulesOf = ({ rules }: Watcher): Rules => (rules === null ? DEFAULT_RULES : readRules(rules));
