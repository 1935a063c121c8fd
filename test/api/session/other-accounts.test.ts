// No account reaches another's data: every session route is tried with another account's real ids.
// The routes come from the server's route table and the list of endpoints; a new route or parameter
// must be added here, or a test fails.
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../src/api/metered.ts';
import { allEndpoints } from '../../../src/api/server.ts';
import { sessionEndpoints } from '../../../src/api/session/session-endpoints.ts';
import { startService } from '../../support/service.ts';
import { routesUnder, sendRequest, signedIn } from '../../support/session.ts';
import { attemptDue, newEvent, RECEIVED, record } from '../../support/webhooks.ts';

const service = await startService();
const [owner, intruder] = [
  await signedIn(service, { plan: 'Pro' }),
  await signedIn(service, { plan: 'Pro' }),
];
const deps = { ...service.app, notReadyReason: () => null };
const ENDPOINTS = sessionEndpoints(deps, allEndpoints(deps)).map((endpoint) => ({
  ...endpoint,
  path: endpoint.path.startsWith('/session') ? endpoint.path : `/session${endpoint.path}`,
}));

const code = service.products[0]?.code as string;
const as = (who: typeof owner, method: string, path: string, body?: unknown) =>
  sendRequest(service, who, { method, path, ...(body === undefined ? {} : { body }) });
const post = async (path: string, body: unknown) => (await as(owner, 'POST', path, body)).body;

// What the owner has: one of everything that has an id.
const tracked = await post('/session/retailer/oversight/products', { retailer_product_code: code });
const key = await post('/session/keys', { name: 'the owner’s own key' });
const webhook = await post('/session/retailer/webhooks', {
  url: 'https://owner.example/hook',
  name: 'the owner’s own webhook',
  events: ['*'],
});
const rule = await post('/session/retailer/oversight/rules', {
  name: 'the owner’s own rule',
  rules: { price: { percent: 5 } },
});
const events = [newEvent(owner, Date.now() - 2_000), newEvent(owner, Date.now() - 1_000)];
await record(service, events);
const [delivery = ''] = await attemptDue(service, owner, RECEIVED);
for (const what of ['details', 'offers']) {
  await as(owner, 'GET', `/session/retailer/product/${what}?retailer_product_code=${code}`);
}
const [bought] = (await as(owner, 'GET', '/session/library')).body;

/** The owner's id for each path parameter, by route. */
const IDS: Readonly<Record<string, string>> = {
  '/session/retailer/oversight/products/:id': tracked.id,
  '/session/retailer/oversight/rules/:id': rule.id,
  '/session/retailer/webhooks/deliveries/:delivery_id': delivery,
  '/session/retailer/webhooks/:id': webhook.id,
  '/session/keys/:id': key.id,
  '/session/library/:id': bought.id,
  '/session/tracked/:id': tracked.id,
  '/session/deliveries/:delivery_id': delivery,
};
/** Bodies that get a 2xx response for the owner. */
const BODIES: Readonly<Record<string, unknown>> = {
  'PATCH /session/retailer/oversight/products/:id': { tier: 3 },
  'POST /session/retailer/oversight/products/:id/backtest': {},
  'PATCH /session/retailer/oversight/rules/:id': { name: 'changed' },
  'PATCH /session/retailer/webhooks/:id': { name: 'changed' },
  'POST /session/retailer/webhooks/:id/recover': { since: '2026-11-01T00:00:00Z' },
};
/** Queries and bodies hold no id of another account: these names are known to be something else. */
const HARMLESS = new Set([
  // Search and finder: the catalogue is everybody's.
  'q',
  'format',
  'filters',
  'sort',
  'cursor',
  'limit',
  'after',
  'dry_run',
  'optional',
  'plan',
  'tag',
  'days',
  'kind',
  'operation',
  'from',
  'to',
  'type',
  'event',
  'outcome',
  'since',
  'name',
  'seller_name',
  'tier',
  'rules',
  'url',
  'events',
  'status',
  'retailer_product_code',
  'upc',
  'ean',
  'gtin',
  'period',
  'price',
  'buybox',
  'history_days',
  'seller_type',
  'changes_only',
  'format',
  'explain',
  'codes',
  'upcs',
  'eans',
  'include',
  'q',
  'filters',
  'sort',
  'cursor',
  'range',
  'width',
  'height',
  'theme',
  'series',
  'scale',
  'expires_in_days',
  'ttl',
  'tags',
  'metadata',
  'condition',
  'quiet_hours',
  'digest',
  'success_status',
  'until',
  // Ids and codes of tracked products: tried below.
  'items',
  'time_period',
  'attention',
  // Compared with the person's own, and nothing else.
  'password',
  'confirm_email',
]);

const withParams = routesUnder(service.server, '/session').filter(({ path }) => path.includes(':'));
const idFor = (path: string) => {
  const prefix = Object.keys(IDS).find((one) => path === one || path.startsWith(`${one}/`));
  return prefix === undefined ? undefined : IDS[prefix];
};
const filled = (path: string) => path.replace(/:\w+/, String(idFor(path)));

test('every id in a path is one that this test knows', () => {
  const unknown = withParams.filter(({ path }) => {
    return idFor(path) === undefined || path.split(':').length !== 2;
  });
  expect(unknown).toEqual([]);
  expect(withParams.length).toBeGreaterThan(14);
  expect(Object.values(IDS).every((id) => /^[0-9a-f-]{36}$/.test(id))).toBe(true);
});

test('no query or body names anything that may be another’s', () => {
  const names = (schema: Endpoint['body'] | Endpoint['query']) =>
    Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
  const unknown = ENDPOINTS.flatMap((endpoint) =>
    [...names(endpoint.query), ...names(endpoint.body)]
      .filter((name) => !HARMLESS.has(name))
      .map((name) => `${endpoint.method} ${endpoint.path} has ${name}`),
  );
  expect(unknown).toEqual([]);
});

describe('404 for another account’s id', () => {
  test.each(withParams.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (name, { method, path }) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : (BODIES[name] ?? {});
      const reply = await as(intruder, method, filled(path), body);
      expect([reply.status, reply.body.code]).toEqual([404, expect.stringMatching(/_not_found$/)]);
      const shouted = filled(path).replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase());
      expect((await as(intruder, method, shouted, body)).status).toBe(404);
    },
  );
});

test('404 for another account’s id among many items', async () => {
  const path = '/session/retailer/oversight/products/bulk';
  const items = [{ id: tracked.id, tier: 2 }];
  const changed = await as(intruder, 'PATCH', path, { items });
  expect(changed.body.results).toMatchObject([{ status: 404 }]);
  const removed = await as(intruder, 'POST', `${path}/remove`, { items: [{ id: tracked.id }] });
  expect(removed.body.results).toMatchObject([{ status: 404 }]);
});

describe('lists show nothing of another account', () => {
  const lists = ENDPOINTS.filter(
    ({ method, path, price }) => method === 'GET' && !path.includes(':') && price === undefined,
  );
  const secrets = [
    owner.email,
    owner.accountId,
    tracked.id,
    key.id,
    webhook.id,
    rule.id,
    delivery,
    'owner.example',
    'owner’s own',
    ...events.map(({ eventId }) => eventId),
  ];

  test.each(lists.map((endpoint) => [endpoint.path, endpoint] as const))(
    '%s',
    async (path, endpoint) => {
      const names = Object.keys(endpoint.query?.properties ?? {});
      const required = names.includes('codes') ? `?codes=${code}` : '';
      const ownersList = JSON.stringify((await as(owner, 'GET', path + required)).body);
      // With the owner's cursor in the list, and for the owner's product.
      const cursor = names.includes('after')
        ? /after=([\w-]+)/.exec(
            String((await as(owner, 'GET', `${path}?limit=1`)).headers.link),
          )?.[1]
        : undefined;
      const queries = [
        required,
        ...(cursor === undefined ? [] : [`?after=${cursor}`]),
        ...(names.includes('retailer_product_code') ? [`?retailer_product_code=${code}`] : []),
      ];
      for (const query of queries) {
        const reply = await as(intruder, 'GET', path + query);
        expect(reply.status).toBe(200);
        const shown = JSON.stringify(reply.body);
        expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
      }
      if (names.includes('after') && !path.startsWith('/session/tracked')) {
        expect(ownersList === '[]' || cursor !== undefined).toBe(true);
      }
    },
  );

  test('the owner sees every one of these, so there was something to find', async () => {
    let shown = '';
    for (const { path } of lists) shown += JSON.stringify((await as(owner, 'GET', path)).body);
    shown += JSON.stringify((await as(owner, 'GET', `/session/deliveries/${delivery}`)).body);
    expect(secrets.filter((secret) => !shown.includes(secret))).toEqual([]);
  });
});

test('afterwards the owner can still use everything', async () => {
  const inOrder = withParams.toSorted(
    (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
  );
  for (const { method, path } of inOrder) {
    const name = `${method} ${path}`;
    const body = method === 'GET' || method === 'DELETE' ? undefined : (BODIES[name] ?? {});
    const reply = await as(owner, method, filled(path), body);
    expect([name, reply.status, reply.body]).toEqual([
      name,
      expect.toSatisfy((status: number) => status >= 200 && status < 300),
      reply.body,
    ]);
  }
});

test('a page opened for another account gets 409, sees nothing and is charged nothing', async () => {
  const [person, other] = [await signedIn(service), await signedIn(service)];
  const path = `/session/retailer/product/details?retailer_product_code=${service.products[0]?.code}`;
  const sendAs = (as: string) =>
    sendRequest(service, person, { method: 'GET', path, headers: { 'x-account-id': as } });
  const refused = await sendAs(other.accountId);
  expect([refused.status, refused.body.signed_in_as_other]).toEqual([409, true]);
  expect(await service.used(person)).toBe(0);
  expect((await sendAs(person.accountId)).status).toBe(200);
  const live = { method: 'GET', path: `/session/live?account=${other.accountId}` };
  expect((await sendRequest(service, person, live)).status).toBe(409);
});
