// A database of the previous release: its rows are in the renamed tables, and its processes
// continue to work beside new ones.
import { expect, test } from 'vitest';
import { lane } from '../../src/database/families.ts';
import { migrate } from '../../src/database/migrate.ts';
import { ensureDayPartition } from '../../src/database/partitions.ts';
import { CITUS_URL } from '../support/citus.ts';
import { cloneDatabase } from '../support/database.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { readReleasedStatements } from '../support/released-statements.ts';

const NOW = Date.parse('2026-11-14T12:00:00.000Z');
const AT = '2026-11-14T11:00:00.000Z';
const LAST_OF_THE_RELEASE_BEFORE = 91;
const [accountId, webhookId] = [
  'a0000000-0000-4000-8000-000000000001',
  'b0000000-0000-4000-8000-000000000001',
];
const CODE = '1001';

test('tables are renamed with their rows, and statements of the previous release still work', async () => {
  const { db } = await emptyDatabase();
  await migrate(db, NOW, { upTo: LAST_OF_THE_RELEASE_BEFORE });
  const account = [lane(accountId), accountId];
  await db.query(
    `insert into accounts (lane, account_id, email, created_at) values ($1, $2, 'a@example.com', $3)`,
    [...account, AT],
  );
  await db.query(
    `insert into webhooks (lane, account_id, webhook_id, place, name, url, created_at, secret)
     values ($1, $2, $3, 1, 'one', 'https://example.com/', $4, '\\x00')`,
    [...account, webhookId, AT],
  );
  const health = `insert into webhook_standings (lane, account_id, webhook_id, status, due_at, turn_at)
    values ($1, $2, $3, 'Active', $4, $4)`;
  await db.query(health, [...account, webhookId, AT]);
  const tally = `insert into look_tallies as t (source, stretch, looks, losses) values ('feed', 7, 5, 1)
    on conflict (source, stretch)
    do update set looks = t.looks + excluded.looks, losses = t.losses + excluded.losses`;
  await db.query(tally, []);
  const run = `insert into series_runs
      (lane, stream, looks, first_at, last_at, checksum, retailer_product_code, packed)
    values ($1, 0, $2, $3, $3, 1, $4, '\\x00')`;
  await db.query(run, [lane(CODE), 3, AT, CODE]);
  const model = `insert into sales_knowledge (version, fitted_at, products, looks, body)
    values ($1, $2, 1, 9, '{}')`;
  await db.query(model, [1, AT]);

  await migrate(db, NOW);

  const one = async (text: string) => (await db.query(text, []))[0];
  expect(await one('select snapshots, losses from crawl_tallies')).toEqual({
    snapshots: 5,
    losses: 1,
  });
  expect(await one('select observations from history_runs')).toEqual({ observations: 3 });
  expect(await one('select products, observations from market_models')).toMatchObject({
    products: 1,
  });
  expect(await one('select status, claimable_at from webhook_health')).toEqual({
    status: 'Active',
    claimable_at: Date.parse(AT),
  });

  // Statements of a process of the previous release after the migration.
  await db.query(tally, []);
  await db.query(run, [lane(CODE), 4, '2026-11-14T11:30:00.000Z', CODE]);
  await db.query(model, [2, AT]);
  await db.query(
    `update webhook_standings s set due_at = n.due_at, turn_at = greatest(n.due_at, s.turn_at)
       from unnest($1::uuid[], $2::timestamptz[]) as n(webhook_id, due_at)
      where s.lane = $3 and s.account_id = $4 and s.webhook_id = n.webhook_id`,
    [[webhookId], ['2026-11-14T11:30:00.000Z'], ...account],
  );
  const claimed = await db.query(
    `select s.webhook_id from webhook_standings s where s.turn_at <= $1
      order by s.turn_at limit 1 for no key update of s skip locked`,
    ['2026-11-14T12:00:00.000Z'],
  );
  expect(claimed).toEqual([{ webhook_id: webhookId }]);
  expect(await one('select snapshots, losses from crawl_tallies')).toEqual({
    snapshots: 10,
    losses: 2,
  });
  expect(await one('select sum(observations)::integer as sum from history_runs')).toEqual({
    sum: 7,
  });
  expect(await one('select count(*)::integer as count from market_models')).toEqual({ count: 2 });
  expect(await one('select due_at from webhook_health')).toEqual({
    due_at: Date.parse('2026-11-14T11:30:00.000Z'),
  });
});

// Citus runs on servers that explain no statement without its values.
test.skipIf(CITUS_URL !== undefined)(
  'every statement of the release before can still be run',
  async () => {
    const { db } = await cloneDatabase();
    const { statements } = readReleasedStatements();
    expect(statements.length).toBeGreaterThan(200);
    const broken: string[] = [];
    for (const text of statements) {
      await db.query(`explain (generic_plan) ${text}`).catch((error: Error) => {
        broken.push(`${error.message}: ${text}`);
      });
    }
    expect(broken).toEqual([]);
  },
);

test('charged days keep their rows when their table gets partitions', async () => {
  const { db } = await emptyDatabase();
  await migrate(db, NOW, { upTo: 97 });
  const insert = `insert into tracked_days
      (lane, account_id, retailer_product_code, day, credits_charged, settlement)
    select $1, $2, code, day, 10, 1
      from generate_series(1000, 1004) as code, generate_series(20000, 20001) as day`;
  await db.query(insert, [lane(accountId), accountId]);
  await migrate(db, NOW);
  const [counted] = await db.query<{ rows: number; tables: number }>(
    'select count(*) as rows, count(distinct tableoid) as tables from tracked_days',
    [],
  );
  expect(counted).toEqual({ rows: 10, tables: 1 });
  // Days to come are written beside them.
  await ensureDayPartition(db, 'tracked_days', 20002);
  await db.query(insert.replace('20000, 20001', '20002, 20003'), [lane(accountId), accountId]);
  expect(
    await db.query(
      `select tableoid::regclass::text as part, count(*) as rows from tracked_days
        group by 1 order by 1`,
      [],
    ),
  ).toEqual([
    { part: 'tracked_days_2024_10_06', rows: 5 },
    { part: 'tracked_days_rest', rows: 15 },
  ]);
  // A day that has rows already keeps its place.
  await expect(ensureDayPartition(db, 'tracked_days', 20003)).rejects.toThrow('would be violated');
});
