// The session's endpoints for keys, the profile, plans, usage and the ledger, and the API's paid
// endpoints within a session.
import { describe, expect, test } from 'vitest';
import { findLedgerFaults } from '../../../src/cli/check-ledger.ts';
import { changePlan } from '../../../src/credits/change-plan.ts';
import { grantCredits } from '../../../src/credits/grant-credits.ts';
import { startService } from '../../support/service.ts';
import {
  eventually,
  keptLog,
  type PageHeaders,
  type Person,
  sendRequest,
  signedIn,
} from '../../support/session.ts';

const kept = keptLog();
const service = await startService({ log: kept.log });
const code = service.products[0]?.code as string;
const person = await signedIn(service, { plan: 'Pro', perSecond: 1_000 });

const get = (who: Person, path: string, headers: PageHeaders = {}) =>
  sendRequest(service, who, { method: 'GET', path: `/session${path}`, headers });
const send = (who: Person, method: string, path: string, body?: unknown) =>
  sendRequest(service, who, {
    method,
    path: `/session${path}`,
    ...(body === undefined ? {} : { body }),
  });

describe('keys', () => {
  test('one is shown once, works, and stops when it is revoked', async () => {
    const made = await send(person, 'POST', '/keys', { name: '  for the shop ' });
    expect(made.status).toBe(201);
    const { id, api_key: apiKey } = made.body;
    expect(made.body).toEqual({
      id,
      name: 'for the shop',
      api_key: expect.stringMatching(/^ovs_\w{36}$/),
    });
    const withKey = { ...person, apiKey };
    expect((await service.get(withKey, '/user/credits')).status).toBe(200);
    await service.app.callers.flushUses(service.app.log);
    const listed = await get(person, '/keys');
    expect(listed.body[0]).toEqual({
      id,
      name: 'for the shop',
      hint: `${apiKey.slice(0, 8)}…`,
      revoked_at: null,
      created_at: expect.stringMatching(/Z$/),
      last_used_at: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(listed.body)).not.toContain(apiKey);
    for (let time = 0; time < 2; time++) {
      expect((await send(person, 'DELETE', `/keys/${id}`)).status).toBe(204);
    }
    expect((await get(person, '/keys')).body[0].revoked_at).toMatch(/Z$/);
    await eventually(async () =>
      (await service.get(withKey, '/user/credits')).status === 401 ? true : undefined,
    );
    expect(kept.text()).not.toContain(apiKey);
    expect(kept.text()).not.toContain(apiKey.slice(4));
  });

  test.each(['', '   ', 'x'.repeat(101), 'a\0b', 'line\nbreak', 'half\ud83e'])(
    '400 for the name %j',
    async (name) => {
      expect((await send(person, 'POST', '/keys', { name })).status).toBe(400);
    },
  );

  test.each(['nonsense', '%00', '01a1dd99-01d8-703f-9951-f5e96b148bbf', "'--"])(
    '404 for the id %s',
    async (id) => {
      expect((await send(person, 'DELETE', `/keys/${id}`)).status).toBe(404);
    },
  );

  test('409 for the hundred and first, also when several are requested at once', async () => {
    const other = await signedIn(service);
    await service.app.db.query(
      `insert into api_keys (lane, account_id, key_id, name, hint, created_at)
       select lane, account_id, gen_random_uuid(), name, hint, created_at
         from api_keys, generate_series(1, 98) where account_id = $1`,
      [other.accountId],
    );
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => send(other, 'POST', '/keys', { name: 'one more' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
  });
});

describe('the profile', () => {
  test('shows who is signed in, and is changed in parts', async () => {
    const { body } = await get(person, '');
    expect(body).toEqual({
      user: { name: '', email: person.email },
      account: {
        id: person.accountId,
        email: person.email,
        seller_name: null,
        plan: 'Pro',
        created_at: expect.stringMatching(/Z$/),
        delete_at: null,
      },
      server: {
        now: expect.stringMatching(/Z$/),
        clock_speed: 1,
        mail: 'log',
        allows_private_targets: false,
      },
    });
    const named = await send(person, 'PATCH', '/profile', { name: ' Ada Lovelace ' });
    expect([named.status, named.body.user.name]).toEqual([200, 'Ada Lovelace']);
    await send(person, 'PATCH', '/profile', { seller_name: 'Acme Store' });
    const after = (await get(person, '')).body;
    expect([after.user.name, after.account.seller_name]).toEqual(['Ada Lovelace', 'Acme Store']);
    await send(person, 'PATCH', '/profile', { seller_name: null });
    expect((await get(person, '')).body.account.seller_name).toBeNull();
  });

  test.each([
    { name: 'x'.repeat(101) },
    { name: 'nul\0' },
    { name: null },
    { seller_name: '' },
    { seller_name: 'x'.repeat(501) },
    { seller_name: 5 },
  ])('400 for %j', async (body) => {
    expect((await send(person, 'PATCH', '/profile', body)).status).toBe(400);
  });

  test('other members of a body change nothing: not the e-mail, not the account', async () => {
    const other = await signedIn(service);
    const body = { name: 'X', email: 'a@example.com', account_id: other.accountId, plan: 'Scale' };
    await send(person, 'PATCH', '/profile', body);
    const { user, account } = (await get(person, '')).body;
    expect([user.email, account.id, account.plan]).toEqual([person.email, person.accountId, 'Pro']);
  });
});

describe('prices and the plan', () => {
  test('prices are those that are charged', async () => {
    const { body } = await get(person, '/prices');
    const dry = async (path: string) =>
      (
        await service.get(
          person,
          `/retailer/product/${path}dry_run=true&retailer_product_code=${code}`,
        )
      ).body.credit_cost;
    expect(body.product_details).toBe(await dry('details?'));
    expect(body.offers).toBe(await dry('offers?'));
    expect(body.units_in_stock).toBe(await dry('units-in-stock?'));
    expect(body.fees).toBe(await dry('fees?'));
    expect(body.price_history).toBe(await dry('price-history?'));
    expect(body.buybox_history).toBe(await dry('buybox-history?'));
    expect(body.stats).toBe(await dry('stats?'));
    expect(body.profit).toBe(3);
    expect(body.offer_history).toBe(await dry('offer-history?'));
    for (const [period, credits] of Object.entries(body.units_sold)) {
      expect(credits).toBe(await dry(`units-sold-history?time_period=${period}&`));
    }
    expect(body.tiers).toHaveLength(5);
    expect(body.tiers[4]).toEqual({ tier: 4, interval_hours: 24, credits_per_day: 10 });
  });

  test('the plan shows its limits, the next plan and all others', async () => {
    const other = await signedIn(service, { plan: 'Pro' });
    await send(other, 'POST', '/retailer/oversight/products', { retailer_product_code: code });
    await changePlan(service.app, { accountId: other.accountId, plan: 'Free' });
    const { body } = await get(other, '/plan');
    expect(body).toMatchObject({
      name: 'Pro',
      next_plan: 'Free',
      monthly_credits: 250_000,
      tracked_products: 1,
      requests_per_second: { product: 10, details: 10, account: 10 },
    });
    expect(body.plans.map(({ name }: { name: string }) => name)).toContain('Starter');
    expect((await get(person, '/plan')).body.requests_per_second.account).toBe(1_000);
  });
});

describe('the API’s paid endpoints', () => {
  /** Without what follows the clock: the second response may be of the next second. */
  const timeless = (body: unknown) =>
    JSON.parse(
      JSON.stringify(body, (name, value) =>
        ['from', 'to', 'observed_share'].includes(name) ? undefined : value,
      ),
    );
  const PAID = [
    'details',
    'offers',
    'units-in-stock',
    'fees',
    'price-history',
    'buybox-history',
    'stats',
    'offer-history',
    'units-sold-history?time_period=1month',
  ].map(
    (path) =>
      `/retailer/product/${path}${path.includes('?') ? '&' : '?'}retailer_product_code=${code}`,
  );

  test.each(PAID)('%s costs through a session what it costs with a key', async (path) => {
    const before = await service.used(person);
    const withKey = await service.get(person, path);
    const middle = await service.used(person);
    const reply = await get(person, path);
    expect([reply.status, timeless(reply.body)]).toEqual([200, timeless(withKey.body)]);
    expect(reply.headers['x-credits-charged']).toBe(withKey.headers['x-credits-charged']);
    expect((await service.used(person)) - middle).toBe(middle - before);
    // Without data there is nothing to pay for, and nothing to book.
    if (middle === before) return;
    const [entry] = (await get(person, '/ledger?limit=1')).body;
    expect(entry).toMatchObject({
      kind: 'request',
      credits: before - middle,
      retailer_product_code: code,
      operation: /product\/([\w-]+)/.exec(path)?.[1],
    });
  });

  test('x-max-credits and dry_run hold, and a request that is refused costs nothing', async () => {
    const before = await service.used(person);
    const other = service.products[1]?.code;
    const path = `/retailer/product/price-history?retailer_product_code=${other}`;
    const refused = await get(person, path, { 'x-max-credits': '1' });
    expect([refused.status, refused.body.credits_max]).toEqual([402, 1]);
    expect((await get(person, `${path}&dry_run=true`)).body).toHaveProperty('credit_cost');
    expect((await get(person, path, { 'x-max-credits': 'many' })).status).toBe(400);
    expect(await service.used(person)).toBe(before);
  });

  test('the link to the next page is a session route too', async () => {
    const { headers } = await get(person, '/user/credits/ledger?limit=2');
    const next = /^<(\/session\/user\/credits\/ledger\?[^>]+)>; rel="next"$/.exec(
      String(headers.link),
    );
    expect(next).not.toBeNull();
    const page = await sendRequest(service, person, { method: 'GET', path: String(next?.[1]) });
    expect([page.status, page.body.length]).toEqual([200, 2]);
  });
});

describe('usage and the ledger', () => {
  /** A comma inside quotes does not separate cells. */
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) =>
      (match[1] ?? match[2] ?? '').replaceAll('""', '"'),
    );
  const REASON = '=HYPERLINK("https://evil.example","a, b")';

  test('ledger, pages, CSV and usage all sum to used_this_month', async () => {
    await grantCredits(service.app, { accountId: person.accountId, credits: 5, reason: REASON });
    const { credits } = (await get(person, '/user/credits')).body;
    expect(credits.used_this_month).toBeGreaterThan(0);
    const spent = (entries: readonly { kind: string; credits: number }[]) =>
      -entries
        .filter(({ kind }) => ['request', 'tracking', 'refund'].includes(kind))
        .reduce((sum, one) => sum + Number(one.credits), 0);
    const entries = [];
    for (let path: string | undefined = '/session/ledger?limit=3'; path !== undefined; ) {
      const page = await sendRequest(service, person, { method: 'GET', path });
      entries.push(...page.body);
      path = /<(\/session\/ledger\?[^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1];
    }
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(spent(entries)).toBe(credits.used_this_month);

    const csv = await get(person, '/ledger.csv');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
    const [head, ...lines] = csv.body.trimEnd().split('\r\n');
    expect(head).toBe('at,kind,credits,operation,retailer_product_code,reference,id');
    const rows = lines.map(cells).map((row: string[]) => {
      expect(row).toHaveLength(7);
      return { kind: row[1] as string, credits: Number(row[2]), id: row[6] };
    });
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(entries.map(({ id }) => id));
    expect(spent(rows)).toBe(credits.used_this_month);

    const usage = (await get(person, '/usage?days=2')).body;
    const total = usage.entries.reduce(
      (sum: number, one: { credits: number }) => sum + one.credits,
      0,
    );
    expect(total).toBe(credits.used_this_month);
    expect(usage.from < usage.to).toBe(true);
    expect(await findLedgerFaults(service.app.db)).toEqual([]);
  });

  test('the first page of the ledger states the balance after each entry, and names products', async () => {
    const { remaining } = (await get(person, '/user/credits')).body.credits;
    const [newest, ...older] = (await get(person, '/ledger?limit=1000')).body;
    expect(newest.balance_after).toBe(remaining);
    let after = newest;
    for (const entry of older) {
      expect(entry.balance_after).toBe(after.balance_after - after.credits);
      after = entry;
    }
    expect(after).toMatchObject({ kind: 'refresh', balance_after: after.credits });
    const bought = older.find((one: { retailer_product_code: string }) => {
      return one.retailer_product_code === code;
    });
    expect(bought.product_name).toBe(service.products[0]?.name);
    const [filtered] = (await get(person, '/ledger?kind=request')).body;
    expect(filtered.balance_after).toBeNull();
  });

  test('the entries of the period add up to the balance, and costs to the products', async () => {
    const { used_this_month: used } = (await get(person, '/user/credits')).body.credits;
    expect((await get(person, '/period-check')).body).toEqual({ used, sum_of_entries: used });
    const costs = (await get(person, '/costs?days=2')).body;
    expect(costs.total).toBe(used);
    const [most] = costs.products;
    expect(most).toMatchObject({ retailer_product_code: code, product_name: expect.any(String) });
    const spent = (await get(person, '/ledger?limit=1000')).body.filter(
      (one: { retailer_product_code: string }) => one.retailer_product_code === code,
    );
    const sum = -spent.reduce((total: number, one: { credits: number }) => total + one.credits, 0);
    expect(most.credits).toBe(sum);
    expect((await get(person, '/costs?days=99')).status).toBe(400);
  });

  test('a request for another plan reaches the operator, three times a day at most', async () => {
    const asks = await signedIn(service, { plan: 'Pro' });
    const request = (plan: string) => send(asks, 'POST', '/upgrade-request', { plan });
    expect([(await request('Nonsense')).status, (await request('scale')).body]).toEqual([
      400,
      { plan: 'Scale' },
    ]);
    expect(kept.text()).toContain('UPGRADE REQUEST');
    expect(kept.text()).toContain(asks.email);
    for (let time = 0; time < 2; time++) expect((await request('Scale')).status).toBe(202);
    expect((await request('Scale')).status).toBe(429);
  });

  test('no cell of the CSV is a formula', async () => {
    const { body } = await get(person, '/ledger.csv?kind=grant');
    const row = cells(body.trimEnd().split('\r\n')[1]);
    expect(row[3]).toBe(`'${REASON}`);
    const all = (await get(person, '/ledger.csv')).body.trimEnd().split('\r\n').slice(1);
    for (const [index, cell] of all.flatMap((line: string) => [...cells(line).entries()])) {
      if (index !== 2) expect(cell).not.toMatch(/^[=+\-@]/);
    }
  });

  test('filters apply to every page and to the CSV', async () => {
    const all = (await get(person, '/ledger?limit=1000')).body.map((entry: object) => ({
      ...entry,
      // A filtered list has gaps, so that it states no balances.
      balance_after: null,
    }));
    const grants = (await get(person, '/ledger?kind=grant')).body;
    expect(grants).toEqual(all.filter(({ kind }: { kind: string }) => kind === 'grant'));
    const details = (await get(person, '/ledger?operation=details')).body;
    expect(details.length).toBeGreaterThan(1);
    expect(details).toEqual(
      all.filter((one: { operation: string }) => one.operation === 'details'),
    );
    const page = await get(person, '/ledger?operation=details&limit=1');
    const next = /<([^>]+)>/.exec(String(page.headers.link))?.[1] as string;
    expect((await sendRequest(service, person, { method: 'GET', path: next })).body[0]).toEqual(
      details[1],
    );
    // From inclusive, to exclusive.
    const at = details[0].at;
    const since = (await get(person, `/ledger?from=${at}`)).body;
    expect(since).toEqual(all.filter((one: { at: string }) => one.at >= at));
    const until = (await get(person, `/ledger?to=${at}`)).body;
    expect(until).toEqual(all.filter((one: { at: string }) => one.at < at));
  });

  test.each([
    'kind=nonsense',
    'operation=%00',
    'from=yesterday',
    'from=0000-01-01T00:00:00Z',
    'to=9999-12-31T23:59:59-23:59',
    'to=2026-06-30T23:59:60Z',
    'after=x',
    'limit=0',
    'kind=grant&kind=request',
    `operation=${'x'.repeat(201)}`,
  ])('400 for %s', async (query) => {
    expect((await get(person, `/ledger?${query}`)).status).toBe(400);
    if (/^(after|limit)/.test(query)) return;
    expect((await get(person, `/ledger.csv?${query}`)).status).toBe(400);
  });

  test.each(['days=0', 'days=367', 'days=1.5', 'days=x'])(
    '400 for usage with %s',
    async (query) => {
      expect((await get(person, `/usage?${query}`)).status).toBe(400);
    },
  );
});
