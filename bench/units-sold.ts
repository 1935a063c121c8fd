// The paid path of units sold on each day of three years against a bare Fastify sending the same bytes.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import type { Database } from '../src/database/database.ts';
import { realClock, realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { learnMarket } from '../src/sales/learn-market.ts';
import { seededDraws } from '../src/sales/sales-trial.ts';
import { makeAccounts } from './accounts.ts';
import { startServer } from './child.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import { codesOf, noteBackfilled } from './histories.ts';
import { loaded } from './price-history.ts';

const SHAPE = { firstCode: 580_000_000, products: 1_000 };
const DAYS = 3 * 365;
const SELLERS = ['Marlowe Store', 'Second Shop', 'Third Shop'];

export async function unitsSoldBench(bench: Bench): Promise<Figure[]> {
  const accounts = await makeAccounts(bench.db, 1_000);
  const apiKeys = accounts.map((account) => account.apiKey);
  const codes = codesOf(SHAPE);
  await writeStocks(bench.db, codes);
  await learnMarket({ db: bench.db, clock: realClock, log: createLog('warn') });
  const path = '/retailer/product/units-sold-history';
  const paths = codes.map((code) => `${path}?retailer_product_code=${code}&time_period=alltime`);
  const paid = await startServer('history-server.ts', {
    CONNECTION: JSON.stringify(bench.connection),
    RENDERED_BYTES_MAX: '0',
  });
  // Each product is worked out once, by the first who asks.
  const startedMs = realNowMs();
  let body = '';
  for (const each of paths) {
    const reply = await fetch(`http://127.0.0.1:${paid.port}${each}`, {
      headers: { 'x-api-key': apiKeys[0] as string },
    });
    if (reply.status !== 200) throw new Error(await reply.text());
    body = await reply.text();
  }
  process.stdout.write(
    `  worked out in ${((realNowMs() - startedMs) / codes.length).toFixed(1)} ms a product; ${JSON.parse(body).sales_history.length} days, ${body.length} bytes an answer\n`,
  );
  const bare = await startServer('bare-server.ts', { BODY: body, BODY_PATH: path });
  try {
    const whole = await compare({
      name: `units-sold: the paid path over bare Fastify, three years of days, ${codes.length} products`,
      toReach: 0.1,
      a: { label: 'paid', run: () => loaded({ port: paid.port, paths, apiKeys }) },
      b: { label: 'bare', run: () => loaded({ port: bare.port, paths, apiKeys: [] }) },
    });
    return [whole];
  } finally {
    await paid.stop();
    await bare.stop();
  }
}

/** A look a day at three sellers, who sell some and restock. */
async function writeStocks(db: Database, codes: readonly string[]): Promise<void> {
  const log = createLog('warn');
  const lastDay = Math.floor(realNowMs() / 86_400_000) - 1;
  for (const [index, code] of codes.entries()) {
    const draw = seededDraws(index);
    const stock = SELLERS.map(() => 40);
    const observations = Array.from(
      { length: DAYS },
      (_, place): Snapshot => ({
        ...{
          code,
          gtins: [],
          name: `Marlowe Kettle ${index}, Brushed Steel`,
          offersComplete: true,
        },
        observedAtMs:
          (lastDay - DAYS + 1 + place) * 86_400_000 + Math.floor(draw() * 86_400) * 1_000,
        buybox: { priceCents: 1_999, sellerName: 'Marlowe Store' },
        rank: { position: 1 + Math.floor(draw() * 5_000), category: 'Kettles' },
        offers: SELLERS.map((sellerName, number) => {
          const left = (stock[number] as number) - Math.floor(draw() * 6);
          stock[number] = left < 0 ? 60 : left;
          return {
            ...{ sellerName, priceCents: 1_999 + number * 50, shippingCents: 0 },
            ...{ unitsInStock: stock[number], lastUpdatedAtMs: null },
          };
        }),
      }),
    );
    await recordSnapshots({ db, log }, observations);
  }
  await noteBackfilled(db);
  await db.query('vacuum analyze products, history_runs');
}
