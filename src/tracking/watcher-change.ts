// What an observation changes for one watcher: the events it emits and the state it leaves.
import type { Product } from '../catalog/product.ts';
import { isStatedSoldOut } from '../catalog/snapshot.ts';
import { detectChanges } from '../events/change-detection.ts';
import {
  type ConditionState,
  evaluateConditions,
  type MatchedRule,
} from '../events/condition-state.ts';
import { type DetectedEvent, detected, observed } from '../events/detected-event.ts';
import { RULE_MATCHED } from '../events/kind.ts';
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
): {
  events: readonly DetectedEvent[];
  state: PackedState | null;
  conditionState: string | null;
} {
  const before = watcher.state === null ? null : unpackState(watcher.state as PackedState);
  const { state, events } = detectChanges({
    state: before,
    before: null,
    observation,
    estimatedUnitsPerDay,
    watchedSeller: watcher.sellerName,
    rules: rulesOf(watcher),
  });
  const matched = matchesFor(watcher, observation, estimatedUnitsPerDay);
  return {
    events: matched.events.length === 0 ? events : [...events, ...matched.events],
    state: state === before ? null : packState(state),
    conditionState: matched.state,
  };
}

/**
 * The conditions of one watcher that became true. Whatever goes wrong here, the other events and
 * the slot are not affected.
 */
function matchesFor(
  watcher: Watcher,
  observation: ObservedState,
  estimatedUnitsPerDay: number | null,
): { events: readonly DetectedEvent[]; state: string | null } {
  const { conditions, conditionState, sellerName } = watcher;
  if (conditions === null) return { events: [], state: null };
  const { state, matched } = evaluateConditions({
    state: readConditionState(conditionState),
    conditions,
    observation,
    watchedSeller: sellerName,
    estimatedUnitsPerDay,
  });
  return {
    events: matched.map((rule) => matchedEvent(rule, observation)),
    state: JSON.stringify(state),
  };
}

/** A damaged state starts over with the present observation. */
function readConditionState(text: string | null): ConditionState | null {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

const matchedEvent = (rule: MatchedRule, { atSeconds }: ObservedState): DetectedEvent => ({
  ...detected({
    kind: RULE_MATCHED,
    before: observed(null, rule.beforeAtSeconds),
    after: observed(null, atSeconds),
    rule: { name: 'condition', threshold: null, id: rule.id, condition: rule.text },
  }),
  reason: `${rule.name}: ${Object.entries(rule.values)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? +value.toFixed(2) : value}`)
    .join(', ')}`,
});

export const rulesOf = ({ rules }: Watcher): Rules =>
  rules === null ? DEFAULT_RULES : readRules(rules);
