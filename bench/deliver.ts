// Deliveries (signed, sent, logged durably) compared with a bare loop that posts the same bodies;
// and what a hanging and a failing endpoint cost the others.
import { randomBytes } from 'node:crypto';
import { createPartitionKeeper } from '../src/database/partitions.ts';
import { EVENTS_TABLE, type NewEvent } from '../src/events/events.ts';
import { realClock } from '../src/foundation/clock.ts';
import { newId } from '../src/foundation/id.ts';
import { ATTEMPTS_TABLE } from '../src/webhooks/attempts.ts';
import { DELIVERIES_TABLE } from '../src/webhooks/deliveries.ts';
import { testPayloadBody } from '../src/webhooks/payload.ts';
import { recordEvents } from '../src/webhooks/record-events.ts';
import { newWebhookSecret } from '../src/webhooks/signature.ts';
import { deleteSubscription, insertSubscription } from '../src/webhooks/subscriptions.ts';
import { makeAccounts } from './accounts.ts';
import { runChild, startServer } from './child.ts';
import type { DeliverSide } from './deliver-side.ts';
import { type Bench, compare, type Figure } from './figure.ts';

const DELIVERIES = 10_000;
const ENDPOINTS = 20;
const CONNECTIONS = 200;
const EACH = DELIVERIES / ENDPOINTS;

type Endpoint = { accountId: string; webhookId: string };

export async function deliverBench(bench: Bench): Promise<Figure[]> {
  const { db } = bench;
  const sink = await startServer('deliver-sink.ts', {});
  const origin = `http://127.0.0.1:${sink.port}`;
  const months = createPartitionKeeper(db, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE);
  await months.ready(realClock.nowMs());
  const accounts = await makeAccounts(db, ENDPOINTS);
  const key = randomBytes(32);

  const register = async (accountId: string, path: string): Promise<Endpoint> => {
    const webhookId = newId();
    const what = { name: 'Bench', url: `${origin}${path}`, kinds: null, now: realClock.nowMs() };
    const secrets = { secret: newWebhookSecret(), encryptionKeys: [key] };
    await db.transaction((tx) =>
      insertSubscription(tx, { accountId, webhookId, ...what, ...secrets }),
    );
    return { accountId, webhookId };
  };
  const recordFor = async ({ accountId }: Endpoint) => {
    const events = Array.from({ length: EACH }, (): NewEvent => {
      const [eventId, atMs] = [newId(), realClock.nowMs()];
      const payload = testPayloadBody({ eventId, atMs });
      return {
        eventId,
        accountId,
        atMs,
        kind: 'price.drop',
        trackedId: newId(),
        code: '510000001',
        payload,
      };
    });
    await db.transaction((tx) => recordEvents(tx, events));
  };
  const deliver = async (counted: readonly Endpoint[], others: readonly Endpoint[] = []) => {
    for (const endpoint of [...counted, ...others]) await recordFor(endpoint);
    await db.query('vacuum analyze');
    const work: DeliverSide = {
      way: 'deliver',
      connection: bench.connection,
      encryptionKey: key.toString('hex'),
      connections: CONNECTIONS,
      webhookIds: counted.map(({ webhookId }) => webhookId),
      count: counted.length * EACH,
    };
    return (await runChild<{ perSecond: number }>('deliver-side.ts', work)).perSecond;
  };
  const bare = async () => {
    const bodies = Array.from({ length: 100 }, () =>
      testPayloadBody({ eventId: newId(), atMs: realClock.nowMs() }),
    );
    const work: DeliverSide = {
      way: 'bare',
      origin,
      paths: ['/ok'],
      bodies,
      count: DELIVERIES,
      connections: CONNECTIONS,
    };
    return (await runChild<{ perSecond: number }>('deliver-side.ts', work)).perSecond;
  };

  const endpoints: Endpoint[] = [];
  for (const { accountId } of accounts) endpoints.push(await register(accountId, '/ok'));
  process.stdout.write(
    `  ${DELIVERIES} deliveries over ${ENDPOINTS} endpoints, ${CONNECTIONS} connections\n`,
  );
  const against = await compare({
    name: 'delivered and logged over a bare loop that posts the same bodies',
    toReach: 0.25,
    goal: 0.4,
    a: { label: 'delivered', run: () => deliver(endpoints) },
    b: { label: 'bare', run: bare },
  });
  const healthy = endpoints.slice(2);
  for (const endpoint of endpoints.slice(0, 2)) {
    await deleteSubscription(db, endpoint);
  }
  /** Throughput of the other endpoints beside two that exist only for this run. */
  const besideTwo = async (paths: readonly [string, string]) => {
    const two: Endpoint[] = [];
    for (const [index, path] of paths.entries()) {
      two.push(await register(endpoints[index]?.accountId as string, path));
    }
    const perSecond = await deliver(healthy, two);
    for (const one of two) await deleteSubscription(db, one);
    return perSecond;
  };
  const beside = await compare({
    name: 'the others beside one endpoint that hangs and one that responds 500, over beside two good ones',
    toReach: 0.9,
    a: { label: 'beside bad ones', run: () => besideTwo(['/hang', '/fail']) },
    b: { label: 'beside good ones', run: () => besideTwo(['/ok', '/ok']) },
  });
  await sink.stop();
  return [against, beside];
}
