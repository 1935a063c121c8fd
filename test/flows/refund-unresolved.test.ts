// A charge whose request got a 503 is refunded, in whichever period it was booked.
import { expect, test } from 'vitest';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { bookOneByOne } from '../../src/credits/book-entries.ts';
import { listEntries, readDailyUse } from '../../src/credits/ledger.ts';
import type { LedgerEntry } from '../../src/credits/settlement.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-05-10T08:00:00.000Z'));
const REFRESH = Date.parse('2026-06-10T08:00:00.000Z');
const { app, newCustomer, used, get } = await startService({ clock });

function request(accountId: string, at: number): LedgerEntry {
  const id = newId();
  return {
    accountId,
    id,
    atMs: at,
    kind: 'request',
    credits: -3,
    operation: 'details',
    productCode: null,
    reference: id,
  };
}

test('made before a refresh and booked after it: charged and refunded in the new period', async () => {
  clock.setMs(Date.parse('2026-05-10T08:00:00.000Z'));
  const customer = await newCustomer();
  const entry = request(customer.accountId, REFRESH - 5);
  clock.setMs(REFRESH + 5);
  await bookOneByOne(app, [entry], { refund: true });
  await bookOneByOne(app, [entry], { refund: true }); // idempotent
  expect(await used(customer)).toBe(0);
  const { body } = await get(customer, '/user/credits/ledger');
  const kinds = body.map((one: { kind: string }) => one.kind).sort();
  expect(kinds).toEqual(['refresh', 'refresh', 'refund', 'request']);
  expect(await findLedgerFaults(app.db)).toEqual([]);
});

test('booked in a period that has ended: expired with it, and no credits are created', async () => {
  clock.setMs(Date.parse('2026-05-10T08:00:00.000Z'));
  const customer = await newCustomer();
  const entry = request(customer.accountId, clock.nowMs());
  await bookOneByOne(app, [entry]);
  clock.setMs(REFRESH + 5);
  await bookOneByOne(app, [request(customer.accountId, clock.nowMs())]);
  await bookOneByOne(app, [entry], { refund: true });
  expect(await used(customer)).toBe(3);
  expect(await findLedgerFaults(app.db)).toEqual([]);
});

test('is a refund, stored under the old kind `return` or the new kind `refund`', async () => {
  clock.setMs(Date.parse('2026-05-10T08:00:00.000Z'));
  const { accountId } = await newCustomer();
  await bookOneByOne(app, [request(accountId, clock.nowMs())], { refund: true });
  const refunds = () => listEntries(app.db, { accountId, kind: 'refund', limit: 10 });
  const before = await refunds();
  expect(before).toMatchObject([{ kind: 'refund', credits: 3 }]);
  const today = { accountId, fromAtMs: clock.nowMs() - 1, toAtMs: clock.nowMs() + 1 };
  const useBefore = await readDailyUse(app.db, today);
  await app.db.query(
    `update ledger_entries set kind = 'refund' where account_id = $1 and kind = 'return'`,
    [accountId],
  );
  expect(await refunds()).toEqual(before);
  expect(await readDailyUse(app.db, today)).toEqual(useBefore);
  expect(await findLedgerFaults(app.db)).toEqual([]);
});
