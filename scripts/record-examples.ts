// Records the examples in the description of the API from a running service: the real program with
// its demo account in time lapse. Writes src/api/examples.json; takes a minute or two.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventExampleOf } from '../src/api/examples.ts';
import { EVENT_KINDS } from '../src/events/kind.ts';
import { realClock } from '../src/foundation/clock.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';
import { DIGEST_KIND } from '../src/webhooks/digest-payload.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const TRACKED = 60;
const ITEMS_MAX = 2;
const ROUNDS_MAX = 120;
const RECEIVER = 'https://example.com/oversight';

type Json = Record<string, unknown>;
type Call = { method?: string; body?: Json; query?: string };

async function startService(dataDir: string) {
  const child = spawn(process.execPath, [join(root, 'src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'error',
      CLOCK_SPEED: '14400',
      ALLOW_PRIVATE_TARGETS: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('\n  curl ')) break;
  }
  if (!output.includes('\n  curl ')) throw new Error(`The service did not start: ${output}`);
  const after = (name: string) => new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';
  return { child, address: after('Oversight'), apiKey: after('API key') };
}

/** Succeeds, except that every eighth request fails, for the log. */
async function openReceiver() {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = ++received % 8 === 0 ? 500 : 200;
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks`, close: () => server.close() };
}

/** Long lists are cut, and what belongs to this run is replaced. */
function presentable(value: unknown, receiverUrl: string): unknown {
  const text = JSON.stringify(value, (_, member) =>
    Array.isArray(member) ? member.slice(0, ITEMS_MAX) : member,
  )
    .replaceAll(receiverUrl, RECEIVER)
    .replace(/http:\/\/[^/]+(\/charts\/[\w-]{40})[\w-]*/g, 'https://oversight.example$1')
    .replace(/whsec_[\w+/=]+/g, `whsec_${Buffer.alloc(32, 'example').toString('base64')}`);
  return JSON.parse(text);
}

/** Pictures are too long for an example. */
const PICTURES: Record<string, { response: string }> = {
  'products.getChartSvg': { response: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>' },
  'products.getChartPng': { response: '\u0089PNG…' },
};

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'oversight-examples-'));
  const receiver = await openReceiver();
  const { child, address, apiKey } = await startService(dataDir);
  const operations: Record<string, { request?: unknown; response?: unknown }> = { ...PICTURES };
  const send = async (path: string, { method = 'GET', body }: Call = {}): Promise<unknown> => {
    await sleep(120); // ten requests a second are allowed
    const reply = await fetch(address + path, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const record = async (operationId: string, path: string, call: Call = {}): Promise<Json> => {
    const response = await send(path, call);
    operations[operationId] = {
      ...(call.body === undefined ? {} : { request: presentable(call.body, receiver.url) }),
      ...(response === undefined ? {} : { response: presentable(response, receiver.url) }),
    };
    return response as Json;
  };
  try {
    const source = createSimulatedSource({ clock: realClock });
    await recordProducts(record, source.productAt(0).code);
    await record('account.getCredits', '/user/credits');
    await record('account.listLedgerEntries', '/user/credits/ledger?limit=2');
    const ids: string[] = [];
    for (let index = 0; index < TRACKED; index++) {
      // Ranks seldom move as far as the default rule wants.
      const rules = index === 0 ? {} : { rules: { rank: { percent: 1, places: 1 } } };
      const body = { retailer_product_code: source.productAt(index).code, tier: 0, ...rules };
      const added =
        index === 0
          ? await record('trackedProducts.create', PRODUCTS, { method: 'POST', body })
          : ((await send(PRODUCTS, { method: 'POST', body })) as Json);
      ids.push(String(added.id));
    }
    await recordWebhooks(record, receiver.url, async () => {
      await recordTracked(record, ids[0] as string);
    });
    await recordRules(record);
    await recordBulk(
      record,
      [60, 61].map((index) => source.productAt(index).code),
    );
    const events = await recordEvents(send, receiver.url);
    await record('events.list', '/retailer/events?limit=2');
    await record('trackedProducts.delete', `${PRODUCTS}/${ids[1]}`, { method: 'DELETE' });
    writeFileSync(
      join(root, 'src/api/examples.json'),
      `${JSON.stringify({ operations, events }, null, 2)}\n`,
    );
  } finally {
    receiver.close();
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type RecordCall = (operationId: string, path: string, call?: Call) => Promise<Json>;
const PRODUCTS = '/retailer/oversight/products';
const HOOKS = '/retailer/webhooks';

async function recordProducts(record: RecordCall, code: string): Promise<void> {
  const of = (name: string, more = '') =>
    `/retailer/product/${name}?retailer_product_code=${code}${more}`;
  await record('products.getDetails', of('details'));
  await record('products.search', '/retailer/products/search?q=board+game');
  await record('products.find', '/retailer/products/finder', {
    method: 'POST',
    body: {
      filters: { categories: ['Games'], price: { max: 60 }, reviews: { min: 100 } },
      sort: { by: 'units_per_day', order: 'desc' },
    },
  });
  await record('products.getOffers', of('offers'));
  await record('products.getUnitsInStock', of('units-in-stock'));
  await record('products.getFees', of('fees'));
  await record('products.getPriceHistory', of('price-history'));
  await record('products.getBuyboxHistory', of('buybox-history'));
  await record('products.getStatistics', of('stats', '&explain=true'));
  await record('products.getOfferHistory', of('offer-history'));
  const body = { retailer_product_code: code, range: '3m', expires_in_days: 30 };
  await record('products.createChartLink', '/retailer/product/chart-links', {
    method: 'POST',
    body,
  });
  await record('products.calculateProfit', '/retailer/product/profit', {
    method: 'POST',
    body: { items: [{ retailer_product_code: code, cost: 18.5, shipping: 3.2, price: 34.99 }] },
  });
  await record('products.getBatch', '/retailer/products/batch', {
    method: 'POST',
    body: { codes: [code, '4'], include: ['details', 'fees'] },
  });
  await record('products.getUnitsSoldHistory', of('units-sold-history', '&time_period=1month'));
}

async function recordTracked(record: RecordCall, id: string): Promise<void> {
  const path = `${PRODUCTS}/${id}`;
  const rules = { price: { percent: 2, usd: 0.1 } };
  await record('trackedProducts.list', `${PRODUCTS}?limit=2`);
  await record('trackedProducts.get', path);
  await record('trackedProducts.update', path, { method: 'PATCH', body: { rules } });
  const body = { rules, days: 30 };
  await record('trackedProducts.backtest', `${path}/backtest`, { method: 'POST', body });
}

async function recordRules(record: RecordCall): Promise<void> {
  const path = '/retailer/oversight/rules';
  const condition = 'price < 20 && stock > 0';
  const body = { name: 'Cheap', tags: ['clearance'], condition };
  const { id } = await record('rules.create', path, { method: 'POST', body });
  await record('rules.list', path);
  await record('rules.update', `${path}/${id}`, { method: 'PATCH', body: { tags: null } });
  await record('rules.delete', `${path}/${id}`, { method: 'DELETE' });
}

async function recordBulk(record: RecordCall, codes: readonly string[]): Promise<void> {
  const path = `${PRODUCTS}/bulk`;
  const [first, second] = codes.map((code) => ({ retailer_product_code: code }));
  const unknown = { retailer_product_code: '123456' };
  const items = (list: unknown[]) => ({ body: { items: list } });
  await record('trackedProducts.bulkCreate', path, { method: 'POST', ...items([first, unknown]) });
  await record('trackedProducts.bulkUpdate', path, {
    method: 'PATCH',
    ...items([
      { ...first, tier: 3 },
      { ...second, tier: 3 },
    ]),
  });
  const remove = { method: 'POST', ...items([first, second]) };
  await record('trackedProducts.bulkDelete', `${path}/remove`, remove);
}

async function recordWebhooks(
  record: RecordCall,
  url: string,
  whileTimePasses: () => Promise<void>,
): Promise<void> {
  const body = { name: 'Repricer', url, events: ['*'] };
  const { id } = await record('webhooks.create', HOOKS, { method: 'POST', body });
  const path = `${HOOKS}/${id}`;
  const post = { method: 'POST', body: {} };
  const { delivery_id } = await record('webhooks.sendTest', `${path}/test`, { method: 'POST' });
  await sleep(2_000);
  await whileTimePasses();
  await record('webhooks.list', HOOKS);
  await record('webhooks.get', path);
  await record('webhooks.listDeliveries', `${path}/deliveries?limit=2`);
  await record('webhooks.retryDelivery', `${HOOKS}/deliveries/${delivery_id}/retry`, {
    method: 'POST',
  });
  const since = { since: '2026-01-01T00:00:00Z' };
  await record('webhooks.recover', `${path}/recover`, { ...post, body: since });
  await record('webhooks.update', path, { method: 'PATCH', body: { status: 'Paused' } });
  await record('webhooks.rotateSecret', `${path}/rotate-secret`, { method: 'POST' });
  await record('webhooks.delete', path, { method: 'DELETE' });
}

/** The first event of each type; days pass until every type has one. */
async function recordEvents(
  send: (path: string) => Promise<unknown>,
  receiverUrl: string,
): Promise<Json> {
  const events: Json = {};
  let after = '';
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const page = (await send(`/retailer/events?limit=1000${after}`)) as (Json & { type: string })[];
    for (const { type, timestamp, data } of page) {
      events[type] ??= presentable({ type, timestamp, data }, receiverUrl);
    }
    const last = page.at(-1);
    if (last !== undefined) after = `&after=${last.cursor}`;
    if (EVENT_KINDS.every((kind) => kind in events)) break;
    await sleep(page.length < 1000 ? 1_000 : 0);
  }
  const missing = EVENT_KINDS.filter((kind) => !(kind in events));
  process.stdout.write(`Event types without an example: ${missing.join(', ') || 'none'}\n`);
  // Digests are no events of the feed: their example is kept.
  events[DIGEST_KIND] = eventExampleOf(DIGEST_KIND);
  return Object.fromEntries(
    [DIGEST_KIND, ...EVENT_KINDS]
      .filter((kind) => kind in events)
      .map((kind) => [kind, events[kind]]),
  );
}

await main();
