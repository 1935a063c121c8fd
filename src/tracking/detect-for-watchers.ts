// What a look at a product means to one who watches it: the events it gives, and what is remembered of it.
import type { Product } from '../catalog/product.ts';
import { detectChanges } from '../events/change-detection.ts';
import type { DetectedEvent } from '../events/detected-event.ts';
import { carriedBox, type ObservedState, type Parts } from '../events/observed-state.ts';
import { readRules } from '../events/read-rules.ts';
import { DEFAULT_RULES, type Rules } from '../events/rule.ts';
import { type PackedState, packState, unpackState } from '../events/watch-state.ts';
import type { Watcher } from './watcher.ts';

/** A product as it is known after a look, in the form that detection compares; `observed`: what that look saw of it. */
export function observedProduct(
  product: Product,
  observed: Parts = { buybox: true, offers: true, rank: true },
): ObservedState {
  return {
    atSeconds: Math.floor(product.observedAtMs / 1000),
    buybox: observed.buybox ? product.buybox : carriedBox(product.buybox, product),
    rank: product.rank ?? undefined,
    offers: product.offers
      .map(({ sellerName, priceCents, shippingCents, unitsInStock }) => ({
        ...{ sellerName, priceCents, shippingCents, unitsInStock },
      }))
      .sort((a, b) => (a.sellerName < b.sellerName ? -1 : 1)),
    offersComplete: product.offersComplete,
    carried: { buybox: !observed.buybox, offers: !observed.offers, rank: !observed.rank },
  };
}

/**
 * What a new watcher remembers from the start: the product as it is, told to nobody. Its rules and the usual sales say
 * whether the stock is low already. Nothing remembered depends on which seller is watched.
 */
export function firstState(
  product: Product,
  by: { rules: Rules; estimatedUnitsPerDay: number | null },
): PackedState {
  const first = {
    state: null,
    before: null,
    observation: observedProduct(product),
    watchedSeller: null,
  };
  return packState(detectChanges({ ...first, ...by }).state);
}

/** The events of one watcher, and what it remembers now; null when that is what it was. */
export function detectFor(
  watcher: Watcher,
  observation: ObservedState,
  estimatedUnitsPerDay: number | null,
): { events: readonly DetectedEvent[]; state: PackedState | null } {
  const known = watcher.state === null ? null : unpackState(watcher.state as PackedState);
  const { state, events } = detectChanges({
    ...{ state: known, before: null, observation, estimatedUnitsPerDay },
    watchedSeller: watcher.sellerName,
    rules: rulesOf(watcher),
  });
  return { events, state: state === known ? null : packState(state) };
}

const rulesOf = ({ rules }: Watcher): Rules => (rules === null ? DEFAULT_RULES : readRules(rules));
