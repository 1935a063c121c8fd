// Fifty accounts as customers use them: they buy, track, change their minds, read their event feed,
// and keep a record of every response, which the ledger is compared with at the end.
import { Agent, request } from 'node:http';
import type { Random } from '../support/random.ts';
import { ENDPOINT_KINDS, type EndpointKind, type Endpoints } from './endpoints.ts';
import type { CommandResult, ServiceProcess } from './machine.ts';

const PLANS = ['Free', 'Starter', 'Starter', 'Pro'] as const;
const PRODUCTS_PER_ACCOUNT = 4;
const REQUEST_TIMEOUT_MS = 60_000;
const PAUSE_MS_MAX = 1_500;
const FEED_PAUSE_MS = 2_000;

// biome-ignore lint/suspicious/noExplicitAny: whatever the service sent
export type Reply = { status: number; requestId: string; charged: number; link: string; body: any };

export type Customer = {
  index: number;
  email: string;
  accountId: string;
  apiKey: string;
  /** The cost in each response, by request id; 0 for every refusal. */
  responses: Map<string, { status: number; charged: number; isProduct: boolean }>;
  /** Requests without a complete response: they may have been charged. */
  unanswered: number;
  /** Event ids of the feed, and the cursor for the next read. */
  feed: Set<string>;
  feedCursor: string | null;
  trackedIds: string[];
};

export type Traffic = {
  statuses: Map<number, number>;
  /** 5xx other than 503: none but those of customers whose own row is poisoned. */
  faults: { requestId: string; text: string }[];
};

type Call = { method?: string; path: string; body?: unknown; headers?: Record<string, string> };

const agent = new Agent({ keepAlive: true, maxSockets: 500 });

/** One request; null when the connection broke before the end of the response. */
export function call(address: string, apiKey: string, input: Call): Promise<Reply | null> {
  return new Promise((resolve) => {
    const payload = input.body === undefined ? null : JSON.stringify(input.body);
    const headers = {
      'x-api-key': apiKey,
      ...(payload === null ? {} : { 'content-type': 'application/json' }),
      ...input.headers,
    };
    const url = address + input.path;
    const sent = request(url, { agent, method: input.method ?? 'GET', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => resolve(null));
      response.on('close', () => {
        if (!response.complete) return resolve(null);
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          requestId: String(response.headers['x-request-id']),
          charged: Number(response.headers['x-credits-charged'] ?? 0),
          link: String(response.headers.link ?? ''),
          body: text === '' ? null : JSON.parse(text),
        });
      });
    });
    sent.setTimeout(REQUEST_TIMEOUT_MS, () => sent.destroy());
    sent.on('error', () => resolve(null));
    sent.end(payload ?? undefined);
  });
}

/** Opens an account with a good endpoint from its first moment, and others that misbehave. */
export async function openCustomer(
  context: {
    command: (...words: string[]) => Promise<CommandResult>;
    address: string;
    endpoints: Endpoints;
    random: Random;
  },
  index: number,
): Promise<Customer> {
  const { command, address, endpoints, random } = context;
  const email = `soak${index}@example.com`;
  const plan = PLANS[index % PLANS.length] as string;
  const { json } = await command('account', 'create', '--email', email, '--plan', plan);
  const customer: Customer = {
    index,
    email,
    accountId: json.account_id,
    apiKey: json.api_key,
    responses: new Map(),
    unanswered: 0,
    feed: new Set(),
    feedCursor: null,
    trackedIds: [],
  };
  const bad = ENDPOINT_KINDS.filter((kind) => kind !== 'good' && random.chance(0.5));
  for (const kind of ['good', ...bad] as EndpointKind[]) {
    const body = { url: endpoints.urlOf(index, kind), events: ['*'], name: kind };
    const reply = await call(address, customer.apiKey, {
      method: 'POST',
      path: '/retailer/webhooks',
      body,
    });
    if (reply?.status !== 201) throw new Error(`webhook: ${JSON.stringify(reply?.body)}`);
  }
  return customer;
}

/** Tracks some of the shared products: several accounts watch the same ones. */
export async function trackSome(
  customer: Customer,
  context: { address: string; random: Random; codes: readonly string[] },
): Promise<void> {
  for (let count = 0; count < PRODUCTS_PER_ACCOUNT; count++) {
    const code = context.random.pick(context.codes);
    const body = { retailer_product_code: code, tier: context.random.below(3) };
    const reply = await call(context.address, customer.apiKey, {
      method: 'POST',
      path: '/retailer/oversight/products',
      body,
    });
    if (reply?.status === 201) customer.trackedIds.push(reply.body.id);
  }
}

/** Sends requests to randomly chosen processes until stopped. */
export async function useService(
  customer: Customer,
  context: {
    apis: readonly ServiceProcess[];
    random: Random;
    codes: readonly string[];
    traffic: Traffic;
    stopping: AbortSignal;
  },
): Promise<void> {
  const { random, traffic, stopping } = context;
  while (!stopping.aborted) {
    const input = nextCall(customer, context);
    const reply = await call(random.pick(context.apis).address, customer.apiKey, input);
    note(customer, traffic, { input, reply });
    await new Promise((resolve) => setTimeout(resolve, random.below(PAUSE_MS_MAX)));
  }
}

function nextCall(
  customer: Customer,
  { random, codes }: { random: Random; codes: readonly string[] },
): Call {
  const code = random.chance(0.05) ? '999' : random.pick(codes);
  const product = (what: string, more = '') => ({
    path: `/retailer/product/${what}?retailer_product_code=${code}${more}`,
  });
  const trackedId = customer.trackedIds.length > 0 ? random.pick(customer.trackedIds) : null;
  const tracked = `/retailer/oversight/products/${trackedId}`;
  const calls: (() => Call)[] = [
    () => product('details'),
    () => product('details', '&dry_run=true'),
    () => product('offers'),
    () => product('fees'),
    () => product('price-history'),
    () => product('buybox-history'),
    () => product('stats'),
    () => product('offer-history'),
    () => ({
      method: 'POST',
      path: '/retailer/products/batch',
      body: { codes: [code, '998'], include: ['details', 'stats'] },
    }),
    () => ({ ...product('price-history'), headers: { 'x-max-credits': '3' } }),
    () => product('units-sold-history', '&time_period=1month'),
    () => ({ path: '/user/credits' }),
    () => ({ path: '/retailer/oversight/products' }),
  ];
  if (trackedId !== null) {
    calls.push(
      () => ({ path: tracked }),
      () => ({ path: `${tracked}?history_days=30` }),
      () => ({ method: 'PATCH', path: tracked, body: { tier: random.below(5) } }),
    );
  }
  return random.pick(calls)();
}

function note(
  customer: Customer,
  traffic: Traffic,
  { input, reply }: { input: Call; reply: Reply | null },
) {
  if (reply === null) {
    customer.unanswered += 1;
    return;
  }
  const { status, charged, requestId } = reply;
  traffic.statuses.set(status, (traffic.statuses.get(status) ?? 0) + 1);
  const isProduct = input.path.startsWith('/retailer/product/');
  customer.responses.set(requestId, { status, charged, isProduct });
  if (status >= 500 && status !== 503 && traffic.faults.length < 100) {
    const text = `${input.method ?? 'GET'} ${input.path}: ${JSON.stringify(reply.body)}`;
    traffic.faults.push({ requestId, text });
  }
}

/** Reads the event feed until stopped. */
export async function followFeed(
  customer: Customer,
  {
    apis,
    random,
    stopping,
  }: { apis: readonly ServiceProcess[]; random: Random; stopping: AbortSignal },
): Promise<void> {
  while (!stopping.aborted) {
    const isMore = await readFeedOnce(customer, random.pick(apis).address);
    if (!isMore) await new Promise((resolve) => setTimeout(resolve, FEED_PAUSE_MS));
  }
}

/** Returns whether there may be more at once. */
export async function readFeedOnce(customer: Customer, address: string): Promise<boolean> {
  const after = customer.feedCursor === null ? '' : `&after=${customer.feedCursor}`;
  const reply = await call(address, customer.apiKey, {
    path: `/retailer/events?limit=1000${after}`,
  });
  if (reply?.status !== 200) return false;
  for (const event of reply.body) {
    customer.feed.add(event.id);
    customer.feedCursor = event.cursor;
  }
  return reply.body.length === 1000;
}

type Entry = { kind: string; credits: number; reference: string; at: string };

async function readLedger(customer: Customer, address: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let path: string | undefined = '/user/credits/ledger?limit=1000';
  while (path !== undefined) {
    const page: Reply | null = await call(address, customer.apiKey, { path });
    if (page?.status === 429 || page === null) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      continue;
    }
    if (page.status !== 200) throw new Error(`ledger: ${JSON.stringify(page.body)}`);
    entries.push(...page.body);
    path = /^<(.*)>; rel="next"$/.exec(page.link)?.[1];
  }
  return entries;
}

/** Compares the customer's record with the ledger; returns the differences. */
export async function compareLedger(customer: Customer, address: string): Promise<string[]> {
  const ledger = await readLedger(customer, address);
  const problems: string[] = [];
  const say = (text: string) => problems.push(`${customer.email}: ${text}`);
  const requests = new Map<string, number>();
  const references = new Set<string>();
  for (const entry of ledger) {
    if (references.has(entry.reference)) say(`reference ${entry.reference} is booked twice`);
    references.add(entry.reference);
    if (entry.kind === 'request') requests.set(entry.reference, -entry.credits);
  }
  let unclaimed = 0;
  for (const [reference, credits] of requests) {
    const isReversed = references.has(`reversal:${reference}`);
    const response = customer.responses.get(reference);
    if (response === undefined) unclaimed += isReversed ? 0 : 1;
    else if (isReversed && response.charged > 0) say(`${reference} was served and reversed`);
    else if (!isReversed && response.charged !== credits) {
      say(`${reference} says ${response.charged}, the ledger ${credits} (${response.status})`);
    }
  }
  for (const [requestId, { status, charged, isProduct }] of customer.responses) {
    if (charged > 0 && status >= 300) say(`${requestId} was charged for ${status}`);
    // Other endpoints book a day of tracking, whose reference is not the request's.
    if (charged > 0 && isProduct && !requests.has(requestId)) {
      say(`${requestId} was served and is not in the ledger`);
    }
  }
  if (unclaimed > customer.unanswered) {
    say(`${unclaimed} charges without a response, but only ${customer.unanswered} unanswered`);
  }
  return problems;
}
