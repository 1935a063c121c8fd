// Every route that charges, by key and by session: the response that caused a charge names it, no
// charge exceeds x-max-credits, and nothing that may fail is done after a charge. A new route that
// charges must be added here.
import { expect, test } from 'vitest';
import { allEndpoints, buildServer } from '../../src/api/server.ts';
import { sessionEndpoints } from '../../src/api/session/session-endpoints.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { refreshFacts } from '../../src/search/refresh-facts.ts';
import { type Reply, startService } from '../support/service.ts';
import { sendRequest, signedIn } from '../support/session.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const SIX_HOURS_MS = 6 * 3_600_000;

const service = await startService({ clock: manualClock(NOW) });
const { app } = service;
const person = await signedIn(service, { plan: 'Scale', perSecond: 1_000_000 });

let products = 0;
/** A product that sells two units an hour, seen every six hours of the last 40 days. */
async function newProduct(): Promise<string> {
  const code = `${610_000_000 + products++}`;
  const snapshots = Array.from({ length: 161 }, (_, index): Snapshot => {
    const priceCents = 1999 + index;
    const unitsInStock = 100_000 - index * 12;
    return {
      code,
      observedAtMs: NOW - (160 - index) * SIX_HOURS_MS,
      gtins: [],
      buybox: { priceCents, sellerName: 'Acme' },
      offers: [
        {
          sellerName: 'Acme',
          priceCents,
          shippingCents: 0,
          unitsInStock,
          lastUpdatedAtMs: null,
        },
      ],
      offersComplete: true,
    };
  });
  await recordSnapshots(app, snapshots);
  return code;
}

type Request = { method: string; path: string; body?: object };
type Send = (request: Request, headers?: Record<string, string>) => Promise<Reply>;
/** Prepares everything for the charged request, and returns the request and its cost. */
type Case = (send: Send, code: string) => Promise<Request & { cost: number }>;

const byCode =
  (path: string, cost: number, more = ''): Case =>
  async (_, code) => {
    const query = `retailer_product_code=${code}${more}`;
    return { method: 'GET', path: `/retailer/product/${path}?${query}`, cost };
  };
const track = async (send: Send, code: string, tier: number): Promise<string> => {
  const path = '/retailer/oversight/products';
  const body = { retailer_product_code: code, tier };
  return `${path}/${(await send({ method: 'POST', path, body })).body.id}`;
};

/** By the name of the operation. */
const CASES: Readonly<Record<string, Case>> = {
  details: byCode('details', 1),
  search: async (_, code) => ({
    method: 'GET',
    path: `/retailer/products/search?q=${code}`,
    cost: 1,
  }),
  finder: async (_, code) => {
    await refreshFacts(app, [code], () => false);
    // In the dashboard the same request is free while it is fresh. An unknown member is ignored,
    // but makes it another request.
    const body = { number: products };
    return { method: 'POST', path: '/retailer/products/finder', body, cost: 5 };
  },
  offers: byCode('offers', 5),
  'units-in-stock': byCode('units-in-stock', 5),
  fees: byCode('fees', 3, '&category=Kitchen&price=10'),
  'price-history': byCode('price-history', 15),
  'buybox-history': byCode('buybox-history', 10),
  stats: byCode('stats', 2, '&days=1,30&explain=true'),
  'offer-history': byCode('offer-history', 20),
  'chart-svg': byCode('chart.svg', 15),
  'chart-png': byCode('chart.png', 15, '&width=320&height=240&scale=1'),
  'chart-links': async (_, code) => ({
    method: 'POST',
    path: '/retailer/product/chart-links',
    body: { retailer_product_code: code, format: 'svg' },
    cost: 15,
  }),
  profit: async (_, code) => ({
    method: 'POST',
    path: '/retailer/product/profit',
    body: { items: [{ retailer_product_code: code, cost: 9.99, price: 25 }] },
    cost: 3,
  }),
  batch: async (_, code) => ({
    method: 'POST',
    path: '/retailer/products/batch',
    body: { codes: [code, code], include: ['details', 'offers', 'fees', 'stats'] },
    cost: 11,
  }),
  'units-sold-history': byCode('units-sold-history', 50, '&time_period=1year'),
  'oversight-get': async (send, code) => ({
    method: 'GET',
    path: await track(send, code, 0),
    cost: 150,
  }),
  'oversight-change': async (send, code) => {
    const path = await track(send, code, 4);
    // On a paid day the finer tier costs the difference at once.
    await send({ method: 'GET', path });
    return { method: 'PATCH', path, body: { tier: 0 }, cost: 140 };
  },
  'oversight-bulk-change': async (send, code) => {
    const codes = [code, await newProduct()];
    for (const one of codes) await send({ method: 'GET', path: await track(send, one, 4) });
    const items = codes.map((one) => ({ retailer_product_code: one, tier: 0 }));
    const path = '/retailer/oversight/products/bulk';
    return { method: 'PATCH', path, body: { items }, cost: 280 };
  },
};

const WAYS = {
  key:
    (server = service.server): Send =>
    async ({ method, path, body }, headers = {}) => {
      const reply = await server.inject({
        method: method as 'GET',
        url: path,
        headers: { 'x-api-key': person.apiKey, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      const isJson = String(reply.headers['content-type']).includes('json');
      const received = isJson ? reply.json() : null;
      return { status: reply.statusCode, headers: reply.headers, body: received };
    },
  session:
    (server = service.server): Send =>
    (request, headers = {}) =>
      sendRequest({ app, server }, person, {
        ...request,
        path: `/session${request.path}`,
        headers,
      }),
};
const ROUTES = Object.keys(CASES).flatMap((operation) =>
  (Object.keys(WAYS) as (keyof typeof WAYS)[]).map((way) => ({ operation, way })),
);

test('every route that charges is listed here and describes x-max-credits', async () => {
  const deps = { ...app, notReadyReason: () => null };
  const charging = sessionEndpoints(deps, allEndpoints(deps)).filter(
    ({ price, books }) => price !== undefined || books === true,
  );
  expect(charging.map(({ operation }) => operation).sort()).toEqual(Object.keys(CASES).sort());

  type Operation = { operationId: string; parameters?: { $ref?: string }[] };
  const { paths } = service.server.swagger() as { paths: object };
  const capped = (Object.values(paths) as Record<string, Operation>[])
    .flatMap((methods) => Object.values(methods))
    .filter(({ parameters = [] }) =>
      parameters.some(({ $ref }) => $ref === '#/components/parameters/MaxCredits'),
    );
  expect(capped.map(({ operationId }) => operationId).sort()).toEqual(
    charging.map(({ operationId }) => operationId).sort(),
  );
});

test.each(ROUTES)(
  '$operation by $way charges what it says, at most x-max-credits',
  async ({ operation, way }) => {
    const send = WAYS[way]();
    const { cost, ...request } = await (CASES[operation] as Case)(send, await newProduct());
    const before = await service.used(person);
    const refused = await send(request, { 'x-max-credits': String(cost - 1) });
    expect([refused.status, refused.body.credits_required, refused.body.credits_max]).toEqual([
      402,
      cost,
      cost - 1,
    ]);
    expect(refused.headers['x-credits-charged']).toBe('0');
    expect(await service.used(person)).toBe(before);

    const { status, headers } = await send(request, { 'x-max-credits': String(cost) });
    const balance = await app.charging.freshBalance(person.accountId);
    expect([[200, 201].includes(status), Number(headers['x-credits-charged'])]).toEqual([
      true,
      cost,
    ]);
    expect(balance?.used).toBe(before + cost);
    expect(Number(headers['x-credits-remaining'])).toBe(
      (balance?.allocation ?? 0) + (balance?.granted ?? 0) - (balance?.used ?? 0),
    );
  },
);

test.each(ROUTES)(
  '$operation by $way gets its response when the database goes away after the charge',
  async ({ operation, way }) => {
    const { cost, ...request } = await (CASES[operation] as Case)(WAYS[way](), await newProduct());
    const before = await service.used(person);
    let isAway = false;
    const untilAway =
      <Input extends unknown[], Output>(run: (...input: Input) => Promise<Output>) =>
      async (...input: Input): Promise<Output> => {
        if (isAway) throw new Error('the database is away');
        const output = await run(...input);
        isAway = (await service.used(person)) !== before;
        return output;
      };
    const { db, charging } = app;
    const server = await buildServer(
      {
        ...app,
        notReadyReason: () => null,
        db: {
          ...db,
          read: untilAway(db.read) as typeof db.read,
          query: untilAway(db.query) as typeof db.query,
          transaction: untilAway(db.transaction) as typeof db.transaction,
        },
        charging: {
          ...charging,
          charge: untilAway(charging.charge),
          chargeWith: untilAway(charging.chargeWith) as typeof charging.chargeWith,
          freshBalance: untilAway(charging.freshBalance),
        },
      },
      { trustProxy: null, endpoints: true },
    );
    const { status, headers } = await WAYS[way](server)(request);
    expect([[200, 201].includes(status), Number(headers['x-credits-charged'])]).toEqual([
      true,
      cost,
    ]);
    expect(isAway).toBe(true);
    await server.close();
  },
);
