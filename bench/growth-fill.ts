// Fills the tables of the growth bench by SQL: few accounts, so that each has a hundredth of all
// rows, and per account the same number of rare rows whatever the size.
import type { Database } from '../src/database/database.ts';
import { ensureDayPartition, ensureMonthPartitions } from '../src/database/partitions.ts';
import { isoTime } from '../src/foundation/clock.ts';
import { DAY_MS } from '../src/foundation/time.ts';
import { dayOf } from '../src/tracking/slot.ts';
import { runLong } from './tracked.ts';

export const ACCOUNTS = 100;
/** Rare rows of each sort per account. */
const RARE = 40;
/** Days over which the rows of partitioned tables are spread. */
const SPREAD_DAYS = 45;
/** Few, so that both sides are loaded in the same order. */
const ROWS_PER_STATEMENT = 100_000;

/** What a side holds: its number of rows, and the instant everything was written before. */
export type Filled = { rows: number; atMs: number };

const LANE = (key: string) => `get_byte(sha256(convert_to(${key}, 'UTF8')), 0)::smallint`;

/** Number `n` of all rows is number `p` of its account; `turn` is below 4 for the rare ones. */
const NUMBERED = `
  numbered as (
    select n, a.lane, a.account_id, md5('webhook' || (n % ${ACCOUNTS}))::uuid as webhook_id,
           n % ${ACCOUNTS} as account, n / ${ACCOUNTS} as p,
           (n / ${ACCOUNTS}) % greatest(5, $4::bigint / ${ACCOUNTS * RARE}) as turn,
           date_trunc('milliseconds', $3::timestamptz
             + (n - $4::bigint) * (interval '${SPREAD_DAYS} days' / $4::bigint)) as at,
           lpad(to_hex(n), 32, '0')::uuid as id
      from generate_series($1::bigint, $2::bigint) as n
      join bench_accounts a on a.number = n % ${ACCOUNTS}
     order by n)`;

const INTO: Readonly<Record<string, string>> = {
  products: `
    insert into products (lane, retailer_product_code, categories, offers, offers_complete,
                          rank_position, rank_band, rank_category,
                          observed_at)
    select ${LANE('code')}, code, '[]', '[]', true, 1 + n / 20,
           length(ltrim((1 + n / 20)::integer::bit(32)::text, '0')) - 1, 'category ' || n % 20, at
      from (select n, at, (1000000000 + n)::text collate "C" as code from numbered) as product`,
  sales_habits: `
    insert into sales_habits (lane, retailer_product_code, knowledge_version, habit)
    select ${LANE('code')}, code, 3, '{"unitsPerDay":1}'
      from (select (1000000000 + n)::text collate "C" as code from numbered) as product`,
  tracked_products: `
    insert into tracked_products (lane, account_id, tracked_id, tier, is_suspended, is_pending,
                                  created_at, retailer_product_code)
    select lane, account_id, id, n % 5, turn = 0, false, at, (1000000000 + n)::text from numbered`,
  tracked_days: `
    insert into tracked_days (lane, account_id, retailer_product_code, day, credits_charged,
                              settlement)
    select lane, account_id, (1000000000 + n / 4)::text,
           floor(extract(epoch from $3::timestamptz) / 86400) - 3 + n % 4, 10,
           case when n % 4 < 2 then 1 else 0 end from numbered`,
  ledger_entries: `
    insert into ledger_entries (lane, account_id, at, id, kind, credits, operation, reference)
    select lane, account_id, at, id,
           case turn when 0 then 'grant' when 1 then 'tracking' when 2 then 'return'
                     when 3 then 'request'
                     -- Every other account hardly makes requests.
                     else case account % 2 when 0 then 'request' else 'tracking' end end,
           case when turn in (0, 2) then 5 else -5 end,
           case turn when 0 then null when 1 then 'tracking tier 2' when 2 then 'details'
                     when 3 then 'fees'
                     else case account % 2 when 0 then 'details' else 'tracking tier 1' end end,
           '' from numbered`,
  events: `
    insert into events (lane, account_id, at, recorded_at, event_id, tracked_id, kind,
                        retailer_product_code, payload)
    select lane, account_id, at, at, id, id,
           case when turn < 2 then 'stock.out' else 'buybox.lost' end,
           (case when turn between 1 and 2 then 1 else 1000 + p % 200 end)::text, '{}'
      from numbered`,
  deliveries: `
    insert into deliveries (lane, account_id, webhook_id, delivery_id, event_id, at, kind, state,
                            was_received, attempts, due_at)
    select lane, account_id, webhook_id, id, id, at,
           case when turn < 2 then 'stock.out' else 'buybox.lost' end,
           case when turn = 2 then 'pending' else 'succeeded' end, turn <> 2, 1,
           case when turn = 2 then at end
      from numbered`,
  delivery_attempts: `
    insert into delivery_attempts (lane, account_id, webhook_id, at, attempt_id, delivery_id,
                                   event_id, attempt, payload_bytes, kind, endpoint, outcome, reason)
    select lane, account_id, webhook_id, at, id, id, id, 1, 100,
           case when turn < 2 then 'stock.out' else 'buybox.lost' end, '', outcome,
           case when outcome = 'failed' then '' end
      from (select numbered.*,
                   case turn when 2 then 'pending'
                     -- Most attempts of every other account fail.
                     else case when (turn in (0, 3)) = (account % 2 = 0) then 'failed'
                               else 'success' end end as outcome
              from numbered) as attempt`,
};

const MONTHLY = ['ledger_entries', 'events', 'deliveries', 'delivery_attempts'];

/** Creates the accounts; returns their ids. Even ones come first in every pair. */
export async function fillAccounts(db: Database): Promise<string[]> {
  await db.query(
    `create table bench_accounts as
     select number, account_id, ${LANE('account_id::text')} as lane
       from (select number, md5('account' || number)::uuid as account_id
               from generate_series(0, ${ACCOUNTS - 1}) as number) as account`,
  );
  await db.query(
    `insert into accounts (lane, account_id, email, created_at)
     select lane, account_id, number || '@growth.example', now() from bench_accounts`,
  );
  const rows = await db.query<{ account_id: string }>(
    'select account_id from bench_accounts order by number',
  );
  return rows.map((row) => row.account_id);
}

export async function fillTable(db: Database, table: string, filled: Filled): Promise<void> {
  const { rows, atMs } = filled;
  if (MONTHLY.includes(table)) {
    await ensureMonthPartitions(db, table, { fromMs: atMs - SPREAD_DAYS * DAY_MS, toMs: atMs });
  }
  if (table === 'tracked_days') {
    for (const ago of [3, 2, 1, 0]) await ensureDayPartition(db, table, dayOf(atMs) - ago);
  }
  // Unlogged: half of the time to load, and nothing that is measured depends on it.
  await runLong(
    db,
    (await leavesOf(db, table)).map((leaf) => ({ text: `alter table ${leaf} set unlogged` })),
  );
  // Indexes are built afterwards, which takes a third of the time.
  const indexes = await readIndexes(db, table);
  await runLong(
    db,
    indexes.map(({ drop }) => ({ text: drop })),
  );
  for (let from = 0; from < rows; from += ROWS_PER_STATEMENT) {
    const to = Math.min(from + ROWS_PER_STATEMENT, rows) - 1;
    const text = `with ${NUMBERED} ${INTO[table]}`;
    await runLong(db, [{ text, values: [from, to, isoTime(atMs), rows] }]);
  }
  await runLong(db, [
    ...indexes.toReversed().map(({ create }) => ({ text: create })),
    { text: `vacuum analyze ${table}` },
  ]);
}

/** How to drop and create the indexes and foreign keys of a table. */
async function readIndexes(
  db: Database,
  table: string,
): Promise<{ drop: string; create: string }[]> {
  return db.query(
    `select format('alter table %s drop constraint %I', $1::text, conname) as drop,
            format('alter table %s add constraint %I %s', $1::text, conname, pg_get_constraintdef(oid))
              as create
       from pg_constraint where conrelid = $1::text::regclass and contype in ('p', 'u', 'f')
      union all
     select format('drop index %s', indexrelid::regclass), replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
       from pg_index i where indrelid = $1::text::regclass
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid
                           and c.conrelid = i.indrelid)`,
    [table],
  );
}

/** Removes everything again. */
export async function emptyTable(db: Database, table: string): Promise<void> {
  await runLong(db, [
    { text: `truncate ${table}` },
    { text: 'drop table if exists bench_accounts' },
    { text: `delete from accounts where email like '%@growth.example'` },
  ]);
}

export async function leavesOf(db: Database, table: string): Promise<string[]> {
  const rows = await db.query<{ leaf: string }>(
    `select relid::text as leaf from pg_partition_tree($1::regclass) where isleaf`,
    [table],
  );
  return rows.length === 0 ? [table] : rows.map(({ leaf }) => leaf);
}
