// People who are signed in to a service's dashboard, and what their browser sends for its pages.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { App } from '../../src/app.ts';
import { createLog, type Log } from '../../src/foundation/log.ts';
import { type Customer, expectErrorRecord, type Reply, type Service } from './service.ts';

export const PASSWORD = 'correct horse battery';

/** A customer with somebody who acts for it. */
export type Person = Customer & { password: string; cookie: string };

type Served = { app: Pick<App, 'allowedOrigins'>; server: FastifyInstance };

/** What a browser adds to a request of our own page. Members that are undefined are left out. */
export type PageHeaders = Record<string, string | undefined>;

export function pageHeaders({ app }: Pick<Served, 'app'>, more: PageHeaders = {}): PageHeaders {
  const { publicUrl } = app.allowedOrigins;
  return {
    ...{ host: new URL(publicUrl).host, origin: publicUrl, 'sec-fetch-site': 'same-origin' },
    ...more,
  };
}

/** As a page of the dashboard asks: with the person's cookie, and the body as JSON. */
export async function ask(
  served: Served,
  person: { cookie: string } | null,
  request: { method: string; path: string; body?: unknown; headers?: PageHeaders; ip?: string },
): Promise<Reply> {
  const { method, path, body, ip } = request;
  const given = pageHeaders(served, {
    ...(method === 'GET' ? { origin: undefined } : { 'content-type': 'application/json' }),
    ...(person === null ? {} : { cookie: person.cookie }),
    ...request.headers,
  });
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const reply = await served.server.inject({
    ...{ method: method as 'GET', url: path, headers: headers as Record<string, string> },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    ...(ip === undefined ? {} : { remoteAddress: ip }),
  });
  const isJson = String(reply.headers['content-type']).includes('json');
  const received = isJson ? JSON.parse(reply.payload) : reply.payload;
  if (isJson && reply.statusCode >= 400) expectErrorRecord(reply.statusCode, received);
  return { status: reply.statusCode, headers: reply.headers, body: received };
}

/** An account, somebody who acts for it, and the cookie of a session. */
export async function signedIn(
  service: Service,
  options: { plan?: string; perSecond?: number } = {},
): Promise<Person> {
  const customer = await service.newCustomer(options);
  await addPerson(service, customer);
  const person = { ...customer, password: PASSWORD };
  return { ...person, cookie: await newSession(service, person) };
}

/** Who has a person already whose hash can be taken: making one takes a tenth of a second. */
const hashes = new WeakMap<Service, string>();

async function addPerson(service: Service, { email, accountId }: Customer): Promise<void> {
  const { db, signIn } = service.app;
  const known = hashes.get(service);
  if (known !== undefined) {
    await db.query(
      `insert into auth.users (id, email, email_verified, name, account_id, created_at, updated_at)
       values ($1::text, $2, true, '', $1::uuid, now(), now())`,
      [accountId, email],
    );
    await db.query(
      `insert into auth.credentials (id, user_id, account_id, provider_id, password, created_at, updated_at)
       values ($1, $1, $1, 'credential', $2, now(), now())`,
      [accountId, known],
    );
    return;
  }
  await signIn.addPerson({ email, password: PASSWORD, accountId });
  const [row] = await db.query<{ password: string }>(
    `select c.password from auth.credentials c join auth.users u on u.id = c.user_id
      where u.account_id = $1`,
    [accountId],
  );
  if (row !== undefined) hashes.set(service, row.password);
}

/** A further session of the same person, as from another browser. */
export async function newSession(
  { app }: Pick<Service, 'app'>,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const from = { ip: '127.0.0.1', userAgent: undefined };
  const cookies = await app.signIn.signIn({ email, password, from });
  if (cookies === null) throw new Error(`${email} could not sign in`);
  return cookieFrom(cookies);
}

/** What a browser would send back. */
export const cookieFrom = (set: string | readonly string[] | number | undefined): string =>
  [set ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0] as string)
    .join('; ');

export type Route = { method: string; path: string };

/** Every route of a server that begins so, from its own table. */
export function routesUnder(server: FastifyInstance, prefix: string): Route[] {
  const routes: Route[] = [];
  const parents: string[] = [];
  for (const line of server.printRoutes({ commonPrefix: false }).split('\n')) {
    const found = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line);
    if (found === null) continue;
    const [, indent = '', part = '', methods = ''] = found;
    const depth = indent.length / 4;
    const path = depth === 0 ? part : `${parents[depth - 1]}${part}`;
    parents[depth] = path;
    for (const method of methods.split(', ')) if (method !== '') routes.push({ method, path });
  }
  return routes.filter(({ path }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** A log whose lines are kept. */
export function keptLog(level = 'trace'): {
  log: Log;
  lines(): Record<string, unknown>[];
  text(): string;
} {
  let text = '';
  const log = createLog(level, {
    write(line) {
      text += line;
    },
  });
  const lines = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { log, lines, text: () => text };
}

/** Asks until there is an answer: for what happens after a reply has gone out. */
export async function eventually<T>(
  observation: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await observation();
    if (found !== undefined) return found;
    await sleep(10);
  }
  throw new Error('it did not happen within four seconds');
}

/** The token of the last link that was logged for an e-mail. */
export function linkTo(
  kept: { lines(): Record<string, unknown>[] },
  email: string,
): Promise<string> {
  return eventually(() => {
    const link = kept.lines().findLast(({ to, link }) => to === email && link !== undefined)?.link;
    return link === undefined
      ? undefined
      : (new URL(String(link)).searchParams.get('token') ?? undefined);
  });
}
