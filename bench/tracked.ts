// Writes any number of tracked products by SQL, with the rows that adding, collecting and charging
// would have written.
import type { QueryConfig } from 'pg';
import { productAfter } from '../src/catalog/product.ts';
import type { Database } from '../src/database/database.ts';
import { DEFAULT_RULES } from '../src/events/rule.ts';
import { isoTime } from '../src/foundation/clock.ts';
import { DAY_MS } from '../src/foundation/time.ts';
import { intervalSeconds, type Tier } from '../src/tracking/tier.ts';
import { firstState } from '../src/tracking/watcher-change.ts';
import { snapshotOf } from './premade.ts';

/** Tiers of ten products; on average one product is collected 5.2 times a day. */
const TIERS_OF_TEN: readonly Tier[] = [0, 1, 2, 2, 3, 3, 4, 4, 4, 4];

/** Collections due per second. */
export const duePerSecond = (products: number) =>
  (TIERS_OF_TEN.reduce<number>((sum, tier) => sum + 1 / intervalSeconds(tier), 0) / 10) * products;

export type Tracking = {
  firstCode: number;
  products: number;
  accountIds: readonly string[];
  /** Time in ms: everything was collected in the slot before it, and nothing is due. */
  at: number;
};

const PRODUCTS_PER_STATEMENT = 50_000;
const QUERY_TIMEOUT_MS = 600_000;

/** Runs long statements, such as filling and vacuuming, without a statement timeout. */
export async function runLong(
  db: Database,
  statements: readonly { text: string; values?: unknown[] }[],
): Promise<void> {
  const client = await db.connect();
  try {
    await client.query('set statement_timeout = 0');
    for (const one of statements) {
      const query: QueryConfig & { query_timeout: number } = {
        ...one,
        query_timeout: QUERY_TIMEOUT_MS,
      };
      await client.query(query);
    }
  } finally {
    client.release(true);
  }
}

const LANE = (key: string) => `get_byte(sha256(convert_to(${key}, 'UTF8')), 0)`;

/**
 * One row per product with its account, tier, interval and last slot, as slot.ts and tier.ts
 * compute.
 */
const ROWS = `
  with numbered as materialized (
    select n, $6::text as state, ($1::bigint + n)::text collate "C" as code,
           sha256(convert_to(($1::bigint + n)::text, 'UTF8')) as hash,
           (array[${TIERS_OF_TEN}])[1 + n % 10] as tier,
           (array[${TIERS_OF_TEN.map(intervalSeconds)}])[1 + n % 10] as seconds,
           ($5::uuid[])[1 + (n / 10) % cardinality($5::uuid[])] as account_id
      from generate_series($2::bigint, $3::bigint) as n),
  rows as materialized (
    select code, tier, seconds, account_id, state, get_byte(hash, 0) as lane,
           ${LANE('account_id::text')} as account_lane,
           md5(code || account_id)::uuid as tracked_id,
           to_timestamp($4::bigint - ($4::bigint - (
             (get_byte(hash, 1)::bigint << 24) + (get_byte(hash, 2) << 16)
               + (get_byte(hash, 3) << 8) + get_byte(hash, 4)) % 86400) % seconds) as slot_at
      from numbered)`;

const INTO = {
  schedule: `insert into collection_schedule (lane, retailer_product_code, interval_seconds, due_at,
                                              last_collected_at, is_tracked)
    select lane, code, seconds, slot_at + seconds * interval '1 second', slot_at, true from rows`,
  watchers: `insert into watchers (lane, retailer_product_code, account_id, tracked_id, tier,
      is_suspended, slots_served, slots_served_before, counted_on, charged_on, served_at, seen_at,
      since_at, state)
    select lane, code, account_id, tracked_id, tier, false, 1, 86400 / seconds,
           extract(epoch from slot_at)::bigint / 86400, extract(epoch from slot_at)::bigint / 86400,
           slot_at, slot_at, slot_at - interval '9 days', state from rows`,
  trackedProducts: `insert into tracked_products (lane, account_id, tracked_id, tier, is_suspended,
                                                  is_pending, created_at, retailer_product_code)
    select account_lane, account_id, tracked_id, tier, false, false, slot_at - interval '9 days',
           code from rows`,
  trackedDays: `insert into tracked_days (lane, account_id, retailer_product_code, day,
                                          credits_charged)
    select account_lane, account_id, code, $4::bigint / 86400 - ago, 10
      from rows, generate_series(0, 1) as ago`,
};

/** The tables of tracked products. */
export const TRACKED_TABLES = [
  'tracked_products',
  'tracked_days',
  'watchers',
  'collection_schedule',
] as const;

/** Fills the schedule, and with `whole` also tracked products, watchers and two charged days. */
export async function fillTracked(
  db: Database,
  tracking: Tracking,
  { whole }: { whole: boolean },
): Promise<void> {
  const state = JSON.stringify(
    firstState(productAfter(undefined, snapshotOf(String(tracking.firstCode), tracking.at)), {
      rules: DEFAULT_RULES,
      estimatedUnitsPerDay: null,
    }),
  );
  const into = whole ? Object.values(INTO) : [INTO.schedule];
  await db.query(`truncate ${TRACKED_TABLES.join(', ')}, outgoing`);
  for (let from = 0; from < tracking.products; from += PRODUCTS_PER_STATEMENT) {
    const to = Math.min(from + PRODUCTS_PER_STATEMENT, tracking.products) - 1;
    const values = [
      tracking.firstCode,
      from,
      to,
      Math.floor(tracking.at / 1_000),
      tracking.accountIds,
      state,
    ];
    await runLong(
      db,
      into.map((insert) => ({ text: `${ROWS} ${insert}`, values })),
    );
  }
  await runLong(
    db,
    TRACKED_TABLES.map((table) => ({ text: `vacuum analyze ${table}` })),
  );
}

/** Writes the outbox rows that charge a day for every tracked product. */
export async function fillOutgoing(
  db: Database,
  { day, at }: { day: number; at: number },
): Promise<void> {
  await runLong(db, [
    {
      text: `insert into outgoing (lane, retailer_product_code, account_id, tracked_id, tier, day,
                                   at, kind)
             select lane, retailer_product_code, account_id, tracked_id, tier, $1, $2, 'served'
               from watchers`,
      values: [day, isoTime(at)],
    },
    { text: 'vacuum analyze outgoing' },
  ]);
}

export const startOfDayMs = (atMs: number) => atMs - (atMs % DAY_MS);
