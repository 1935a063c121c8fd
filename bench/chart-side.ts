// Requests charts from a service in this process, one after the other, and measures what each
// costs: CPU of all threads and of the one that serves requests, and time.
import { performance } from 'node:perf_hooks';
import { buildServer } from '../src/api/server.ts';
import { buildApp } from '../src/app.ts';
import { type ConnectionSettings, openDatabase } from '../src/database/database.ts';
import { realClock } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';
import { readWork } from './child.ts';

export type ChartSide = {
  connection: ConnectionSettings;
  apiKey: string;
  codes: string[];
  pictures: number;
};

export type ChartFigures = {
  bytes: number;
  /** Of all threads, median. */
  cpuMs: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU of the thread that serves requests. */
  servingMs: number;
};
export type ChartResult = Record<'svg' | 'png', ChartFigures>;

const WARM_UP = 40;

const side = await readWork<ChartSide>();
const log = createLog('silent');
const db = openDatabase(side.connection, log);
const source = createSimulatedSource({ clock: realClock });
const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
await app.ledgerPartitions.ready(realClock.nowMs());
const server = await buildServer(
  { ...app, notReadyReason: () => null },
  { trustProxy: null, endpoints: true },
);

async function request(format: 'svg' | 'png', index: number): Promise<number> {
  const code = side.codes[index % side.codes.length] as string;
  const reply = await server.inject({
    url: `/retailer/product/chart.${format}?retailer_product_code=${code}&range=3y`,
    headers: { 'x-api-key': side.apiKey },
  });
  if (reply.statusCode !== 200) throw new Error(reply.payload);
  return reply.rawPayload.length;
}

async function measure(format: 'svg' | 'png'): Promise<ChartFigures> {
  let bytes = 0;
  for (let index = 0; index < WARM_UP; index++) bytes = await request(format, index);
  const timesMs: number[] = [];
  const cpuMs: number[] = [];
  const servingBefore = process.threadCpuUsage();
  for (let index = 0; index < side.pictures; index++) {
    const startMs = performance.now();
    const cpuBefore = process.cpuUsage();
    await request(format, index);
    timesMs.push(performance.now() - startMs);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuMs.push((user + system) / 1_000);
  }
  const serving = process.threadCpuUsage(servingBefore);
  const quantile = (values: number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
  return {
    bytes,
    cpuMs: quantile(cpuMs, 0.5),
    p50Ms: quantile(timesMs, 0.5),
    p99Ms: quantile(timesMs, 0.99),
    servingMs: (serving.user + serving.system) / 1_000 / side.pictures,
  };
}

const result: ChartResult = { svg: await measure('svg'), png: await measure('png') };
process.stdout.write(JSON.stringify(result));
await server.close();
await app.close();
await db.close();
