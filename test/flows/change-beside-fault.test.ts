// A change of a tracked product is committed on the account's side first: if the product's side
// fails, the customer still gets a successful response, and a loop completes the change.
import { expect, test } from 'vitest';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { poison } from '../support/poison.ts';
import { startService } from '../support/service.ts';

test('adding, changing and removing succeed while writes on the product’s side fail', async () => {
  const service = await startService();
  const { app, products } = service;
  const customer = await service.newCustomer();
  const path = '/retailer/oversight/products';
  const send = (method: string, url: string, body: unknown) =>
    service.send(customer, method, url, {
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
  const tierOf = async () =>
    (await app.db.query<{ tier: number }>('select tier from watchers')).map(({ tier }) => tier);

  const cure = await poison(app.db, { table: 'watchers', key: customer.accountId });
  const code = products[0]?.code;
  const added = await send('POST', path, { retailer_product_code: code, tier: 2 });
  expect(added.status).toBe(201);
  const changed = await send('PATCH', `${path}/${added.body.id}`, { tier: 1 });
  expect([changed.status, changed.body.tier]).toEqual([200, 1]);
  expect(await tierOf()).toEqual([]);
  await cure();
  await syncPending(app);
  expect(await tierOf()).toEqual([1]);

  const cureRemoval = await poison(app.db, {
    table: 'watchers',
    key: customer.accountId,
    on: 'delete',
  });
  expect((await service.send(customer, 'DELETE', `${path}/${added.body.id}`)).status).toBe(204);
  expect(await tierOf()).toEqual([1]);
  await cureRemoval();
  await syncPending(app);
  expect(await tierOf()).toEqual([]);
});
