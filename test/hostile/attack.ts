// Sends hostile requests to a service and checks the responses: no 5xx, every error in the error
// format, and other customers are served meanwhile.
import type { FastifyInstance } from 'fastify';
import { createOperatorToken } from '../../src/accounts/operator-tokens.ts';
import { buildServer } from '../../src/api/server.ts';
import { newId } from '../../src/foundation/id.ts';
import type { Customer, Service } from '../support/service.ts';
import { signedIn } from '../support/session.ts';
import { register } from '../support/webhooks.ts';
import { type Belongings, type HostileRequest, hostileRequest } from './requests.ts';
import { type Route, routesOf } from './routes.ts';

export type Finding = { seed: number; index: number; why: string; request: string };

export type Attack = {
  /** Sends the requests from one index to another (exclusive). */
  send(range: { seed: number; from: number; to: number }): Promise<Finding[]>;
  /** Number of responses by status. */
  statuses: Map<number, number>;
  server: FastifyInstance;
  routes: readonly Route[];
};

const AT_ONCE = 40;
const PART = 1_000;
/** Renewed before their data or used-up quotas get in the way. */
const PARTS_PER_ATTACKER = 2;

export async function prepareAttack(service: Service): Promise<Attack> {
  const limiter: Service['app']['limiter'] = {
    take: () => ({ admitted: true, holdMs: 0, left: 1 }),
    close: async () => {},
  };
  const server = await buildServer(
    { ...service.app, limiter, notReadyReason: () => null },
    { trustProxy: null, endpoints: true, describeSession: true },
  );
  const routes = routesOf(server.swagger());
  const innocent = await service.newCustomer({ perSecond: 100_000 });
  const shared = await sharedBelongings(service, innocent);
  const statuses = new Map<number, number>();
  let attacker: Belongings | null = null;
  let parts = 0;

  const sendPart = async ({ seed, from, to }: { seed: number; from: number; to: number }) => {
    if (attacker === null || ++parts % PARTS_PER_ATTACKER === 0) {
      const { apiKey, cookie, accountId } = await signedIn(service, { plan: 'Scale' });
      const { cookie: spareCookie } = await signedIn(service);
      attacker = { ...shared, apiKey, cookie, spareCookie, ids: [...shared.ids, accountId] };
    }
    const belongings = attacker;
    const findings: Finding[] = [];
    let next = from;
    const work = async () => {
      while (next < to) {
        const index = next++;
        const request = hostileRequest(routes, { seed, index, belongings });
        const why = await judge(server, request, statuses);
        if (why !== null) findings.push({ seed, index, why, request: shown(request) });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const why = await whyNotServed(service, innocent);
    if (why !== null) findings.push({ seed, index: to, why, request: 'of an innocent customer' });
    return findings;
  };

  return {
    statuses,
    server,
    routes,
    async send({ seed, from, to }) {
      const findings: Finding[] = [];
      for (let start = from; start < to; start += PART) {
        findings.push(...(await sendPart({ seed, from: start, to: Math.min(start + PART, to) })));
      }
      return findings;
    },
  };
}

/** Things of another customer that the attackers know but must not reach. */
async function sharedBelongings(service: Service, innocent: Customer) {
  const { db, clock } = service.app;
  const now = clock.nowMs();
  const codes = service.products.map(({ code }) => code);
  const { webhookId } = await register(service.app, {
    accountId: innocent.accountId,
    url: 'https://hooks.example.com/innocent',
  });
  const tracked = await service.send(innocent, 'POST', '/retailer/oversight/products', {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ retailer_product_code: codes[0], tier: 0 }),
  });
  const trackedIds = [tracked.body?.id].filter(Boolean);
  const tokens = await Promise.all(
    (['ingest', 'metrics'] as const).map((scope) =>
      createOperatorToken(db, { scope, now }).then(({ token }) => token),
    ),
  );
  return {
    codes,
    tokens,
    origin: service.app.allowedOrigins.publicUrl,
    ids: [webhookId, ...trackedIds, innocent.accountId, newId()] as string[],
  };
}

async function whyNotServed(service: Service, innocent: Customer): Promise<string | null> {
  const code = service.products[0]?.code;
  for (const url of ['/user/credits', `/retailer/product/details?retailer_product_code=${code}`]) {
    const { status } = await service.get(innocent, url);
    if (status !== 200) return `${url} responded with ${status}`;
  }
  return null;
}

async function judge(
  server: FastifyInstance,
  request: HostileRequest,
  statuses: Map<number, number>,
): Promise<string | null> {
  let reply: Awaited<ReturnType<FastifyInstance['inject']>>;
  try {
    reply = await server.inject(request as never);
  } catch {
    return null; // no client could send it like this
  }
  const { statusCode, headers, payload } = reply;
  statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  const isPage = request.headers['sec-fetch-mode'] === 'navigate';
  if (request.method === 'HEAD' || isPage) return statusCode >= 500 ? `${statusCode}` : null;
  return whyWrong(statusCode, String(headers['content-type']), payload);
}

/** Returns why a response is not allowed; null when it is. */
export function whyWrong(status: number, type: string, body: string): string | null {
  if (status >= 500) return `${status}: ${body.slice(0, 200)}`;
  if (status < 400) return null;
  if (!type.includes('json')) return `${status} of type ${type}`;
  try {
    const { error, message, code, request_id } = JSON.parse(body);
    const isRecord =
      error === status && [message, code, request_id].every((one) => typeof one === 'string');
    return isRecord ? null : `${status} is not the error record: ${body.slice(0, 200)}`;
  } catch {
    return `${status} is not JSON: ${body.slice(0, 200)}`;
  }
}

const shown = ({ method, url, headers, payload }: HostileRequest): string =>
  JSON.stringify({ method, url, headers, payload: payload?.toString() }).slice(0, 1_000);
