// What detection finds: one event, the rule that made it worth telling, and both observations.
import type { EventKind } from './kind.ts';

/** What was seen, in the unit of the kind, and when; null: nothing there. */
export type ObservedValue = { value: number | string | null; observedAt: number };

/** The member of `rules` that decided; `any_change` where there is no threshold. */
export type RuleName =
  | 'any_change'
  | 'price'
  | 'seller_price'
  | 'stock_low'
  | 'rank'
  | 'rank_crossing'
  | 'rotation';

export type FiredRule = {
  name: RuleName;
  /** As the customer writes it: percent, usd, units, days, places, count, top. */
  threshold: Readonly<Record<string, number>> | null;
};

/** How much of a stretch of time a seller, or nobody, had the buybox. */
export type HolderShare = { sellerName: string | null; percent: number };

export type DetectedEvent = {
  kind: EventKind;
  rule: FiredRule;
  /** For people; null where the kind says it all. */
  reason: string | null;
  before: ObservedValue;
  after: ObservedValue;
  /** Whom it is about: the seller of a seller event. */
  sellerName: string | null;
  /** Only of a summary of rotations, greatest first. */
  shares: readonly HolderShare[] | null;
};

export const ANY_CHANGE: FiredRule = { name: 'any_change', threshold: null };

export const observed = (value: ObservedValue['value'], atSeconds: number): ObservedValue => ({
  value,
  observedAt: atSeconds * 1_000,
});

type EventDraft = Pick<DetectedEvent, 'kind' | 'before' | 'after'> & Partial<DetectedEvent>;

export function detected(draft: EventDraft): DetectedEvent {
  return {
    kind: draft.kind,
    rule: draft.rule ?? ANY_CHANGE,
    reason: draft.reason ?? null,
    before: draft.before,
    after: draft.after,
    sellerName: draft.sellerName ?? null,
    shares: draft.shares ?? null,
  };
}
