// Runs the whole service in this process on a separate database, and sends requests as a customer.
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { setRequestsPerSecond } from '../../src/accounts/accounts.ts';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { buildServer } from '../../src/api/server.ts';
import { type App, buildApp } from '../../src/app.ts';
import type { Product } from '../../src/catalog/product.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import type { Settings } from '../../src/config.ts';
import { openAccount } from '../../src/credits/open-account.ts';
import type { ConnectionSettings } from '../../src/database/database.ts';
import { type Clock, realClock } from '../../src/foundation/clock.ts';
import { ERROR_CODES } from '../../src/foundation/error-codes.ts';
import { createLog, type Log } from '../../src/foundation/log.ts';
import { BUCKETS } from '../../src/limits/bucket.ts';
import type { ResolveName } from '../../src/outbound/checked-connect.ts';
import type { Source } from '../../src/sources/source.ts';
import { atEnd } from './at-end.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { createShelfSource, type ShelfSource, shelfSnapshots } from './shelf.ts';

export type Customer = { accountId: string; email: string; apiKey: string };

export type Service = {
  app: App;
  /** The connection settings of its database, for another process. */
  connection: ConnectionSettings;
  database: TestDatabase;
  server: FastifyInstance;
  /** Sends a request with a customer's key; the body, if any, as JSON. */
  send(customer: Customer | null, method: string, url: string, more?: Extra): Promise<Reply>;
  get(customer: Customer | null, url: string, headers?: Record<string, string>): Promise<Reply>;
  newCustomer(options?: { plan?: string; perSecond?: number }): Promise<Customer>;
  /** Returns the credits that the customer has used in the period, by its balance. */
  used(customer: Customer): Promise<number>;
  /** The products in the catalogue at the start, observed just now. */
  products: Product[];
  source: ShelfSource;
};

/** Checks on every error response that it has the common members. */
export function expectErrorRecord(status: number, body: Record<string, unknown>): void {
  const { code } = body;
  expect(body).toMatchObject({ error: status, doc_url: `/docs/errors#${code}` });
  expect(Object.keys(ERROR_CODES)).toContain(code);
}

type Extra = { headers?: Record<string, string>; payload?: string };

export type Reply = {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped JSON
  body: any;
};

let customers = 0;

/**
 * Starts a service with the products of the shelf. `options.source` replaces only the marketplace.
 */
export async function startService(
  options: {
    clock?: Clock;
    log?: Log;
    source?: Source;
    allowPrivateTargets?: boolean;
    /** By default every name resolves to the same public address, without DNS. */
    resolveName?: ResolveName;
    settings?: Partial<Pick<Settings, 'HOST' | 'PUBLIC_URL' | 'SMTP_URL' | 'MAIL_FROM'>>;
    /** Signs sessions. */
    authSecret?: string;
    trustProxy?: string;
    /** The database of an earlier service, to continue with. */
    database?: TestDatabase;
    /** false: nothing of the shelf is recorded; the database has its own products. */
    isStocked?: boolean;
    /** false: commits do not wait for the disk. */
    isDurable?: boolean;
  } = {},
): Promise<Service> {
  const database =
    options.database ?? (await cloneDatabase({ isDurable: options.isDurable ?? true }));
  const { db, connection } = database;
  const log = options.log ?? createLog('silent');
  const clock = options.clock ?? realClock;
  const source = createShelfSource(shelfSnapshots(clock.nowMs()));
  const marketplace = options.source ?? source;
  const app = buildApp({
    db,
    clock,
    log,
    source: marketplace,
    encryptionKeys: [Buffer.alloc(32, 7)],
    resolveName: options.resolveName ?? (async () => ['93.184.215.14']),
    ...(options.authSecret === undefined ? {} : { authSecret: options.authSecret }),
    settings: {
      ...options.settings,
      REDIS_URL: null,
      PORT: 8080,
      ALLOW_PRIVATE_TARGETS: options.allowPrivateTargets ?? false,
    },
  });
  const server = await buildServer(
    { ...app, notReadyReason: () => null },
    { trustProxy: options.trustProxy ?? null, endpoints: true },
  );
  atEnd(async () => {
    await server.close();
    await app.close();
  });
  const stock = options.isStocked === false ? [] : shelfSnapshots(clock.nowMs());
  const recorded = await recordSnapshots(app, stock);
  const products = recorded.map(({ product }) => product);

  const send: Service['send'] = async (customer, method, url, more = {}) => {
    const reply = await server.inject({
      method: method as 'GET',
      url,
      headers: { ...(customer ? { 'x-api-key': customer.apiKey } : {}), ...more.headers },
      ...(more.payload === undefined ? {} : { payload: more.payload }),
    });
    const isJson = String(reply.headers['content-type']).includes('json');
    const body = isJson ? JSON.parse(reply.payload) : reply.payload;
    if (isJson && reply.statusCode >= 400) expectErrorRecord(reply.statusCode, body);
    return { status: reply.statusCode, headers: reply.headers, body };
  };
  const newCustomer: Service['newCustomer'] = async ({ plan = 'Starter', perSecond } = {}) => {
    const email = `customer${++customers}@example.com`;
    const opened = await openAccount(app, { email, plan: await app.plans.named(plan) });
    const { accountId } = opened;
    const { apiKey } = await createApiKey(db, { accountId, name: 'test', now: clock.nowMs() });
    if (perSecond !== undefined) {
      await setRequestsPerSecond(db, { accountId, buckets: BUCKETS, perSecond });
    }
    return { accountId, email, apiKey };
  };
  return {
    app,
    connection,
    database,
    server,
    send,
    newCustomer,
    products,
    source,
    get: (customer, url, headers = {}) => send(customer, 'GET', url, { headers }),
    used: async (customer) => (await app.charging.freshBalance(customer.accountId))?.used ?? -1,
  };
}
