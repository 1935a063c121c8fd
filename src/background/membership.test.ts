// Several processes of one database: one holds a loop's lease, a dead one loses it, and all divide
// the lanes. Each membership is what one process has.
import { expect, test, vi } from 'vitest';
import { cloneDatabase } from '../../test/support/database.ts';
import { createLog } from '../foundation/log.ts';
import { createMembership } from './membership.ts';

const { db } = await cloneDatabase({ isDurable: false });
const deps = { db, log: createLog('silent') };
const LONG = { lifetimeMs: 60_000 };

test('one process holds a loop; when it stops, another takes over at its next renewal', async () => {
  const [first, second] = [
    createMembership(deps, 'all', LONG),
    createMembership(deps, 'all', LONG),
  ];
  for (const one of [first, second]) expect(one.holds('settle')).toBe(false);
  const running = [await first.start(), await second.start()];
  expect([first.holds('settle'), second.holds('settle')]).toEqual([true, false]);
  await second.renew();
  expect([first.holds('settle'), second.holds('settle')]).toEqual([true, false]);
  await running[0]?.stop();
  await second.renew();
  expect([first.holds('settle'), second.holds('settle')]).toEqual([false, true]);
  await running[1]?.stop();
});

test('the lease of a process that died expires by the clock of the database', async () => {
  const dead = createMembership(deps, 'worker', { lifetimeMs: 300 });
  const heir = createMembership(deps, 'worker', LONG);
  for (const one of [dead, heir]) one.holds('learn');
  await dead.renew();
  await heir.renew();
  expect([dead.holds('learn'), heir.holds('learn')]).toEqual([true, false]);
  await vi.waitFor(async () => {
    await heir.renew();
    expect(heir.holds('learn')).toBe(true);
  });
  // The dead one stops by itself, without the database.
  expect(dead.holds('learn')).toBe(false);
  await (await heir.start()).stop();
});

test('workers divide the lanes without overlap; API processes only count as alive', async () => {
  const workers = ['all', 'worker', 'worker'] as const;
  const members = [...workers, 'api' as const].map((role) => createMembership(deps, role, LONG));
  const running = [];
  for (const member of members) running.push(await member.start());
  for (const member of members) await member.renew();
  const shares = members.slice(0, 3).map((member) => member.share());
  expect(shares.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
  expect(shares.map(({ count }) => count)).toEqual([3, 3, 3]);
  expect(members.map((member) => member.processCount())).toEqual([4, 4, 4, 4]);
  for (const loop of running) await loop.stop();
  const [left] = await db.query<{ n: number }>('select count(*) as n from leases');
  expect(left?.n).toBe(0);
});
