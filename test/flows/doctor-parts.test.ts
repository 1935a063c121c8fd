// doctor reads big tables in bounded parts, and a part that fails does not stop the others.
import { expect, test } from 'vitest';
import { findDayFaults } from '../../src/cli/check-days.ts';
import { countWrongLanes } from '../../src/cli/check-lanes.ts';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { createParts, STRICT } from '../../src/cli/parts.ts';
import { lane } from '../../src/database/families.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { accountWith } from '../support/charging.ts';
import { cloneDatabase, onStatement } from '../support/database.ts';

const { db } = await cloneDatabase({ isDurable: false });
const [few, many] = [await accountWith(db, 10), await accountWith(db, 100_000)];

/** Makes every statement fail that a condition holds for, as on a shard that is away. */
const failWhere = (condition: (text: string, values: readonly unknown[]) => boolean) =>
  onStatement(db, ({ what, values }) => {
    if (condition(typeof what === 'string' ? what : what.text, values)) throw new Error('away');
  });

test('balances are compared with any number of entries', async () => {
  await db.query(
    `insert into ledger_entries (lane, account_id, at, id, kind, credits, operation, reference)
     select b.lane, b.account_id, b.period_start_at + n * interval '1 ms', gen_random_uuid(),
            'request', -1, 'details', n::text
       from balances b, generate_series(1, 60000) as n where b.lane = $1 and b.account_id = $2`,
    [lane(many), many],
  );
  expect(await findLedgerFaults(db)).toMatchObject([{ accountId: many }]);
  await db.query('update balances set used = 60000 where account_id = $1', [many]);
  expect(await findLedgerFaults(db)).toEqual([]);
});

test('a balance that cannot be read does not hide another', async () => {
  await db.query('update balances set used = used + 1 where account_id = $1', [few]);
  // Only the account with many entries is read alone.
  failWhere((text, values) => values[1] === many && text.includes('order by at, id limit'));
  const parts = createParts('balances');
  const faults = await findLedgerFaults(db, { parts });
  onStatement(db, () => {});
  expect(faults).toMatchObject([{ accountId: few }]);
  expect(parts.failures).toEqual([`account ${many}: away`]);
});

test('lanes are checked key by key, in every table that can be read', async () => {
  const wrongLane = (lane('stray@example.com') + 1) % 256;
  await db.query(`insert into account_emails values ($1, 'stray@example.com', $2)`, [
    wrongLane,
    few,
  ]);
  const wrong = new Map([['account_emails', 1]]);
  expect(await countWrongLanes(db, STRICT)).toEqual(wrong);
  failWhere((text) => text.includes('from accounts t'));
  const parts = createParts('keys');
  expect(await countWrongLanes(db, parts)).toEqual(wrong);
  onStatement(db, () => {});
  expect(parts.failures).toHaveLength(db.groups.count());
  expect(parts.failures[0]).toMatch(/^accounts from lane -1, .*: away$/);
});

test('charged days are compared account by account when not all can be read together', async () => {
  const day = 20_000;
  for (const accountId of [few, many]) {
    await db.query(
      `insert into ledger_entries (lane, account_id, at, id, kind, credits, reference)
       select $1, $2, period_start_at, gen_random_uuid(), 'tracking', -10, 'tracking:1:${day}:0-10'
         from balances where account_id = $2`,
      [lane(accountId), accountId],
    );
  }
  const nowMs = (day + 1) * DAY_MS;
  expect(await findDayFaults(db, nowMs)).toHaveLength(2);
  failWhere((text, values) => text.includes('with booked') && String(values[1]).includes(many));
  const parts = createParts('accounts');
  expect(await findDayFaults(db, nowMs, { parts })).toMatchObject([{ accountId: few, day }]);
  onStatement(db, () => {});
  expect(parts.failures).toEqual([`days of account ${many}: away`]);
});
