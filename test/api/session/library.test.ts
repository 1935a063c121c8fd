// The library: what an account buys in the dashboard is charged once while it is fresh, and stays
// on the server for all of its devices.
import { describe, expect, test } from 'vitest';
import { buildServer } from '../../../src/api/server.ts';
import { findLedgerFaults } from '../../../src/cli/check-ledger.ts';
import { requestDeletionNow } from '../../../src/closing/close-account.ts';
import { deleteAccount } from '../../../src/closing/delete-account.ts';
import { createCharging } from '../../../src/credits/charge.ts';
import { DatabaseAway } from '../../../src/database/failure.ts';
import { manualClock } from '../../../src/foundation/clock.ts';
import { newId } from '../../../src/foundation/id.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/foundation/time.ts';
import { dropOldEntries, evictEntries } from '../../../src/library/library-entries.ts';
import { startService } from '../../support/service.ts';
import { type PageHeaders, type Person, sendRequest, signedIn } from '../../support/session.ts';

const START = Date.parse('2026-11-15T12:00:00Z');
const clock = manualClock(START);
const authSecret = 'one secret for both processes of this test';
const service = await startService({ clock, authSecret, isDurable: false });
/** Another process on the same database. */
const second = await startService({ clock, authSecret, database: service.database });
const { app } = service;
const product = service.products[0];
const code = product?.code as string;
const DETAILS = `/retailer/product/details?retailer_product_code=${code}`;
const HISTORY = `/retailer/product/price-history?retailer_product_code=${code}`;

const newPerson = () => signedIn(service, { plan: 'Pro', perSecond: 1_000 });
const get = (person: Person, path: string, headers: PageHeaders = {}, served = service) =>
  sendRequest(served, person, { method: 'GET', path: `/session${path}`, headers });
const countOf = async (person: Person) => {
  const rows = await app.db.query<{ entries: number }>(
    'select count(*)::int as entries from library_entries where account_id = $1',
    [person.accountId],
  );
  return rows[0]?.entries;
};
const refreshOf = (reply: { headers: Record<string, unknown> }) => ({
  'x-library-refresh': String(reply.headers['x-library-bought-at']),
});

describe('the same request', () => {
  test('is charged once while it is fresh, and says where its response comes from', async () => {
    const person = await newPerson();
    const bought = await get(person, DETAILS);
    expect(bought.headers).toMatchObject({ 'x-library': 'stored', 'x-credits-charged': '1' });
    clock.setMs(clock.nowMs() + 5 * MINUTE_MS);
    const again = await get(person, DETAILS);
    expect(again.body).toEqual(bought.body);
    expect(again.headers).toMatchObject({
      'x-library': 'hit',
      'x-credits-charged': '0',
      'x-library-bought-at': bought.headers['x-library-bought-at'],
      'x-library-as-of': bought.body.last_updated,
      age: '300',
    });
    const dry = await get(person, `${DETAILS}&dry_run=true`);
    expect(dry.body).toEqual({ credit_cost: 0 });
    expect(await service.used(person)).toBe(1);
  });

  test.each([
    ['details', DETAILS, 15 * MINUTE_MS, 1],
    ['a price history', HISTORY, DAY_MS, 15],
  ])('for %s is free until it is stale', async (_, path, freshMs, cost) => {
    const person = await newPerson();
    const boughtAtMs = clock.nowMs();
    await get(person, path);
    clock.setMs(boughtAtMs + freshMs - 1);
    expect((await get(person, path)).headers['x-credits-charged']).toBe('0');
    clock.setMs(boughtAtMs + freshMs);
    expect((await get(person, path)).headers['x-credits-charged']).toBe(String(cost));
    expect([await service.used(person), await countOf(person)]).toEqual([2 * cost, 1]);
  });

  test('with an API key pays each time and leaves nothing in the library', async () => {
    const person = await newPerson();
    await get(person, DETAILS);
    for (let time = 0; time < 2; time++) {
      const { headers } = await service.get(person, DETAILS);
      expect([headers['x-credits-charged'], headers['x-library']]).toEqual(['1', undefined]);
    }
    expect([await service.used(person), await countOf(person)]).toEqual([3, 1]);
  });

  test('by UPC, EAN or code, as JSON or CSV, is the same data', async () => {
    const person = await newPerson();
    const { upc, ean } = (await get(person, DETAILS)).body;
    expect((await get(person, `/retailer/product/details?upc=${upc}`)).headers).toMatchObject({
      'x-library': 'hit',
      'x-credits-charged': '0',
    });
    await get(person, `/retailer/product/details?ean=${ean}`);
    await get(person, HISTORY);
    const csv = await get(person, `${HISTORY}&format=csv`);
    expect([csv.headers['x-credits-charged'], typeof csv.body]).toEqual(['0', 'string']);
    expect(await service.used(person)).toBe(16);
  });

  test('is free for an account without credits left', async () => {
    const person = await newPerson();
    await get(person, HISTORY);
    const balance = await app.charging.freshBalance(person.accountId);
    await app.charging.charge({
      accountId: person.accountId,
      id: newId(),
      atMs: clock.nowMs(),
      kind: 'request',
      credits: 15 - (balance?.allocation ?? 0),
      operation: 'offers',
      productCode: null,
      reference: newId(),
    });
    expect((await get(person, HISTORY)).status).toBe(200);
    expect((await get(person, DETAILS)).status).toBe(402);
  });

  test('that was too large to store is made again for free', async () => {
    const person = await newPerson();
    const { body, headers } = await get(person, HISTORY);
    await app.db.query(
      'update library_entries set body = null, encoding = null where account_id = $1',
      [person.accountId],
    );
    const again = await get(person, HISTORY);
    expect([again.body, again.headers['x-credits-charged']]).toEqual([body, '0']);
    expect((await get(person, `/library/${headers['x-library-id']}`)).status).toBe(404);
  });
});

test('a sample product costs nothing, and the ledger says nothing of it', async () => {
  const person = await newPerson();
  const deps = { ...app, sampleCodes: new Set([code]), notReadyReason: () => null };
  const server = await buildServer(deps, { trustProxy: null, endpoints: true });
  const send = (path: string, headers: PageHeaders = {}) =>
    sendRequest({ app, server }, person, { method: 'GET', path: `/session${path}`, headers });
  const free = { 'x-credits-charged': '0', 'x-library': 'stored' };
  const details = await send(DETAILS, { 'x-max-credits': '0' });
  expect(details.headers).toMatchObject(free);
  expect((await send(DETAILS, refreshOf(details))).headers).toMatchObject(free);
  expect((await send(`/retailer/product/details?upc=${details.body.upc}`)).status).toBe(200);
  expect((await send(HISTORY)).headers).toMatchObject(free);
  expect((await send(`${HISTORY}&dry_run=true`)).body).toEqual({ credit_cost: 0 });
  expect((await send('/prices')).body.samples).toEqual([
    { retailer_product_code: code, product_name: product?.name },
  ]);
  expect((await send('/library')).body).toMatchObject([{ credits: 0 }, { credits: 0 }]);
  const withKey = await server.inject({ url: DETAILS, headers: { 'x-api-key': person.apiKey } });
  expect(withKey.headers['x-credits-charged']).toBe('1');
  await server.close();
  expect(await service.used(person)).toBe(1);
  expect(await findLedgerFaults(app.db)).toEqual([]);
});

describe('several at once', () => {
  test('pay once, in one process and in two', async () => {
    const person = await newPerson();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        get(person, HISTORY, {}, index % 2 === 0 ? service : second),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const charged = replies.map(({ headers }) => Number(headers['x-credits-charged']));
    expect(charged.sort((one, other) => one - other)).toEqual([...Array(7).fill(0), 15]);
    expect(await service.used(person)).toBe(15);
    expect(await findLedgerFaults(app.db)).toEqual([]);
  });

  test('refreshes of the same entry pay once; a later refresh pays again', async () => {
    const person = await newPerson();
    const first = await get(person, HISTORY);
    clock.setMs(clock.nowMs() + MINUTE_MS);
    await Promise.all([
      get(person, HISTORY, refreshOf(first)),
      get(person, HISTORY, refreshOf(first), second),
    ]);
    expect(await service.used(person)).toBe(30);
    const late = await get(person, HISTORY, refreshOf(first));
    expect(late.headers).toMatchObject({ 'x-library': 'hit', 'x-credits-charged': '0' });
    clock.setMs(clock.nowMs() + MINUTE_MS);
    expect((await get(person, HISTORY, refreshOf(late))).headers['x-credits-charged']).toBe('15');
    expect((await get(person, HISTORY, { 'x-library-refresh': 'now' })).status).toBe(400);
  });
});

describe('a crash', () => {
  test('while the response is stored charges nothing', async () => {
    const person = await newPerson();
    await app.db.query(
      `alter table library_entries add constraint broken check (account_id <> '${person.accountId}') not valid`,
    );
    const failed = await get(person, DETAILS);
    await app.db.query('alter table library_entries drop constraint broken');
    expect([failed.status, await service.used(person), await countOf(person)]).toEqual([500, 0, 0]);
    expect((await get(person, DETAILS)).headers['x-credits-charged']).toBe('1');
  });

  test('of the connection after the commit neither loses the response nor charges twice', async () => {
    const person = await newPerson();
    let cuts = 0;
    const transaction: typeof app.db.transaction = async (work, options) => {
      const result = await app.db.transaction(work, options);
      if (cuts++ === 0) throw new DatabaseAway(new Error('cut'), { outcomeUnknown: true });
      return result;
    };
    const charging = createCharging({ ...app, db: { ...app.db, transaction } });
    const server = await buildServer(
      { ...app, charging, notReadyReason: () => null },
      { trustProxy: null, endpoints: true },
    );
    const reply = await sendRequest({ app, server }, person, {
      method: 'GET',
      path: `/session${HISTORY}`,
    });
    await server.close();
    expect([reply.status, reply.headers['x-credits-charged'], cuts]).toEqual([200, '15', 2]);
    expect([await service.used(person), await countOf(person)]).toEqual([15, 1]);
    expect(await findLedgerFaults(app.db)).toEqual([]);
  });
});

describe('the list', () => {
  test('shows what was bought, newest first, and each response as it was, however old', async () => {
    const person = await newPerson();
    const details = await get(person, DETAILS);
    clock.setMs(clock.nowMs() + MINUTE_MS);
    await get(person, HISTORY, { 'accept-encoding': 'gzip' });
    clock.setMs(clock.nowMs() + 2 * DAY_MS);
    const { body } = await get(person, '/library');
    expect(body).toMatchObject([
      { operation: 'price-history', retailer_product_code: code, credits: 15 },
      {
        operation: 'details',
        product_name: product?.name,
        parameters: { retailer_product_code: code },
        bought_at: details.headers['x-library-bought-at'],
        fresh_until: details.headers['x-library-fresh-until'],
        as_of: details.body.last_updated,
        buybox_price: details.body.buybox_price,
        credits: 1,
      },
    ]);
    expect((await get(person, `/library/${body[1].id}`)).body).toEqual(details.body);
    const history = await get(person, `/library/${body[0].id}`);
    expect(history.body.priceHistory).toBeInstanceOf(Array);
    const ofProduct = await get(person, `/library?retailer_product_code=1&operation=details`);
    expect(ofProduct.body).toEqual([]);
    const page = await get(person, '/library?limit=1');
    const next = /<\/session([^>]+)>/.exec(String(page.headers.link))?.[1] as string;
    expect((await get(person, next)).body[0].operation).toBe('details');
  });

  test('shows nothing of another account', async () => {
    const [owner, other] = [await newPerson(), await newPerson()];
    const { headers } = await get(owner, DETAILS);
    expect((await get(other, '/library')).body).toEqual([]);
    expect((await get(other, `/library/${headers['x-library-id']}`)).status).toBe(404);
    expect((await get(other, DETAILS)).headers['x-credits-charged']).toBe('1');
  });
});

describe('what is kept', () => {
  test('is bounded in number and bytes: the oldest go first', async () => {
    const person = await newPerson();
    for (const path of [DETAILS, HISTORY, DETAILS.replace('details', 'offers')]) {
      clock.setMs(clock.nowMs() + 1_000);
      await get(person, path);
    }
    const kept = async () =>
      (await get(person, '/library')).body.map(({ operation }: { operation: string }) => operation);
    await evictEntries(app.db, person.accountId, { entriesMax: 2, bytesMax: 1e9 });
    expect(await kept()).toEqual(['offers', 'price-history']);
    const [sum] = await app.db.query<{ bytes: number }>(
      'select sum(body_bytes)::int as bytes from library_entries where account_id = $1',
      [person.accountId],
    );
    const bytesMax = (sum?.bytes as number) - 1;
    await evictEntries(app.db, person.accountId, { entriesMax: 9, bytesMax });
    expect(await kept()).toEqual(['offers']);
  });

  test('ends after a year, and with its account', async () => {
    const [person, closing] = [await newPerson(), await newPerson()];
    await get(person, DETAILS);
    await get(closing, HISTORY);
    await requestDeletionNow(app, closing.accountId);
    expect(await deleteAccount(app, closing.accountId)).toBe(true);
    expect(await countOf(closing)).toBe(0);
    await dropOldEntries(app.db, clock.nowMs() + 364 * DAY_MS);
    expect(await countOf(person)).toBe(1);
    await dropOldEntries(app.db, clock.nowMs() + 366 * DAY_MS);
    expect(await countOf(person)).toBe(0);
  });
});
