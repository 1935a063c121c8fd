// A detected event: its kind, the rule that fired, and the values before and after. Stored as JSON
// in the outbox, so its member names must not change.
import type { EventKind } from './kind.ts';

/** A value in the unit of the kind (null: none) and when it was observed, in milliseconds. */
export type ObservedValue = { value: number | string | null; observedAt: number };

/** The member of `rules` that fired; `any_change` where there is no threshold. */
export type RuleName =
  | 'any_change'
  | 'price'
  | 'seller_price'
  | 'stock_low'
  | 'rank'
  | 'rank_crossing'
  | 'rotation'
  | 'condition';

export type FiredRule = {
  name: RuleName;
  /** In the customer's terms: percent, usd, units, days, places, count, top. */
  threshold: Readonly<Record<string, number>> | null;
  /** The rule for many products whose condition became true. */
  id?: string;
  condition?: string;
};

/** Share of a period in which a seller (null: nobody) held the buybox. */
export type HolderShare = { sellerName: string | null; percent: number };

export type DetectedEvent = {
  kind: EventKind;
  rule: FiredRule;
  /** A sentence for people; null where the kind is enough. */
  reason: string | null;
  before: ObservedValue;
  after: ObservedValue;
  /** The seller of a seller event. */
  sellerName: string | null;
  /** Only in a summary of rotations; largest first. */
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
