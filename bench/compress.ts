// Compressed price histories of 1,000 points (50 KB), compared with plain ones: bytes on the wire,
// requests per second, and requests per second of the server's processor time.
import { readFileSync } from 'node:fs';
import { realNowMs } from '../src/foundation/clock.ts';
import { ENCODINGS, type Encoding } from '../src/foundation/compression.ts';
import { makeAccounts } from './accounts.ts';
import { runChild, startServer } from './child.ts';
import { type Bench, compare, type Figure, type Measure, measured } from './figure.ts';
import { writeHistories } from './histories.ts';
import type { LoadResult } from './load.ts';

const PRODUCTS = 1_000;
const CONNECTIONS = 64;
const SECONDS = 2;
const WIRE_BYTES_MAX = 8_192;
const CACHE_BYTES = 200_000_000;

type Way = Encoding | 'identity';

export async function compressBench(bench: Bench): Promise<(Figure | Measure)[]> {
  const accounts = await makeAccounts(bench.db, 1_000);
  const apiKeys = accounts.map((account) => account.apiKey);
  const endAtSeconds = Math.floor(realNowMs() / 1_000) - 3_600;
  const shape = { firstCode: 560_000_000, products: PRODUCTS, points: 1_000, endAtSeconds };
  const codes = await writeHistories(bench.db, shape);
  const paths = codes.map(
    (code) => `/retailer/product/price-history?retailer_product_code=${code}`,
  );
  const server = await startServer('history-server.ts', {
    CONNECTION: JSON.stringify(bench.connection),
    RENDERED_BYTES_MAX: String(CACHE_BYTES),
  });
  const load = async (way: Way): Promise<{ perSecond: number; perCpuSecond: number }> => {
    const work = {
      port: server.port,
      connections: CONNECTIONS,
      seconds: SECONDS,
      paths,
      apiKeys,
      headers: `accept-encoding: ${way}\r\n`,
    };
    const cpuBefore = cpuSeconds(server.pid);
    const { perSecond, statuses, count } = await runChild<LoadResult>('load.ts', work);
    if (Object.keys(statuses).join() !== '200') throw new Error(JSON.stringify(statuses));
    return { perSecond, perCpuSecond: count / (cpuSeconds(server.pid) - cpuBefore) };
  };
  try {
    const figures: (Figure | Measure)[] = [];
    for (const way of ENCODINGS) {
      const url = `http://127.0.0.1:${server.port}${paths[0]}`;
      figures.push(
        measured({
          name: `compress: bytes of 50 KB as ${way}`,
          value: await wireBytes(url, apiKeys[0] as string, way),
          atMost: WIRE_BYTES_MAX,
        }),
      );
    }
    for (const way of [...ENCODINGS, 'identity'] as const) await load(way); // fills the caches
    for (const [way, toReach] of TO_REACH) {
      for (const unit of ['perSecond', 'perCpuSecond'] as const) {
        figures.push(
          await compare({
            name: `compress: ${way} over plain, requests ${unit === 'perSecond' ? 'a second' : 'a second of processor time'}`,
            toReach,
            a: { label: way, run: async () => (await load(way))[unit] },
            b: { label: 'plain', run: async () => (await load('identity'))[unit] },
          }),
        );
      }
    }
    return figures;
  } finally {
    await server.stop();
  }
}

/** Brotli cannot be put together from parts, so every response is compressed. */
const TO_REACH: readonly (readonly [Encoding, number])[] = [
  ['zstd', 1],
  ['gzip', 1],
  ['br', 0.4],
];

/** User and system time of a process (Linux). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** `fetch` decompresses, so the length of the header is read. */
async function wireBytes(url: string, apiKey: string, encoding: Encoding): Promise<number> {
  const headers = { 'x-api-key': apiKey, 'accept-encoding': encoding };
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (response.headers.get('content-encoding') !== encoding) throw new Error('not compressed');
  return Number(response.headers.get('content-length'));
}
