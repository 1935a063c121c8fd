// One side of the deliver bench, in its own process: deliveries that are claimed, signed, sent and
// logged durably, or bodies posted by a bare loop.
import { Pool } from 'undici';
import { createSignal } from '../src/background/signal.ts';
import { type ConnectionSettings, openDatabase } from '../src/database/database.ts';
import { createPartitionKeeper } from '../src/database/partitions.ts';
import { EVENTS_TABLE } from '../src/events/events.ts';
import { realClock } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { createMetrics } from '../src/foundation/metrics.ts';
import { ATTEMPTS_TABLE } from '../src/webhooks/attempts.ts';
import { startDelivering } from '../src/webhooks/deliver-due.ts';
import { DELIVERIES_TABLE } from '../src/webhooks/deliveries.ts';
import { createPoster } from '../src/webhooks/post.ts';
import { readWork } from './child.ts';

export type DeliverSide = {
  connections: number;
} & (
  | {
      way: 'deliver';
      connection: ConnectionSettings;
      encryptionKey: string;
      /** Webhooks whose deliveries are counted, and the number of deliveries to wait for. */
      webhookIds: string[];
      count: number;
    }
  | { way: 'bare'; origin: string; paths: string[]; bodies: string[]; count: number }
);

const side = await readWork<DeliverSide>();
const perSecond = await (side.way === 'bare' ? postBare(side) : deliver(side));
process.stdout.write(JSON.stringify({ perSecond }));
process.exit(0);

async function postBare(work: DeliverSide & { way: 'bare' }): Promise<number> {
  const pool = new Pool(work.origin, { connections: work.connections, pipelining: 1 });
  const headers = { 'content-type': 'application/json' };
  let next = 0;
  const worker = async () => {
    while (next < work.count) {
      const turn = next++;
      const path = work.paths[turn % work.paths.length] as string;
      const body = work.bodies[turn % work.bodies.length] as string;
      const response = await pool.request({ method: 'POST', path, headers, body });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    }
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: work.connections }, worker));
  return work.count / ((performance.now() - startMs) / 1000);
}

async function deliver(work: DeliverSide & { way: 'deliver' }): Promise<number> {
  const log = createLog('silent');
  const db = openDatabase(work.connection, log);
  // Written in the transaction that finishes a delivery, so only durable deliveries are counted.
  const received = async () => {
    const [row] = await db.query<{ n: number }>(
      'select coalesce(sum(succeeded), 0)::bigint as n from webhook_days where webhook_id = any($1)',
      [work.webhookIds],
    );
    return row?.n ?? 0;
  };
  const webhookMonths = createPartitionKeeper(
    ...([db, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE] as const),
  );
  await webhookMonths.ready(realClock.nowMs());
  const target = (await received()) + work.count;
  const poster = createPoster({
    rules: { allowPrivateTargets: true, service: { addresses: [], port: 1 } },
    connectionsPerOriginMax: work.connections,
  });
  const startMs = performance.now();
  const delivering = startDelivering(
    {
      db,
      clock: realClock,
      log,
      metrics: createMetrics(),
      webhookMonths,
      poster,
      encryptionKeys: [Buffer.from(work.encryptionKey, 'hex')],
    },
    { stopGraceMs: 0, signal: createSignal() },
  );
  while ((await received()) < target) await new Promise((resolve) => setTimeout(resolve, 20));
  const elapsedMs = performance.now() - startMs;
  await delivering.stop();
  await db.close();
  return work.count / (elapsedMs / 1000);
}
