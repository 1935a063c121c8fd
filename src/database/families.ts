// Lanes, and the family of every table, with which the same schema runs on one server or is
// distributed over many by `lane`. The tidy test compares the migrated database with this list.

import { hash } from 'node:crypto';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';

export const LANES = 256;

/** Requests repeat the same accounts and products: hashing takes 2.2 µs, a cached lane less. */
const lanes = boundedCache<string, number>(bounds.lanesCachedMax);

/**
 * The lane of a key: the first byte of its SHA-256. It never changes, because rows are stored by
 * it. In SQL: get_byte(sha256(convert_to(key, 'UTF8')), 0), which is how doctor checks it.
 */
export function lane(key: string): number {
  const cached = lanes.get(key);
  if (cached !== undefined) return cached;
  const computed = hash('sha256', key, 'buffer')[0] as number;
  lanes.set(key, computed);
  return computed;
}

/** One of `count` equal parts of the lanes, for work that processes divide among them. */
export type LaneShare = { index: number; count: number };
export const ALL_LANES: LaneShare = { index: 0, count: 1 };

export function lanesOf({ index, count }: LaneShare): number[] {
  return Array.from({ length: LANES }, (_, number) => number).filter(
    (number) => number % count === index,
  );
}

/**
 * - account, product: rows are in the lane of their account or product; only tables of one family
 *   are joined or committed together.
 * - look-up: rows are in the lane of their own key and point into a family. A quarantined item's
 *   key is its account or product, so that it is committed with the row removed from its loop.
 */
export type Family = 'account' | 'product' | 'look-up';

export type TableKind =
  | { kind: 'lane'; family: Family }
  /** Small and rarely written: a write goes to every node. No lane. */
  | { kind: 'reference' }
  /** On one node only. */
  | { kind: 'local' };

const account: TableKind = { kind: 'lane', family: 'account' };
const product: TableKind = { kind: 'lane', family: 'product' };
const lookUp: TableKind = { kind: 'lane', family: 'look-up' };
const reference: TableKind = { kind: 'reference' };
const local: TableKind = { kind: 'local' };

/**
 * Tables of sign-in, in a separate schema, in the order in which they refer to each other.
 */
export const SIGN_IN_TABLES: readonly string[] = [
  'auth.users',
  'auth.sessions',
  'auth.credentials',
  'auth.verifications',
  'auth.attempts',
];

export const TABLES: Readonly<Record<string, TableKind>> = {
  schema_migrations: local,
  leases: local,
  shared_rates: local,
  service_facts: local,
  operator_tokens: reference,
  plans: reference,
  accounts: account,
  api_keys: account,
  balances: account,
  ledger_entries: account,
  account_emails: lookUp,
  api_key_hashes: lookUp,
  products: product,
  history_runs: product,
  market_models: reference,
  sales_years: product,
  sales_habits: product,
  product_gtins: lookUp,
  product_facts: product,
  product_words: product,
  search_words: lookUp,
  tracked_products: account,
  tracked_days: account,
  paid_spans: account,
  account_rules: account,
  library_entries: account,
  watchers: product,
  watch_spans: product,
  served_days: product,
  collection_schedule: product,
  outgoing: product,
  crawl_tallies: local,
  quarantined_items: lookUp,
  webhooks: account,
  webhook_health: account,
  webhook_days: account,
  webhook_quotas: account,
  webhook_digests: account,
  events: account,
  deliveries: account,
  delivery_attempts: account,
};

/** Names that tables had before migration 92; backups made before it hold them. */
export const FORMER_TABLE_NAMES: readonly string[] = [
  'look_tallies',
  'series_runs',
  'sales_knowledge',
  'webhook_standings',
];
