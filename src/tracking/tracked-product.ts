// A tracked product, and its row in `tracked_products`.
import type { Tier } from './tier.ts';

export type TrackedProduct = {
  accountId: string;
  trackedId: string;
  code: string;
  tier: Tier;
  isSuspended: boolean;
  /** null: the account's seller, if it has one. */
  sellerName: string | null;
  /** The rules that differ from the defaults, as the customer sent them. */
  rules: Record<string, unknown> | null;
  createdAtMs: number;
  removedAtMs: number | null;
};

export type TrackedRow = {
  account_id: string;
  tracked_id: string;
  retailer_product_code: string;
  tier: Tier;
  is_suspended: boolean;
  seller_name: string | null;
  rules: Record<string, unknown> | null;
  created_at: number;
  removed_at: number | null;
};

export const fromRow = (row: TrackedRow): TrackedProduct => ({
  accountId: row.account_id,
  trackedId: row.tracked_id,
  code: row.retailer_product_code,
  tier: row.tier,
  isSuspended: row.is_suspended,
  sellerName: row.seller_name,
  rules: row.rules,
  createdAtMs: row.created_at,
  removedAtMs: row.removed_at,
});

export const COLUMNS = `account_id, tracked_id, retailer_product_code, tier, is_suspended, seller_name,
  rules, created_at, removed_at`;
