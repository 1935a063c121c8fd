// The whole service in a separate process, with a chosen size of the cache of rendered runs.
import { buildServer } from '../src/api/server.ts';
import { buildApp } from '../src/app.ts';
import { createProducts } from '../src/catalog/read-batched.ts';
import { openDatabase } from '../src/database/database.ts';
import { realClock } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { createPriceHistories } from '../src/history/price-points.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';

const log = createLog('info');
const db = openDatabase(JSON.parse(process.env.CONNECTION ?? ''), log);
const source = createSimulatedSource({ clock: realClock });
const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
await app.ledgerPartitions.ready(realClock.nowMs());
const priceHistories = createPriceHistories(
  { db, products: createProducts(db), log },
  Number(process.env.RENDERED_BYTES_MAX),
);
const server = await buildServer(
  { ...app, priceHistories, notReadyReason: () => null },
  { trustProxy: null, endpoints: true },
);
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.on('SIGTERM', async () => {
  await server.close();
  await app.close();
  await db.close();
});
