// The commands quarantine list, retry and drop.
import { expect, it } from 'vitest';
import { countQuarantined } from '../../src/background/quarantined-items.ts';
import type { CommandInput, Result } from '../../src/cli/command.ts';
import { quarantineCommands } from '../../src/cli/quarantine.ts';
import { collectDue } from '../../src/collection/collect-due.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { poison } from '../support/poison.ts';
import { type Watching, watchedMarket } from '../support/watched-market.ts';

it('lists items, refuses to drop a charge without --accept-loss, and retries items', async () => {
  const { app, chargesOf, clock, codes, customers, db } = await watchedMarket({
    customers: 2,
    products: 2,
  });
  const [bad] = customers as [Watching, Watching];
  // Today is paid for already; tomorrow needs a charge.
  clock.advanceMs(24 * HOUR_MS);
  await collectDue(app, { isTracked: true });
  const cure = await poison(db, { table: 'ledger_entries', key: bad.accountId });
  await fanOut(app);
  const run = (name: string, words: string[], options: CommandInput['options'] = {}) => {
    const command = quarantineCommands.find((one) => one.name === `quarantine ${name}`);
    if (command?.on !== 'app') throw new Error('no such command');
    return command.run(app, { words, options }) as Promise<Result & { json: never }>;
  };
  const list = async () => (await run('list', [])).json as { items: Record<string, string>[] };
  const { items } = await list();
  expect(items.map(({ owner }) => owner).sort()).toEqual(codes.toSorted());
  for (const { loop, reason } of items) {
    expect({ loop, reason }).toEqual({ loop: 'fan-out', reason: 'poisoned (code P0001)' });
  }
  expect((await run('list', [])).text).toContain('Effect of drop:');
  expect(await countQuarantined(db)).toMatchObject([{ loop: 'fan-out', items: 2 }]);

  const id = items[0]?.id as string;
  const refused = await run('drop', [id]);
  expect(refused.exitCode).toBe(1);
  expect(refused.text).toMatch(
    /The charge of 150 credits of .* might never be booked.*--accept-loss/,
  );
  expect((await list()).items).toHaveLength(2);
  expect((await run('drop', [id], { 'accept-loss': true })).exitCode).toBe(0);
  expect((await list()).items).toHaveLength(1);

  await expect(run('retry', [id])).rejects.toThrow(/No item/);
  await expect(run('retry', ['some'])).rejects.toThrow(/ID must be an id/);
  await cure();
  const charged = await chargesOf(bad);
  expect((await run('retry', ['all'], { loop: 'fan-out' })).json).toEqual({ done: 1, failed: [] });
  expect((await run('list', [])).text).toBe('The quarantine is empty.');
  await fanOut(app);
  expect(await chargesOf(bad)).toBe(charged + 1);
});
