// Details of stored, fresh products: products per second by batches of 100 compared with single
// requests, on the same number of connections.
import { newEncryptionKey } from '../src/foundation/secret.ts';
import { makeAccounts, makeProducts } from './accounts.ts';
import { runChild, startServer } from './child.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import type { Load, LoadResult } from './load.ts';

const CONNECTIONS = 16;
const SECONDS = 3;
const PRODUCTS = 10_000;
const PER_BATCH = 100;

export async function batchBench(bench: Bench): Promise<Figure[]> {
  const accounts = await makeAccounts(bench.db, 1_000);
  const products = await makeProducts(bench.db, PRODUCTS);
  const { host, port, user, password, database } = bench.connection;
  const service = await startServer('../src/main.ts', {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@/${database}?host=${encodeURIComponent(String(host))}&port=${port}`,
    ENCRYPTION_KEY: newEncryptionKey(),
    AUTH_SECRET: newEncryptionKey(),
    PORT: '0',
    LOG_LEVEL: 'info',
  });
  const codes = products.map(({ code }) => code);
  const bodies = Array.from({ length: PRODUCTS / PER_BATCH }, (_, index) =>
    // Every hundredth product, so that a batch reads rows that lie apart.
    JSON.stringify({ codes: codes.filter((_code, at) => at % (PRODUCTS / PER_BATCH) === index) }),
  );
  const load = async (work: Pick<Load, 'paths' | 'bodies'>) => {
    const result = await runChild<LoadResult>('load.ts', {
      ...work,
      port: service.port,
      connections: CONNECTIONS,
      seconds: SECONDS,
      apiKeys: accounts.map(({ apiKey }) => apiKey),
    });
    const bad = Object.keys(result.statuses).filter((status) => status !== '200');
    if (bad.length > 0) throw new Error(`other than 200: ${JSON.stringify(result.statuses)}`);
    return result.perSecond;
  };
  const paths = codes.map((code) => `/retailer/product/details?retailer_product_code=${code}`);
  try {
    return [
      await compare({
        name: `batch: products per second in batches of ${PER_BATCH} over single requests, ${CONNECTIONS} connections`,
        toReach: 10,
        a: {
          label: 'batches',
          run: async () =>
            PER_BATCH * (await load({ paths: ['/retailer/products/batch'], bodies })),
        },
        b: { label: 'single', run: () => load({ paths }) },
      }),
    ];
  } finally {
    await service.stop();
  }
}
