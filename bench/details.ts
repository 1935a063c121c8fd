// The whole paid path of product details compared with a bare Fastify that sends the same bytes;
// and traffic of one account compared with a thousand accounts.
import { newEncryptionKey } from '../src/foundation/secret.ts';
import { makeAccounts, makeProducts } from './accounts.ts';
import { runChild, startServer } from './child.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import type { LoadResult } from './load.ts';

const CONNECTIONS = 256;
const SECONDS = 3;

export async function detailsBench(bench: Bench): Promise<Figure[]> {
  const accounts = await makeAccounts(bench.db, 1000);
  const products = await makeProducts(bench.db, 10_000);
  const { host, port, user, password, database } = bench.connection;
  const paid = await startServer('../src/main.ts', {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@/${database}?host=${encodeURIComponent(String(host))}&port=${port}`,
    ENCRYPTION_KEY: newEncryptionKey(),
    AUTH_SECRET: newEncryptionKey(),
    PORT: '0',
    LOG_LEVEL: 'info',
  });
  const paths = products.map(
    (product) => `/retailer/product/details?retailer_product_code=${product.code}`,
  );
  const apiKeys = accounts.map((account) => account.apiKey);
  const sample = await fetch(`http://127.0.0.1:${paid.port}${paths[0]}`, {
    headers: { 'x-api-key': apiKeys[0] as string },
  });
  const bare = await startServer('bare-server.ts', { BODY: await sample.text() });

  const load = async (on: number, keys: string[]) => {
    const result = await runChild<LoadResult>('load.ts', {
      port: on,
      connections: CONNECTIONS,
      seconds: SECONDS,
      paths,
      apiKeys: keys,
    });
    const bad = Object.keys(result.statuses).filter((status) => status !== '200');
    if (bad.length > 0)
      throw new Error(`responses other than 200: ${JSON.stringify(result.statuses)}`);
    return result.perSecond;
  };
  try {
    const whole = await compare({
      name: `details: the paid path over bare Fastify, ${CONNECTIONS} connections, 10,000 products, 1,000 accounts`,
      toReach: 0.3,
      goal: 0.5,
      a: { label: 'paid', run: () => load(paid.port, apiKeys) },
      b: { label: 'bare', run: () => load(bare.port, []) },
    });
    const single = await compare({
      name: 'details: one account over a thousand',
      toReach: 0.7,
      a: { label: 'one account', run: () => load(paid.port, apiKeys.slice(0, 1)) },
      b: { label: 'a thousand', run: () => load(paid.port, apiKeys) },
    });
    return [whole, single];
  } finally {
    await paid.stop();
    await bare.stop();
  }
}
