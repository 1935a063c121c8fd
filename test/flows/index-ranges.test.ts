// The queries of big tables, explained: each reads a range of an index, in the order of the index,
// and neither a whole table nor all rows of an account. `npm run bench -- growth` has the figures.
import { expect, it } from 'vitest';
import { listProducts } from '../../src/catalog/products.ts';
import { LEDGER_TABLE, listEntries, readPaidForProduct } from '../../src/credits/ledger.ts';
import type { Database } from '../../src/database/database.ts';
import { lane } from '../../src/database/families.ts';
import { ensureMonthPartitions } from '../../src/database/partitions.ts';
import { EVENTS_TABLE, listEvents, listNewestEvents } from '../../src/events/events.ts';
import { isoTime } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { listOutdated } from '../../src/sales/daily-sales.ts';
import { listPending } from '../../src/tracking/pending-products.ts';
import { listTracked } from '../../src/tracking/tracked-products.ts';
import { ATTEMPTS_TABLE, listAttempts, listAttemptsOf } from '../../src/webhooks/attempts.ts';
import { DELIVERIES_TABLE, readDelivery } from '../../src/webhooks/deliveries.ts';
import { deleteOldDays } from '../../src/webhooks/success-rates.ts';
import { cloneDatabase, onStatement } from '../support/database.ts';

const NOW = Date.parse('2026-11-14T12:00:00.000Z');
const accountId = newId();
const webhookId = newId();
const of = { accountId, limit: 50 };
const newest = { ...of, oldestAtMs: NOW - 30 * DAY_MS };

/** Each query with the columns of the index that it has to use. */
const QUERIES: readonly [string, RegExp, (db: Database) => Promise<unknown>][] = [
  ['products by rank', /products_by_rank/, (db) => listProducts(db, 20)],
  [
    'estimates of an older model',
    /sales_habits_by_version/,
    (db) => listOutdated(db, { version: 3, limit: 20, exceptCodes: [], lanes: [1] }),
  ],
  ['tracked list', /tracked_list/, (db) => listTracked(db, of)],
  ['changes to sync', /tracked_pending/, (db) => listPending(db, { limit: 9, exceptIds: [] })],
  ['ledger page', /ledger_entries_\w+_pkey/, (db) => listEntries(db, of)],
  [
    'ledger by kind',
    /ledger_entries_\w+_kind_at_id_idx/,
    (db) => listEntries(db, { ...of, kind: 'refund' }),
  ],
  [
    'slots of an operation',
    /ledger_entries_\w+_kind_operation_at_idx/,
    (db) => listEntries(db, { ...of, operation: 'fees' }),
  ],
  [
    'slots of an event',
    /delivery_attempts_\w+_kind\w*_idx/,
    (db) => listAttempts(db, { ...of, webhookId, kind: 'stock.out' }),
  ],
  [
    'paid for a product',
    /ledger_entries_\w+_retailer_product_cod\w*_idx/,
    (db) =>
      readPaidForProduct(db, {
        accountId,
        productCode: '1',
        operations: ['price-history'],
        fromAtMs: NOW - DAY_MS,
        toAtMs: NOW,
      }),
  ],
  ['events page', /events_\w+_pkey/, (db) => listNewestEvents(db, newest)],
  [
    'events by kind',
    /events_\w+_kind_at_event_id_idx/,
    (db) => listNewestEvents(db, { ...newest, kind: 'stock.out' }),
  ],
  [
    'events by code',
    /events_\w+_retailer_product_code\w*_idx/,
    (db) => listNewestEvents(db, { ...newest, code: '1' }),
  ],
  [
    'events by kind and code',
    /events_\w+_retailer_product_code\w*_idx/,
    (db) => listNewestEvents(db, { ...newest, kind: 'stock.out', code: '1' }),
  ],
  ['events to recover', /events_\w+_recorded_at_event_id_idx/, (db) => listEvents(db, of)],
  ['attempts page', /delivery_attempts_\w+_pkey/, (db) => listAttempts(db, { ...of, webhookId })],
  [
    'attempts of a delivery',
    /delivery_attempts_\w+_pkey/,
    (db) =>
      listAttemptsOf(db, {
        accountId,
        webhookId,
        deliveryId: newId(),
        sinceAtMs: NOW,
        attemptTimes: ['2026-11-14T12:00:00Z'],
      }),
  ],
  [
    'one delivery',
    /deliveries_\w+_pkey/,
    (db) => readDelivery(db, { accountId, deliveryId: newId() }),
  ],
  ['days of webhooks to delete', /webhook_days_by_day/, (db) => deleteOldDays(db, NOW)],
];

const { db } = await cloneDatabase();
// Without rows one index is as good as another.
await db.query(
  `insert into sales_habits (lane, retailer_product_code, knowledge_version, habit)
   select n % 256, n, 3, '{}' from generate_series(1, 5000) as n`,
);
await db.query('analyze sales_habits');
const months = { fromMs: NOW - 31 * DAY_MS, toMs: NOW };
for (const table of [LEDGER_TABLE, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE]) {
  await ensureMonthPartitions(db, table, months);
}
// More than a page reads before it searches for slots.
const rows = `generate_series(1, 250) as n`;
await db.query(
  `insert into ledger_entries (lane, account_id, at, id, kind, credits, operation, reference)
   select $1, $2, $3::timestamptz - n * interval '1 minute', gen_random_uuid(), 'request', -1,
          'details', '' from ${rows}`,
  [lane(accountId), accountId, isoTime(NOW)],
);
await db.query(
  `insert into delivery_attempts (lane, account_id, webhook_id, at, attempt_id, delivery_id,
                                  event_id, attempt, payload_bytes, kind, endpoint, outcome)
   select $1, $2, $3, $4::timestamptz - n * interval '1 minute', gen_random_uuid(), $3, $3, 1, 1,
          'buybox.lost', '', 'success' from ${rows}`,
  [lane(accountId), accountId, webhookId, isoTime(NOW)],
);

/** The plan of each statement of a query, with whole tables and sorting as the last resort. */
async function plansOf(run: (db: Database) => Promise<unknown>): Promise<string[]> {
  const sent: { text: string; values: readonly unknown[] }[] = [];
  onStatement(db, ({ what, values }) => {
    sent.push({ text: typeof what === 'string' ? what : what.text, values });
  });
  await run(db);
  onStatement(db, () => {});
  const client = await db.connect();
  await client.query(
    'set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off',
  );
  const plans: string[] = [];
  for (const { text, values } of sent) {
    const { rows } = await client.query({ text: `explain ${text}`, values: [...values] });
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  client.release(true);
  return plans;
}

it.each(QUERIES)('%s: reads a range of its index', async (name, index, run) => {
  const plans = await plansOf(run);
  expect(plans.some((plan) => index.test(plan))).toBe(true);
  const page = plans.find((plan) => index.test(plan)) as string;
  expect(page).not.toContain('Seq Scan');
  // Candidates by rank, the pages of several kinds and slots are few, and sorted afterwards.
  if (!/by rank|by kind$|^slots/.test(name)) expect(page).not.toMatch(/^(\s*->)?\s*Sort {2}\(/m);
});
