// A balance that another session has locked: only its account waits, and nothing is booked twice or
// out of order, however long the lock is held.
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Charging } from '../../src/credits/charge.ts';
import { lockFreeBalances } from '../../src/credits/ledger.ts';
import type { LedgerEntry } from '../../src/credits/settlement.ts';
import { lane } from '../../src/database/families.ts';
import { boundedInTime } from '../support/bounded-properties.ts';
import {
  accountWith,
  type Charged,
  chargeOf,
  compareWithLedger,
  entriesOf,
  expectSerial,
  openCharging,
} from '../support/charging.ts';
import { cloneDatabase } from '../support/database.ts';

const { db, connection } = await cloneDatabase();

const heldByOther = expect.objectContaining({
  kind: 'temporarily_unavailable',
  message: expect.stringContaining('holds the balance of this account'),
});

/** Locks these balances in another session; returns a function that releases them. */
async function hold(accountIds: readonly string[]): Promise<() => Promise<void>> {
  const client = await db.connect();
  let isHeld = true;
  await client.query('begin');
  await client.query('select from balances where account_id = any($1) for update', [accountIds]);
  const letGo = async () => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('commit');
    client.release();
  };
  onTestFinished(letGo);
  return letGo;
}

const chargeEach = (charging: Charging, entries: readonly LedgerEntry[]): Promise<Charged[]> =>
  Promise.all(entries.map(async (entry) => ({ entry, outcome: await charging.charge(entry) })));

describe('while one balance is held', () => {
  test('the charges of all others are booked or refused as usual', async () => {
    const charging = await openCharging(connection);
    const [held, rich, poor] = [
      await accountWith(db, 50),
      await accountWith(db, 500),
      await accountWith(db, 2),
    ];
    const letGo = await hold([held]);
    const waiting = charging.charge(chargeOf(held, 1));
    for (let round = 0; round < 5; round++) {
      const charged = await chargeEach(charging, [chargeOf(rich, 3), chargeOf(poor, 3)]);
      expect(charged.map(({ outcome }) => outcome.booked)).toEqual([true, false]);
    }
    expect(charging.held()).toBe(1);
    await letGo();
    expect(await waiting).toEqual({ booked: true, remaining: 49 });
  });

  test('the periods of others are refreshed, and its own requests for it share one connection', async () => {
    const charging = await openCharging(connection);
    const [held, other] = [await accountWith(db, 50), await accountWith(db, 500)];
    // Their periods end a millisecond after they were opened.
    await db.query(
      `update balances
          set anchor_at = updated_at + interval '1 ms', period_end_at = updated_at + interval '1 ms',
              period_start_at = period_start_at - interval '1 day'
        where account_id = any($1)`,
      [[held, other]],
    );
    const letGo = await hold([held]);
    const reads = Array.from({ length: 40 }, () => charging.freshBalance(held));
    expect(await charging.freshBalance(other)).toMatchObject({ used: 0 });
    expect(await charging.charge(chargeOf(other, 1))).toMatchObject({ booked: true });
    await letGo();
    const fresh = await Promise.all(reads);
    expect(new Set(fresh.map((balance) => balance?.periodEndAtMs)).size).toBe(1);
    expect(fresh[0]?.periodEndAtMs).toBeGreaterThan(Date.now());
  });

  test('its charges are refused in time, free, and work again after the release', async () => {
    const charging = await openCharging(connection, { heldMaxMs: 300 });
    const accountId = await accountWith(db, 50);
    const letGo = await hold([accountId]);
    await expect(charging.charge(chargeOf(accountId, 1))).rejects.toEqual(heldByOther);
    await letGo();
    const entry = chargeOf(accountId, 1);
    expect(await charging.charge(entry)).toEqual({ booked: true, remaining: 49 });
    expect(await entriesOf(db, accountId)).toEqual([entry]);
  });

  test('its charges keep their order', async () => {
    const charging = await openCharging(connection);
    const accountId = await accountWith(db, 30);
    const letGo = await hold([accountId]);
    const first = Array.from({ length: 5 }, () => charging.charge(chargeOf(accountId, 1)));
    await vi.waitFor(() => expect(charging.held()).toBe(5));
    const then = Array.from({ length: 5 }, () => charging.charge(chargeOf(accountId, 2)));
    await vi.waitFor(() => expect(charging.held()).toBe(10));
    await letGo();
    const outcomes = await Promise.all([...first, ...then]);
    expect(outcomes.map((one) => 'remaining' in one && one.remaining)).toEqual([
      29, 28, 27, 26, 25, 23, 21, 19, 17, 15,
    ]);
  });
});

test('an account held for a moment does not wait for many that stay held', async () => {
  const charging = await openCharging(connection, { heldMaxMs: 1_500 });
  const accountIds = await Promise.all(Array.from({ length: 20 }, () => accountWith(db, 10)));
  const moment = await accountWith(db, 10);
  await hold(accountIds);
  const refused = Promise.allSettled(accountIds.map((id) => charging.charge(chargeOf(id, 1))));
  await vi.waitFor(() => expect(charging.held()).toBe(20));
  const letGo = await hold([moment]);
  const waiting = charging.charge(chargeOf(moment, 1));
  await vi.waitFor(() => expect(charging.held()).toBe(21));
  await letGo();
  expect(await waiting).toEqual({ booked: true, remaining: 9 });
  expect(charging.held()).toBe(20);
  for (const one of await refused) expect(one).toMatchObject({ reason: heldByOther });
});

test('with any locks: outcomes as in some serial order, each charge in the ledger once', async () => {
  const charging = await openCharging(connection);
  const step = fc.record({
    account: fc.nat(2),
    cost: fc.integer({ min: 1, max: 9 }),
    pause: fc.boolean(),
    hold: fc.option(fc.nat(2), { nil: null }),
  });
  const property = fc.asyncProperty(
    fc.tuple(...[0, 1, 2].map(() => fc.nat(40))),
    fc.array(step, { minLength: 1, maxLength: 30 }),
    async (creditsOf, steps) => {
      const accountIds = await Promise.all(creditsOf.map((credits) => accountWith(db, credits)));
      const underWay: Promise<Charged>[] = [];
      let letGo = async () => {};
      for (const { account, cost, pause, hold: whom } of steps) {
        if (whom !== null) {
          await letGo();
          letGo = await hold([accountIds[whom] as string]);
        }
        underWay.push(
          ...[chargeOf(accountIds[account] as string, cost)].map(async (entry) => ({
            entry,
            outcome: await charging.charge(entry),
          })),
        );
        if (pause) await new Promise(setImmediate);
      }
      await letGo();
      const charged = await Promise.all(underWay);
      for (const [index, accountId] of accountIds.entries()) {
        const chargesOfAccount = charged.filter(({ entry }) => entry.accountId === accountId);
        expectSerial(creditsOf[index] as number, chargesOfAccount);
        await compareWithLedger(
          db,
          { accountId, credits: creditsOf[index] as number },
          chargesOfAccount,
        );
      }
    },
  );
  await fc.assert(property, {
    numRuns: 40,
    plugins: [boundedInTime(5_000)],
  });
});

test('free balances are locked without waiting, and locked ones are returned', async () => {
  // A transaction stays in one lane group.
  const held = await accountWith(db, 1);
  const groupOf = (accountId: string) => db.groups.groupOf(lane(accountId));
  let free = await accountWith(db, 2);
  while (groupOf(free) !== groupOf(held)) free = await accountWith(db, 2);
  let none = crypto.randomUUID();
  while (groupOf(none) !== groupOf(held)) none = crypto.randomUUID();
  await hold([held]);
  const locked = await db.transaction((tx) => lockFreeBalances(tx, [held, free, none]));
  expect([...locked.balances.keys()]).toEqual([free]);
  expect([...locked.held]).toEqual([held]);
});
