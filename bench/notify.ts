// Time from the commit of an observation to the first byte at a customer's endpoint, while 200
// products change per second.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildApp } from '../src/app.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import { monotonicMs, realClock, sleepMs } from '../src/foundation/clock.ts';
import { newId } from '../src/foundation/id.ts';
import { createLog } from '../src/foundation/log.ts';
import { DAY_MS } from '../src/foundation/time.ts';
import { startLoops } from '../src/loops.ts';
import { newWebhookSecret } from '../src/webhooks/signature.ts';
import { insertSubscription } from '../src/webhooks/subscriptions.ts';
import { makeAccounts } from './accounts.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import { premadeSource, snapshotOf } from './premade.ts';
import { fillTracked } from './tracked.ts';

const PER_SECOND = 200;
const SECONDS = 25;
/**
 * A new process on newly filled tables lags for the first seconds, which are not counted.
 */
const WARM_UP_SECONDS = 5;
const ACCOUNTS = 20;
const FIRST_CODE = 690_000_000;

export async function notifyBench({ db }: Bench): Promise<Measure[]> {
  const products = PER_SECOND * SECONDS;
  const accountIds = (await makeAccounts(db, ACCOUNTS)).map(({ accountId }) => accountId);
  const before = realClock.nowMs() - DAY_MS;
  await fillTracked(
    db,
    { firstCode: FIRST_CODE, products, accountIds, at: before },
    { whole: true },
  );
  // The bench records the snapshots itself, so nothing may be due.
  await db.query(`update collection_schedule set due_at = due_at + interval '9 days'`);
  const sink = await openSink();
  const key = randomBytes(32);
  const url = `http://127.0.0.1:${sink.port}/`;
  for (const accountId of accountIds) {
    const secrets = { secret: newWebhookSecret(), encryptionKeys: [key] };
    await db.transaction((tx) =>
      insertSubscription(tx, {
        accountId,
        webhookId: newId(),
        name: 'Bench',
        url,
        kinds: ['price.drop'],
        now: realClock.nowMs(),
        ...secrets,
      }),
    );
  }
  const app = buildApp({
    db,
    clock: realClock,
    log: createLog('warn'),
    source: premadeSource(new Map()),
    encryptionKeys: [key],
    settings: { REDIS_URL: null, ALLOW_PRIVATE_TARGETS: true },
  });
  const loops = startLoops(
    { ...app, ledgerPartitions: app.ledgerPartitions, snapshotsPerMinute: 0 },
    { works: true },
  );
  try {
    const committed = await observe(app, products, before);
    await sink.arrivedAll(products);
    const waits = [...committed]
      .filter(([code]) => Number(code) - FIRST_CODE >= WARM_UP_SECONDS * PER_SECOND)
      .map(([code, atMs]) => (sink.arrivals.get(code) ?? Number.NaN) - atMs)
      .sort((a, b) => a - b);
    const at = (share: number) => waits[Math.floor(waits.length * share)] ?? Number.NaN;
    process.stdout.write(
      `  commit to first byte: p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, longest ${at(0.9999).toFixed(0)} ms\n`,
    );
    return [
      measured({
        name: `notify: p99 from commit to first byte in ms, ${PER_SECOND} events per second, one process, after ${WARM_UP_SECONDS} s`,
        value: at(0.99),
        atMost: 250,
      }),
    ];
  } finally {
    await Promise.all(loops.map((loop) => loop.stop()));
    await app.close();
    sink.close();
  }
}

/** Records a lower price for one product after the other; returns when each was committed. */
async function observe(
  app: Parameters<typeof recordSnapshots>[0],
  products: number,
  before: number,
): Promise<Map<string, number>> {
  const template = snapshotOf(String(FIRST_CODE), before);
  const committed = new Map<string, number>();
  const underWay: Promise<void>[] = [];
  const startedAtMs = monotonicMs();
  for (let index = 0; index < products; index++) {
    const dueMs = startedAtMs + (index * 1000) / PER_SECOND;
    const waitMs = dueMs - monotonicMs();
    if (waitMs > 0) await sleepMs(waitMs);
    const code = String(FIRST_CODE + index);
    const now = realClock.nowMs();
    const snapshot = {
      ...template,
      code,
      gtins: [],
      observedAtMs: Math.floor(now / 1000) * 1000,
      buybox: { priceCents: 100, sellerName: template.buybox?.sellerName ?? null },
    };
    underWay.push(
      recordSnapshots(app, [snapshot], { collectedAtMs: now }).then(() => {
        committed.set(code, monotonicMs());
      }),
    );
  }
  await Promise.all(underWay);
  return committed;
}

async function openSink() {
  const arrivals = new Map<string, number>();
  let onArrival = () => {};
  const server = createServer((request, response) => {
    const atMs = monotonicMs();
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      response.writeHead(200).end();
      arrivals.set(JSON.parse(body).data.retailer_product_code, atMs);
      onArrival();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    arrivals,
    port: (server.address() as AddressInfo).port,
    arrivedAll: (count: number) =>
      new Promise<void>((resolve) => {
        onArrival = () => {
          if (arrivals.size >= count) resolve();
        };
        onArrival();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
