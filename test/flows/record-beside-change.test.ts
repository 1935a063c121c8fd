// A snapshot is recorded while the tracked product is changed: both lock the schedule entry and the
// watcher.
import { expect, test, vi } from 'vitest';
import { lockScheduleEntries } from '../../src/tracking/schedule.ts';
import { lockWatchers } from '../../src/tracking/watchers.ts';
import { waitingForLocks } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { sendRequest, signedIn } from '../support/session.ts';

const service = await startService();

test('they do not deadlock', async () => {
  const { db } = service.app;
  const person = await signedIn(service);
  const code = service.products[0]?.code as string;
  const path = '/session/retailer/oversight/products';
  const body = { retailer_product_code: code };
  const { body: tracked } = await sendRequest(service, person, { method: 'POST', path, body });
  const change = () =>
    sendRequest(service, person, {
      method: 'PATCH',
      path: `${path}/${tracked.id}`,
      body: { rules: { price: { percent: 5 } } },
    });
  const changed = await db.transaction(async (tx) => {
    await lockScheduleEntries(tx, [code]);
    const changing = change();
    await vi.waitFor(async () => {
      expect(await waitingForLocks(db)).toBe(1);
    });
    expect((await lockWatchers(tx, [code])).get(code)).toHaveLength(1);
    return { changing };
  });
  expect((await changed.changing).status).toBe(200);
});
