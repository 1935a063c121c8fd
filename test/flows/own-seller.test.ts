// The seller that an account watches for: a change reaches products that are already tracked.
import { expect, test } from 'vitest';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { findWatcher } from '../../src/tracking/watchers.ts';
import { startService } from '../support/service.ts';
import { sendRequest, signedIn } from '../support/session.ts';

const service = await startService();

test('a new seller applies to every tracked product that names no other', async () => {
  const person = await signedIn(service);
  const [unnamed, named] = service.products.map(({ code }) => code) as [string, string];
  const track = (code: string, seller_name?: string) =>
    sendRequest(service, person, {
      method: 'POST',
      path: '/session/retailer/oversight/products',
      body: { retailer_product_code: code, ...(seller_name ? { seller_name } : {}) },
    });
  expect((await track(unnamed)).status).toBe(201);
  expect((await track(named, 'Somebody Else')).status).toBe(201);
  const watched = async (code: string) =>
    (await findWatcher(service.app.db, { code, accountId: person.accountId }))?.sellerName;
  expect([await watched(unnamed), await watched(named)]).toEqual([null, 'Somebody Else']);

  const path = '/session/profile';
  const changed = await sendRequest(service, person, {
    method: 'PATCH',
    path,
    body: { seller_name: 'Acme Store' },
  });
  expect(changed.body.account.seller_name).toBe('Acme Store');
  await syncPending(service.app);
  expect([await watched(unnamed), await watched(named)]).toEqual(['Acme Store', 'Somebody Else']);

  await sendRequest(service, person, { method: 'PATCH', path, body: { seller_name: null } });
  await syncPending(service.app);
  expect([await watched(unnamed), await watched(named)]).toEqual([null, 'Somebody Else']);
});
