// The whole paid path of price histories of 1,000 points over 5,000 products, from packed runs and
// from the cache of rendered runs, compared with a bare Fastify that sends the same bytes, and with
// an implementation that stores a row per point.
import type { Database } from '../src/database/database.ts';
import { realNowMs } from '../src/foundation/clock.ts';
import { makeAccounts } from './accounts.ts';
import { runChild, startServer } from './child.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import { writeHistories } from './histories.ts';
import type { LoadResult } from './load.ts';

const PRODUCTS = 5_000;
const POINTS = 1_000;
const CONNECTIONS = 256;
const SECONDS = 3;
/** A quarter of all responses. */
const COLD_BYTES = 60_000_000;
/** More than all responses. */
const WARM_BYTES = 1_000_000_000;

export async function priceHistoryBench(bench: Bench): Promise<Figure[]> {
  const accounts = await makeAccounts(bench.db, 1_000);
  const apiKeys = accounts.map((account) => account.apiKey);
  const endAtSeconds = Math.floor(realNowMs() / 1_000) - 3_600;
  const shape = { firstCode: 520_000_000, products: PRODUCTS, points: POINTS, endAtSeconds };
  const codes = await writeHistories(bench.db, shape);
  await writePlain(bench.db, { codes, apiKeys });
  const path = '/retailer/product/price-history';
  const paths = codes.map((code) => `${path}?retailer_product_code=${code}`);
  const service = (renderedBytesMax: number) =>
    startServer('history-server.ts', {
      CONNECTION: JSON.stringify(bench.connection),
      RENDERED_BYTES_MAX: String(renderedBytesMax),
    });
  const cold = await service(COLD_BYTES);
  const sample = await fetch(`http://127.0.0.1:${cold.port}${paths[0]}`, {
    headers: { 'x-api-key': apiKeys[0] as string },
  });
  const body = await sample.text();
  const rendered = body.length * PRODUCTS;
  process.stdout.write(
    `  ${body.length} bytes per response; all are ${(rendered / COLD_BYTES).toFixed(1)} × the cache of the cold side\n`,
  );
  const warm = await service(WARM_BYTES);
  const bare = await startServer('bare-server.ts', { BODY: body, BODY_PATH: path });
  const plain = await startServer('plain-history-server.ts', {
    CONNECTION: JSON.stringify(bench.connection),
  });
  const load = (port: number, keys: string[]) => () => loaded({ port, paths, apiKeys: keys });
  try {
    await loaded({ port: warm.port, paths, apiKeys, seconds: SECONDS * 2 }); // fills its cache
    const b = { label: 'bare', run: load(bare.port, []) };
    const a = { label: 'cold', run: load(cold.port, apiKeys) };
    return [
      await compare({
        name: `price-history: the paid path from the packed form over bare Fastify, ${CONNECTIONS} connections`,
        toReach: 0.15,
        goal: 0.25,
        a,
        b,
      }),
      await compare({
        name: 'price-history: the paid path from rendered runs over bare Fastify',
        toReach: 0.3,
        goal: 0.5,
        b,
        a: { label: 'warm', run: load(warm.port, apiKeys) },
      }),
      await compare({
        name: 'price-history: the packed form over a row per point',
        toReach: 10,
        a,
        b: { label: 'plain', run: load(plain.port, apiKeys) },
      }),
    ];
  } finally {
    for (const server of [cold, warm, bare, plain]) await server.stop();
  }
}

/** Returns the requests per second; throws on a response other than 200. */
export async function loaded(input: {
  port: number;
  paths: string[];
  apiKeys: string[];
  seconds?: number;
}): Promise<number> {
  const work = { connections: CONNECTIONS, seconds: SECONDS, ...input };
  const result = await runChild<LoadResult>('load.ts', work);
  const bad = Object.keys(result.statuses).filter((status) => status !== '200');
  if (bad.length > 0)
    throw new Error(`responses other than 200: ${JSON.stringify(result.statuses)}`);
  return result.perSecond;
}

const PLAIN_TABLES = [
  `create table plain_points (code text collate "C", at timestamptz, price numeric(10, 2), holder text,
                              primary key (code, at))`,
  'create table plain_keys (hash bytea primary key, account integer)',
  'create table plain_balances (account integer primary key, used bigint, total bigint)',
  `create table plain_charges (id bigserial primary key, account integer, at timestamptz,
                               credits integer, code text)`,
];

/** Writes the same number of points as rows, with the index that the query needs. */
async function writePlain(
  db: Database,
  { codes, apiKeys }: { codes: readonly string[]; apiKeys: readonly string[] },
): Promise<void> {
  for (const table of PLAIN_TABLES) await db.query(table);
  await db.query(
    `insert into plain_keys
     select sha256(convert_to(key, 'UTF8')), account
       from unnest($1::text[]) with ordinality as keys(key, account)`,
    [apiKeys],
  );
  await db.query('insert into plain_balances select account, 0, 1000000000 from plain_keys');
  for (let from = 0; from < codes.length; from += 250) {
    await db.query(
      `insert into plain_points
       select code, now() - point * interval '1 hour', (1500 + (point * 7919) % 7000) / 100.0,
              'Marlowe Store'
         from unnest($1::text[]) as code, generate_series($2::integer, 1, -1) as point`,
      [codes.slice(from, from + 250), POINTS],
    );
  }
  await db.query('vacuum analyze plain_points');
}
