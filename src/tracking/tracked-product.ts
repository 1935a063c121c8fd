// A tracked product, and its row in `tracked_products`.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
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
  /** Labels of the customer's own; they select products for rules and webhooks. */
  tags: readonly string[];
  /** Any JSON object of the customer's own, sent with the product's events. */
  metadata: Record<string, unknown> | null;
  /** When tracking ends by itself; null: never. */
  endsAtMs: number | null;
  createdAtMs: number;
  removedAtMs: number | null;
};

/** Whether tracking has ended by its time, though the loop has not removed it yet. */
export const isEnded = ({ endsAtMs }: TrackedProduct, nowMs: number): boolean =>
  endsAtMs !== null && endsAtMs <= nowMs;

export type TrackedRow = {
  account_id: string;
  tracked_id: string;
  retailer_product_code: string;
  tier: Tier;
  is_suspended: boolean;
  seller_name: string | null;
  rules: Record<string, unknown> | null;
  tags: string[];
  metadata: Record<string, unknown> | null;
  ends_at: number | null;
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
  tags: row.tags,
  metadata: row.metadata,
  endsAtMs: row.ends_at,
  createdAtMs: row.created_at,
  removedAtMs: row.removed_at,
});

export const COLUMNS = `account_id, tracked_id, retailer_product_code, tier, is_suspended, seller_name,
  rules, tags, metadata, ends_at, created_at, removed_at`;

export type TrackedKey = Pick<TrackedProduct, 'accountId' | 'trackedId'>;

export const keyOf = (key: TrackedKey) => [lane(key.accountId), key.accountId, key.trackedId];

/** The keys of rows as parameters of a statement for many: lanes, accounts, ids. */
export const keyArrays = (keys: readonly TrackedKey[]) => [
  plainArray(keys.map(({ accountId }) => lane(accountId))),
  plainArray(keys.map(({ accountId }) => accountId)),
  plainArray(keys.map(({ trackedId }) => trackedId)),
];

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
const time = (atMs: number | null) => (atMs === null ? 'NULL' : isoTime(atMs));

/** Whole rows: the lane and `COLUMNS`. */
export const rowArrays = (rows: readonly TrackedProduct[]) => [
  ...keyArrays(rows),
  plainArray(rows.map(({ code }) => code)),
  plainArray(rows.map(({ tier }) => tier)),
  plainArray(rows.map(({ isSuspended }) => String(isSuspended))),
  textArray(rows.map(({ sellerName }) => sellerName)),
  textArray(rows.map(({ rules }) => json(rules))),
  // Lists of different lengths make no array: each is one value, as JSON. Citus refuses an update
  // that casts a text of each row to an array, because this cast is not immutable.
  textArray(rows.map(({ tags }) => json(tags))),
  textArray(rows.map(({ metadata }) => json(metadata))),
  plainArray(rows.map(({ endsAtMs }) => time(endsAtMs))),
  plainArray(rows.map(({ createdAtMs }) => time(createdAtMs))),
  plainArray(rows.map(({ removedAtMs }) => time(removedAtMs))),
];

/** `rowArrays` as rows under the alias `n`. */
export const ROWS = `unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[],
              $6::boolean[], $7::text[], $8::text[]::jsonb[], $9::text[]::jsonb[],
              $10::text[]::jsonb[],
              $11::timestamptz[], $12::timestamptz[], $13::timestamptz[])
         as n(lane, ${COLUMNS.replace('tags', 'tags_json')})
    cross join lateral (
      select array(select jsonb_array_elements_text(n.tags_json)) as tags) as lists`;
