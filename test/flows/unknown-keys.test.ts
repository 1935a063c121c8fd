// Keys with a valid checksum that do not exist: a flood of them costs few database reads and blocks
// no valid key.
import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { createCallers } from '../../src/accounts/callers.ts';
import { createGuardedLookUp } from '../../src/accounts/guarded-look-up.ts';
import { createMissBudget } from '../../src/accounts/miss-budget.ts';
import { newSecret } from '../../src/foundation/secret.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const { db, clock } = service.app;
const FLOOD = 3_000;

/** A database that counts the statements that read. */
function counted() {
  let reads = 0;
  const read: typeof db.read = (what, values) => {
    reads += 1;
    return db.read(what, values);
  };
  return { db: { ...db, read }, reads: () => reads };
}

describe('a flood of unknown keys from one address', () => {
  test('causes a bounded number of reads, and valid keys that are not cached work', async () => {
    const customers = [await service.newCustomer(), await service.newCustomer()];
    const counting = counted();
    const callers = createCallers({ db: counting.db, clock });
    const flooder = { ip: '198.51.100.7' };
    const flood = Promise.all(
      Array.from({ length: FLOOD }, async (_, n) => {
        // Over some turns of the event loop, as requests arrive.
        for (let turns = n % 50; turns > 0; turns--) await new Promise(setImmediate);
        return callers.identify(newSecret('ovs_'), flooder);
      }),
    );
    const [here, elsewhere] = await Promise.all([
      callers.identify(customers[0]?.apiKey ?? '', flooder),
      callers.identify(customers[1]?.apiKey ?? '', { ip: '203.0.113.9' }),
    ]);
    expect(here?.account.accountId).toBe(customers[0]?.accountId);
    expect(elsewhere?.account.accountId).toBe(customers[1]?.accountId);
    expect((await flood).every((caller) => caller === null)).toBe(true);
    const late = await createApiKey(db, {
      accountId: customers[0]?.accountId ?? '',
      name: 'made later',
      now: clock.nowMs(),
    });
    const lateCaller = await callers.identify(late.apiKey, flooder);
    expect(lateCaller?.keyId).toBe(late.keyId);
    // Few batches per lane group; without a limit there were as many as turns.
    expect(counting.reads()).toBeLessThan(40 * db.groups.count());
  });

  test('over HTTP: 401 for the flood, 200 for a valid key at the same time', async () => {
    const customer = await service.newCustomer();
    const get = (apiKey: string) =>
      service.server.inject({ url: '/user/credits', headers: { 'x-api-key': apiKey } });
    const flood = Promise.all(Array.from({ length: 300 }, () => get(newSecret('ovs_'))));
    expect((await get(customer.apiKey)).statusCode).toBe(200);
    expect(new Set((await flood).map((reply) => reply.statusCode))).toEqual(new Set([401]));
    expect((await get(customer.apiKey)).statusCode).toBe(200);
  });

  test('a repeated unknown key is looked up once', async () => {
    const counting = counted();
    const callers = createCallers({ db: counting.db, clock });
    const apiKey = newSecret('ovs_');
    for (let tries = 0; tries < 20; tries++) {
      expect(await callers.identify(apiKey, { ip: '203.0.113.8' })).toBeNull();
    }
    expect(counting.reads()).toBeLessThanOrEqual(3);
  });
});

test('valid secrets use no budget, and IPv6 addresses of one network share a budget', async () => {
  const rounds: number[] = [];
  const lookUp = createGuardedLookUp<string>({
    name: 'test',
    prefix: 'ovt_',
    load: async (hashes) => {
      rounds.push(hashes.length);
      return hashes.map(() => null);
    },
  });
  const all = Array.from({ length: 400 }, async (_, n) => {
    for (let turns = n; turns > 0; turns--) await new Promise(setImmediate);
    return lookUp.find(newSecret('ovt_'), { ip: `2001:db8:1:2::${(n % 250).toString(16)}` });
  });
  await Promise.all(all);
  expect(rounds.reduce((sum, size) => sum + size, 0)).toBe(400);
  expect(rounds.length).toBeLessThan(60);
});

test('a budget refills with time, even after a long flood', () => {
  let nowMs = 0;
  const budget = createMissBudget({ savedMax: 10, perSecond: 5 }, () => nowMs);
  for (let misses = 0; misses < 10; misses++) budget.spend('a');
  expect([budget.isSpent('a'), budget.isSpent('b')]).toEqual([true, false]);
  for (let misses = 0; misses < 1_000; misses++) budget.spend('a');
  nowMs += 2_500;
  expect(budget.isSpent('a')).toBe(false);
});
