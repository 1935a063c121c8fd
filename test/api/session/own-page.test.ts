// What every session route requires of a request first, for each route of the server's table.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/foundation/id.ts';
import { atEnd } from '../../support/at-end.ts';
import { startService } from '../../support/service.ts';
import {
  eventually,
  keptLog,
  newSession,
  PASSWORD,
  type PageHeaders,
  type Route,
  routesUnder,
  sendRequest,
  signedIn,
} from '../../support/session.ts';

const kept = keptLog();
const service = await startService();
const behind = await startService({
  settings: { PUBLIC_URL: 'https://oversight.example', HOST: '0.0.0.0' },
  log: kept.log,
  trustProxy: '127.0.0.1',
});
const person = await signedIn(service);

const named = ({ method, path }: Route) => [`${method} ${path}`, { method, path }] as const;
const ROUTES = routesUnder(service.server, '/session').map(named);
const CHANGING = ROUTES.filter(([, { method }]) => method !== 'GET');
const READING = ROUTES.filter(([, { method }]) => method === 'GET');

/** Routes without a sign-in. A new one must be added here by hand. */
const OPEN = new Set([
  '/session/sign-up',
  '/session/finish-sign-up',
  '/session/sign-in',
  '/session/sign-out',
  '/session/check-link',
  '/session/request-password-reset',
  '/session/reset-password',
]);
const FOR_PEOPLE = ROUTES.filter(([, { path }]) => !OPEN.has(path));

const send = (route: Route, headers: PageHeaders, who: { cookie: string } | null = person) =>
  sendRequest(service, who, {
    method: route.method,
    path: route.path.replaceAll(/:\w+/g, newId()),
    headers,
    ...(route.method === 'GET' || route.method === 'DELETE' ? {} : { body: {} }),
  });

test('the table of routes is complete', () => {
  expect(ROUTES.length).toBeGreaterThan(45);
  const names = ROUTES.map(([name]) => name);
  for (const one of [
    'GET /session',
    'GET /session/live',
    'POST /session/sign-in',
    'DELETE /session/keys/:id',
    'GET /session/ledger.csv',
    'POST /session/retailer/oversight/products/:id/backtest',
    'GET /session/retailer/product/details',
    'GET /session/tracked/:id/history',
    'GET /session/retailer/oversight/products/:id',
  ]) {
    expect(names).toContain(one);
  }
  // The dashboard has a separate list.
  expect(names).not.toContain('GET /session/retailer/oversight/products');
  for (const path of OPEN) expect(names).toContain(`POST ${path}`);
});

describe('403: a change that does not come from our own page', () => {
  test.each(CHANGING)('%s', async (_name, route) => {
    const foreign: PageHeaders[] = [
      { origin: 'https://evil.example' },
      { origin: undefined },
      { origin: 'null' },
      { origin: 'http://localhost:8080' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': undefined },
      { host: 'evil.example' },
      { host: 'evil.example', 'x-forwarded-host': '127.0.0.1:8080' },
    ];
    for (const headers of foreign) {
      const reply = await send(route, headers);
      const code = headers.host === undefined ? 'origin_not_allowed' : 'host_not_allowed';
      expect([headers, reply.status, reply.body.code]).toEqual([headers, 403, code]);
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
  });
});

describe('415: a change that is not JSON', () => {
  test.each(CHANGING.filter(([, { method }]) => method !== 'DELETE'))(
    '%s',
    async (_name, route) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ]) {
        expect((await send(route, { 'content-type': type })).status).toBe(415);
      }
      expect((await send(route, { 'content-type': undefined })).status).toBe(415);
    },
  );
});

describe('403: reading for a page of another site, or under another name', () => {
  test.each(READING)('%s', async (_name, route) => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { host: 'evil.example' },
      { host: 'localhost.:8080' },
      { host: 'evil.example', 'x-forwarded-host': '127.0.0.1:8080' },
      { host: 'evil.example', forwarded: 'host="127.0.0.1:8080"' },
    ]) {
      expect((await send(route, headers)).status).toBe(403);
    }
  });
});

describe('401: without a session, and with a key instead of one', () => {
  test.each(FOR_PEOPLE)('%s', async (_name, route) => {
    const key = { 'x-api-key': person.apiKey, authorization: `Bearer ${person.apiKey}` };
    for (const headers of [{}, key, { ...key, cookie: 'oversight.session_token=x.y' }]) {
      const reply = await send(route, headers, null);
      expect([reply.status, reply.body.code]).toEqual([401, 'unauthenticated']);
      expect(reply.headers['cache-control']).toBe('no-store');
      expect(reply.headers.vary).toBe('cookie');
    }
  });
});

describe('401: a session instead of a key', () => {
  const forKeys = ['/retailer', '/user', '/ingest'].flatMap((prefix) =>
    routesUnder(service.server, prefix).map(named),
  );

  test.each(forKeys)('%s', async (_name, route) => {
    expect((await send(route, {})).status).toBe(401);
  });

  test('those are all of the API', () => {
    expect(forKeys.length).toBeGreaterThan(20);
  });
});

test('personal responses are not cached, and preflights are refused', async () => {
  const reply = await sendRequest(service, person, { method: 'GET', path: '/session' });
  expect(reply.status).toBe(200);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.headers.vary).toBe('cookie, accept-encoding');
  const preflight = await sendRequest(service, null, {
    method: 'OPTIONS',
    path: '/session/keys',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(405);
  expect(
    Object.keys(preflight.headers).filter((name) => name.startsWith('access-control')),
  ).toEqual([]);
});

test('malformed JSON is 400, and a body that is too large 413', async () => {
  for (const [payload, status] of [
    ['email=a%40example.com', 400],
    ['{"__proto__":{"x":1},"email":"a@example.com"}', 400],
    [JSON.stringify({ email: 'a'.repeat(70_000) }), 413],
  ] as const) {
    const reply = await service.server.inject({
      method: 'POST',
      url: '/session/sign-up',
      payload,
      headers: {
        host: '127.0.0.1:8080',
        origin: 'http://127.0.0.1:8080',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
    });
    expect(reply.statusCode).toBe(status);
  }
});

describe('on the wire', () => {
  let port = 0;
  beforeAll(async () => {
    await service.server.listen({ host: '127.0.0.1', port: 0 });
    port = (service.server.server.address() as AddressInfo).port;
  });
  atEnd(() => service.server.server.closeAllConnections());

  const raw = async (...lines: string[]) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write([...lines, `cookie: ${person.cookie}`, 'connection: close', '', ''].join('\r\n'));
    return (await text(socket)).split('\r\n')[0];
  };

  test.each([
    ['the right host', 200, ['GET /session HTTP/1.1', 'host: 127.0.0.1:8080']],
    ['another host', 403, ['GET /session HTTP/1.1', 'host: evil.example']],
    [
      'an address of ours, another host',
      403,
      ['GET http://127.0.0.1:8080/session HTTP/1.1', 'host: evil.example'],
    ],
    [
      'another’s first',
      403,
      ['GET /session HTTP/1.1', 'host: evil.example', 'host: 127.0.0.1:8080'],
    ],
    ['no host', 403, ['GET /session HTTP/1.0']],
    ['an empty host', 403, ['GET /session HTTP/1.1', 'host:']],
    [
      'another’s by a forwarded one',
      403,
      ['GET /session HTTP/1.1', 'host: evil.example', 'x-forwarded-host: 127.0.0.1:8080'],
    ],
  ])('%s is %i', async (_what, status, lines) => {
    expect(await raw(...lines)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe('behind https', () => {
  const sent = { host: 'internal:8080', 'x-forwarded-host': 'oversight.example' };

  test('cookies are Secure, and only pages of PUBLIC_URL may send changes', async () => {
    const other = await signedIn(behind);
    expect(other.cookie).toMatch(/^__Secure-oversight\.session_token=/);
    const body = { email: other.email, password: PASSWORD };
    const post = { method: 'POST', path: '/session/sign-in', body };
    const reply = await sendRequest(behind, null, { ...post, headers: sent });
    expect(reply.status).toBe(204);
    expect(String(reply.headers['set-cookie'])).toMatch(/; Secure(;|$)/);
    expect(String(reply.headers['set-cookie'])).toMatch(/; HttpOnly(;|$)/);
    expect(String(reply.headers['set-cookie'])).toMatch(/; SameSite=Strict(;|$)/);
    for (const headers of [
      { ...sent, origin: 'http://oversight.example' },
      { ...sent, 'x-forwarded-host': 'evil.example' },
      { ...sent, 'x-forwarded-host': 'oversight.example, evil.example' },
      { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' },
    ]) {
      expect((await sendRequest(behind, null, { ...post, headers })).status).toBe(403);
    }
  });

  test('a forwarded host counts only from a proxy that is trusted', async () => {
    const other = await signedIn(behind);
    const get = { method: 'GET', path: '/session', headers: sent };
    expect((await sendRequest(behind, other, get)).status).toBe(200);
    expect((await sendRequest(behind, other, { ...get, ip: '203.0.113.9' })).status).toBe(403);
  });

  test('a link to reset a password is not in the log of a server that others reach', async () => {
    const other = await signedIn(behind);
    for (const path of ['/session/request-password-reset', '/session/sign-up']) {
      const body = { email: other.email };
      const reply = await sendRequest(behind, null, { method: 'POST', path, body, headers: sent });
      expect([reply.status, reply.body.mail]).toEqual([202, 'none']);
    }
    const refusals = () => kept.lines().filter(({ msg }) => String(msg).includes('not sent'));
    await eventually(() => (refusals().length === 2 ? true : undefined));
    expect(kept.text()).not.toMatch(/token|reset-password\?/);
    expect(kept.text()).not.toContain(other.email);
  });

  test('nor is a link to an account that an operator has made; only one to a new account is', async () => {
    const { email } = await behind.newCustomer();
    const signUp = (to: string) =>
      sendRequest(behind, null, {
        method: 'POST',
        path: '/session/sign-up',
        body: { email: to },
        headers: sent,
      });
    expect((await signUp(email)).status).toBe(202);
    await eventually(() => kept.lines().find(({ purpose }) => purpose === 'join'));
    expect(kept.text()).not.toContain('token=');
    expect((await signUp('nobody.yet@example.com')).status).toBe(202);
    const link = await eventually(() => kept.lines().find(({ purpose }) => purpose === 'sign-up'));
    expect(link.to).toBe('nobody.yet@example.com');
  });

  test('a cookie that a page without https could have set does not sign in', async () => {
    const other = await signedIn(behind);
    const tossed = (await newSession(behind, other)).replace('__Secure-', '');
    const reply = await sendRequest(
      behind,
      { cookie: tossed },
      { method: 'GET', path: '/session' },
    );
    expect(reply.status).toBe(401);
  });
});
