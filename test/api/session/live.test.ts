// GET /session/live: notifies open pages of changes until their session or the server ends.
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { closeServer } from '../../../src/api/server.ts';
import { startService } from '../../support/service.ts';
import {
  eventually,
  newSession,
  type Person,
  sendRequest,
  signedIn,
} from '../../support/session.ts';
import { newEvent, record } from '../../support/webhooks.ts';

const service = await startService();
const person = await signedIn(service, { plan: 'Pro' });
const code = service.products[0]?.code as string;
let port = 0;

beforeAll(async () => {
  await service.server.listen({ host: '127.0.0.1', port: 0 });
  port = (service.server.server.address() as AddressInfo).port;
  service.app.listensOn(port);
});
afterEach(() => vi.useRealTimers());

async function open(cookie: string) {
  const request = httpGet({
    host: '127.0.0.1',
    port,
    path: '/session/live',
    agent: false,
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  const [reply] = (await once(request, 'response')) as [IncomingMessage];
  request.on('error', () => {});
  reply.on('error', () => {});
  onTestFinished(() => void request.destroy());
  let text = '';
  reply.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const topics = () =>
    [...text.matchAll(/^event: change\ndata: (.+)\n\n/gm)].flatMap(
      ([, data]) => JSON.parse(String(data)).topics as string[],
    );
  return {
    request,
    reply,
    topics,
    text: () => text,
    ended: new Promise((done) => reply.once('close', done)),
  };
}

const post = (who: Person, path: string, body: unknown) =>
  sendRequest(service, who, { method: 'POST', path, body });

test('notifies every page of the account, and no other, of credits, products and events', async () => {
  const other = await signedIn(service);
  const [one, two, foreign] = [
    await open(person.cookie),
    await open(person.cookie),
    await open(other.cookie),
  ];
  expect(one.reply.statusCode).toBe(200);
  expect(one.reply.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  await sendRequest(service, person, {
    method: 'GET',
    path: `/session/retailer/product/details?retailer_product_code=${code}`,
  });
  await post(person, '/session/retailer/oversight/products', { retailer_product_code: code });
  await record(service, [newEvent(person, Date.now())]);
  for (const page of [one, two]) {
    await eventually(
      () =>
        ['credits', 'tracked', 'events'].every((topic) => page.topics().includes(topic)) ||
        undefined,
    );
  }
  expect(foreign.topics()).toEqual([]);
});

test('ends when the session is ended elsewhere, and only then', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const [leaving, staying] = [await newSession(service, person), await newSession(service, person)];
  const [gone, kept] = [await open(leaving), await open(staying)];
  await post({ ...person, cookie: leaving }, '/session/sign-out', {});
  await vi.advanceTimersByTimeAsync(30_000);
  await gone.ended;
  await vi.advanceTimersByTimeAsync(30_000);
  await eventually(() => (kept.text().includes(': still here') ? true : undefined));
  expect(kept.reply.destroyed).toBe(false);
});

test('an open page does not renew a session, because it cannot renew the cookie', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const page = await open(person.cookie);
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const { db } = service.app;
  await db.query('update auth.sessions set expires_at = $1', [soon]);
  await vi.advanceTimersByTimeAsync(30_000);
  await eventually(() => (page.text().includes(': still here') ? true : undefined));
  const rows = await db.query<{ expires_at: number }>(
    'select distinct expires_at from auth.sessions',
  );
  expect(rows.map(({ expires_at: at }) => at)).toEqual([Date.parse(soon)]);
  // The next page that is opened renews it, and sets the cookie.
  const next = await open(person.cookie);
  expect(String(next.reply.headers['set-cookie'])).toMatch(/^oversight\.session_token=.*Max-Age=/);
});

test('503 for the twenty-first page of an account, until one is closed', async () => {
  const many = await signedIn(service);
  const pages = await Promise.all(Array.from({ length: 20 }, () => open(many.cookie)));
  expect(pages.every(({ reply }) => reply.statusCode === 200)).toBe(true);
  expect((await open(many.cookie)).reply.statusCode).toBe(503);
  pages[0]?.request.destroy();
  await eventually(async () =>
    (await open(many.cookie)).reply.statusCode === 200 ? true : undefined,
  );
});

test('a server that stops does not wait for open pages', async () => {
  const page = await open(person.cookie);
  const begun = performance.now();
  await Promise.all([closeServer(service.server), page.ended]);
  expect(performance.now() - begun).toBeLessThan(3_000);
});
