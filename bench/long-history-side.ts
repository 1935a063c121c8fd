// Requests long histories from a service in this process, one after the other, and measures its
// heap. Run with --expose-gc.
import { buildServer } from '../src/api/server.ts';
import { buildApp } from '../src/app.ts';
import { createProducts } from '../src/catalog/read-batched.ts';
import { type ConnectionSettings, openDatabase } from '../src/database/database.ts';
import { realClock } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { createPriceHistories } from '../src/history/price-points.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';
import { readWork } from './child.ts';

export type LongHistorySide = {
  connection: ConnectionSettings;
  apiKey: string;
  codes: string[];
  responses: number;
};

export type LongHistoryResult = {
  points: number;
  bytes: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of this process per response, the caller's part included. */
  cpuMs: number;
  /** After the warm-up, and after each tenth of all responses. */
  heapMb: number[];
  memoryMaxMb: number;
};

const WARM_UP = 200;

const side = await readWork<LongHistorySide>();
const timesMs: number[] = [];
/** Collects the request times that the service logs. */
const log = Object.assign(createLog('silent'), {
  info: (fields: { ms?: number }) => {
    if (fields.ms !== undefined) timesMs.push(fields.ms);
  },
});
const db = openDatabase(side.connection, log);
const source = createSimulatedSource({ clock: realClock });
const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
await app.ledgerPartitions.ready(realClock.nowMs());
const priceHistories = createPriceHistories({ db, products: createProducts(db), log }, 0);
const server = await buildServer(
  { ...app, priceHistories, notReadyReason: () => null },
  { trustProxy: null, endpoints: true },
);

let memoryBytesMax = 0;

async function request(index: number): Promise<{ rawPayload: Buffer }> {
  const code = side.codes[index % side.codes.length] as string;
  const reply = await server.inject({
    url: `/retailer/product/price-history?retailer_product_code=${code}`,
    headers: { 'x-api-key': side.apiKey },
  });
  if (reply.statusCode !== 200) throw new Error(reply.payload);
  if (index % 20 === 0) memoryBytesMax = Math.max(memoryBytesMax, process.memoryUsage.rss());
  return reply;
}

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

for (let index = 0; index < WARM_UP; index++) await request(index);
const { rawPayload } = await request(0);
const points = JSON.parse(rawPayload.toString()).priceHistory.length as number;
timesMs.length = 0;
const heaps = [heapMb()];
const cpuBefore = process.cpuUsage();
for (let index = 1; index <= side.responses; index++) {
  await request(index);
  if (index % (side.responses / 10) === 0) heaps.push(heapMb());
}
const cpu = process.cpuUsage(cpuBefore);
timesMs.sort((a, b) => a - b);
const quantile = (share: number) => timesMs[Math.floor(timesMs.length * share)] ?? 0;
const result: LongHistoryResult = {
  points,
  bytes: rawPayload.length,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  heapMb: heaps,
  cpuMs: (cpu.user + cpu.system) / 1_000 / side.responses,
  memoryMaxMb: Math.round(memoryBytesMax / 1e6),
};
process.stdout.write(JSON.stringify(result));
await server.close();
await app.close();
await db.close();
