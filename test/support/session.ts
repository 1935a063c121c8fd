// Signed-in users of a service's dashboard, and the requests that their browser sends.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { App } from '../../src/app.ts';
import { createLog, type Log } from '../../src/foundation/log.ts';
import { type Customer, expectErrorRecord, type Reply, type Service } from './service.ts';

export const PASSWORD = 'correct horse battery';

/** A customer with a user who can sign in. */
export type Person = Customer & { password: string; cookie: string };

type Served = { app: Pick<App, 'allowedOrigins'>; server: FastifyInstance };

/** Headers that a browser adds to a request of a dashboard page. Undefined members are not sent. */
export type PageHeaders = Record<string, string | undefined>;

export function pageHeaders({ app }: Pick<Served, 'app'>, more: PageHeaders = {}): PageHeaders {
  const { publicUrl } = app.allowedOrigins;
  return {
    host: new URL(publicUrl).host,
    origin: publicUrl,
    'sec-fetch-site': 'same-origin',
    ...more,
  };
}

/** Sends a request as a dashboard page does, with the person's cookie and a JSON body. */
export async function sendRequest(
  served: Served,
  person: { cookie: string } | null,
  request: { method: string; path: string; body?: unknown; headers?: PageHeaders; ip?: string },
): Promise<Reply> {
  const { method, path, body, ip } = request;
  const allHeaders = pageHeaders(served, {
    ...(method === 'GET' ? { origin: undefined } : { 'content-type': 'application/json' }),
    ...(person === null ? {} : { cookie: person.cookie }),
    ...request.headers,
  });
  const headers = Object.fromEntries(Object.entries(allHeaders).filter(([, value]) => value));
  const reply = await served.server.inject({
    method: method as 'GET',
    url: path,
    headers: headers as Record<string, string>,
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    ...(ip === undefined ? {} : { remoteAddress: ip }),
  });
  const isJson = String(reply.headers['content-type']).includes('json');
  const received = isJson ? JSON.parse(reply.payload) : reply.payload;
  if (isJson && reply.statusCode >= 400) expectErrorRecord(reply.statusCode, received);
  return { status: reply.statusCode, headers: reply.headers, body: received };
}

/** Creates an account with a user and a session. */
export async function signedIn(
  service: Service,
  options: { plan?: string; perSecond?: number } = {},
): Promise<Person> {
  const customer = await service.newCustomer(options);
  await addPerson(service, customer);
  const person = { ...customer, password: PASSWORD };
  return { ...person, cookie: await newSession(service, person) };
}

/** Password hash of each service's first person; creating one takes a tenth of a second. */
const hashes = new WeakMap<Service, string>();

async function addPerson(service: Service, { email, accountId }: Customer): Promise<void> {
  const { db, signIn } = service.app;
  const passwordHash = hashes.get(service);
  if (passwordHash !== undefined) {
    await db.query(
      `insert into auth.users (id, email, email_verified, name, account_id, created_at, updated_at)
       values ($1::text, $2, true, '', $1::uuid, now(), now())`,
      [accountId, email],
    );
    await db.query(
      `insert into auth.credentials (id, user_id, account_id, provider_id, password, created_at, updated_at)
       values ($1, $1, $1, 'credential', $2, now(), now())`,
      [accountId, passwordHash],
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

/** Returns the Cookie header that a browser would send. */
export const cookieFrom = (set: string | readonly string[] | number | undefined): string =>
  [set ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0] as string)
    .join('; ');

export type Route = { method: string; path: string };

/** Returns the server's routes under a prefix, from its route table. */
export function routesUnder(server: FastifyInstance, prefix: string): Route[] {
  const routes: Route[] = [];
  const parents: string[] = [];
  for (const line of server.printRoutes({ commonPrefix: false }).split('\n')) {
    const match = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line);
    if (match === null) continue;
    const [, indent = '', part = '', methods = ''] = match;
    const depth = indent.length / 4;
    const path = depth === 0 ? part : `${parents[depth - 1]}${part}`;
    parents[depth] = path;
    for (const method of methods.split(', ')) if (method !== '') routes.push({ method, path });
  }
  return routes.filter(({ path }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Creates a log whose lines can be read back. */
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

/** Polls until `read` returns a value: for effects that follow a response. */
export async function eventually<T>(
  read: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(10);
  }
  throw new Error('no value within four seconds');
}

/** Returns the token of the last link logged for an e-mail address. */
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
