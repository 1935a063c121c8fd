// Paid requests are served while heavy reads use every connection of their pool.
import { expect, test } from 'vitest';
import { heavyStatement } from '../../src/database/database.ts';
import { startService } from '../support/service.ts';

const { app, get, newCustomer, products, used } = await startService();
const LOCKED = heavyStatement('test-locked-read', 'select pg_advisory_xact_lock_shared(77)');

test('a paid request is served and charged while every connection for heavy reads is in use', async () => {
  const customer = await newCustomer();
  const reads: Promise<unknown>[] = [];
  await app.db.background.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(77)');
    for (let count = 0; count < 12; count++) reads.push(app.db.read(LOCKED));
    while (app.db.usage().heavy.waiting < 8) await new Promise(setImmediate);
    const code = products[0]?.code;
    const details = await get(customer, `/retailer/product/details?retailer_product_code=${code}`);
    expect(details.status).toBe(200);
    expect(await used(customer)).toBe(1);
    expect(app.db.usage().heavy.waiting).toBe(8);
  });
  await Promise.all(reads);
});

test('one product that cannot be read fails none of the others that are read with it', async () => {
  const codes = products.map(({ code }) => code);
  const lookUps = [...codes, '\0', ...codes].map((code) => app.products.byCode(code));
  const outcomes = await Promise.allSettled(lookUps);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(outcomes[codes.length]?.status).toBe('rejected');
});
