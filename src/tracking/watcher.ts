// One account's watch of a product, as the product's side knows it: at which tier, and what it has been served.
import type { Tier } from './tier.ts';

export type Watcher = {
  code: string;
  accountId: string;
  trackedId: string;
  tier: Tier;
  isSuspended: boolean;
  /** From when on slots are due to it. */
  sinceAt: number;
  /** When a slot was served last, and the observation that is seen since; null before the first. */
  servedAt: number | null;
  seenAt: number | null;
  /** Slots served on the day that is counted, and on the one before. */
  countedOn: number | null;
  slotsServed: number;
  slotsServedBefore: number;
  /** The last day whose charge was asked for. */
  chargedOn: number | null;
  /** The seller whose buybox is watched; null: none. */
  sellerName: string | null;
  /** What differs from the default rules. */
  rules: Record<string, unknown> | null;
  /** What change detection remembers; null before the first look. */
  state: unknown;
};

/** What being served changes of a watcher. */
export type ServedState = Pick<
  Watcher,
  'servedAt' | 'seenAt' | 'countedOn' | 'slotsServed' | 'slotsServedBefore' | 'chargedOn' | 'state'
>;

export const servedState = (watcher: Watcher): ServedState => ({
  servedAt: watcher.servedAt,
  seenAt: watcher.seenAt,
  countedOn: watcher.countedOn,
  slotsServed: watcher.slotsServed,
  slotsServedBefore: watcher.slotsServedBefore,
  chargedOn: watcher.chargedOn,
  state: watcher.state,
});
