// Input that can be sent but not stored, and failures of the database: a clear error, never a 500.
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { replyWithError } from '../../src/api/error-reply.ts';
import { atEnd } from '../support/at-end.ts';
import { startService } from '../support/service.ts';
import { PASSWORD, sendRequest, signedIn } from '../support/session.ts';

const service = await startService();
const person = await signedIn(service);
const customer = await service.newCustomer({ perSecond: 100_000 });

const post = (path: string, payload: string, who: typeof person | null = null) =>
  service.server.inject({
    method: 'POST',
    url: path,
    payload,
    headers: {
      host: '127.0.0.1:8080',
      origin: 'http://127.0.0.1:8080',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      ...(who === null ? {} : { cookie: who.cookie }),
    },
  });

describe('a body that is nested too deeply is 400, in the common error format', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const paths = ['sign-up', 'sign-in', 'finish-sign-up', 'reset-password', 'change-password'];
  test.each(paths)('/session/%s', async (path) => {
    for (const body of [deep(5_000), deep(30_000), objects(5_000)]) {
      for (const text of [body, `{"email":${body},"token":${body},"current_password":${body}}`]) {
        const reply = await post(`/session/${path}`, text, person);
        expect(reply.statusCode).toBe(text.length > 65_536 ? 413 : 400);
        expect(reply.json()).toMatchObject({
          error: reply.statusCode,
          request_id: expect.any(String),
        });
      }
    }
  });

  test('with a key', async () => {
    const { status, body } = await service.send(customer, 'POST', '/retailer/oversight/products', {
      headers: { 'content-type': 'application/json' },
      payload: `{"products":${deep(5_000)}}`,
    });
    expect([status, body.code]).toEqual([400, 'body_malformed']);
    expect(body.message).toContain('at most 32 levels');
  });
});

describe('text that cannot be stored is 400 and names its field', () => {
  const page = (method: string, path: string, body?: unknown) =>
    sendRequest(service, person, { method, path: `/session/${path}`, body });
  test.each(['\0', 'a\0b', '\ud800', 'x\udc00'])('%j', async (text) => {
    for (const path of ['finish-sign-up', 'reset-password']) {
      const { status, body } = await page('POST', path, { token: text, password: PASSWORD });
      expect([status, body.message]).toEqual([400, expect.stringContaining('Body member token')]);
    }
    for (const [path, body, name] of [
      ['sign-in', { email: `${text}@example.com`, password: PASSWORD }, 'email'],
      ['sign-in', { email: 'a@example.com', password: text }, 'password'],
      ['keys', { name: text }, 'name'],
      ['change-password', { current_password: text, new_password: PASSWORD }, 'current_password'],
    ] as const) {
      const reply = await page('POST', path, body);
      expect([path, reply.status]).toEqual([path, 400]);
      expect(reply.body.message).toContain(`Body member ${name}`);
    }
  });

  test('in a URL: 400 in a query, 404 for an id', async () => {
    const { status, body } = await service.get(customer, '/user/credits/ledger?after=%00');
    expect([status, body.message]).toEqual([400, expect.stringContaining('parameter after')]);
    expect((await service.get(customer, '/retailer/webhooks/a%00b')).status).toBe(404);
  });
});

test('every response has nosniff', async () => {
  for (const url of ['/healthz', '/user/credits', '/nothing', '/%E0%A4%A', '/session/me']) {
    const { headers } = await service.get(customer, url);
    expect([url, headers['x-content-type-options']]).toEqual([url, 'nosniff']);
  }
});

describe('an unavailable database or an overloaded machine is 503, never 500', () => {
  const app = fastify();
  atEnd(() => app.close());
  app.setErrorHandler((error, request, reply) =>
    replyWithError(service.app.log, error, request, reply),
  );
  let fault: unknown;
  app.get('/fails', async () => {
    throw fault;
  });
  const coded = (code: string) => Object.assign(new Error('no'), { code });

  test.each([
    '53100',
    '53200',
    '53300',
    '57014',
    '57P01',
    '57P03',
    '08006',
    '08001',
    '58030',
    '40P01',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ENOSPC',
    'EMFILE',
  ])('%s', async (code) => {
    for (const one of [coded(code), new Error('wrapped', { cause: coded(code) })]) {
      fault = one;
      const reply = await app.inject('/fails');
      expect(reply.statusCode).toBe(503);
      expect(reply.json()).toMatchObject({ error: 503, code: 'temporarily_unavailable' });
      expect(reply.headers['retry-after']).toBe('1');
    }
  });

  test.each([
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ])('%s', async (message) => {
    fault = new Error(message);
    expect((await app.inject('/fails')).statusCode).toBe(503);
  });

  test('a bug of the service stays 500', async () => {
    for (const one of [new TypeError('x is undefined'), coded('22021'), coded('23505')]) {
      fault = one;
      expect((await app.inject('/fails')).statusCode).toBe(500);
    }
  });
});
