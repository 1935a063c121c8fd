// The paid units-sold endpoint with three years of days, against a bare Fastify that sends the same
// bytes.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import type { Database } from '../src/database/database.ts';
import { realClock, realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { DAY_MS, DAY_SECONDS, SECOND_MS } from '../src/foundation/time.ts';
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
  // The first request for a product estimates its days.
  const startedAtMs = realNowMs();
  let body = '';
  for (const url of paths) {
    const reply = await fetch(`http://127.0.0.1:${paid.port}${url}`, {
      headers: { 'x-api-key': apiKeys[0] as string },
    });
    if (reply.status !== 200) throw new Error(await reply.text());
    body = await reply.text();
  }
  const estimateMs = ((realNowMs() - startedAtMs) / codes.length).toFixed(1);
  const days = JSON.parse(body).sales_history.length;
  process.stdout.write(
    `  estimated in ${estimateMs} ms a product; ${days} days, ${body.length} bytes a response\n`,
  );
  const bare = await startServer('bare-server.ts', { BODY: body, BODY_PATH: path });
  try {
    const whole = await compare({
      name: `units-sold: paid path over bare Fastify, three years, ${codes.length} products`,
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

/** One snapshot a day of three sellers who sell some units and restock. */
async function writeStocks(db: Database, codes: readonly string[]): Promise<void> {
  const log = createLog('warn');
  const lastDay = Math.floor(realNowMs() / DAY_MS) - 1;
  for (const [number, code] of codes.entries()) {
    const draw = seededDraws(number);
    const stock = SELLERS.map(() => 40);
    const snapshots = Array.from(
      { length: DAYS },
      (_, index): Snapshot => ({
        code,
        gtins: [],
        name: `Marlowe Kettle ${number}, Brushed Steel`,
        offersComplete: true,
        observedAtMs:
          (lastDay - DAYS + 1 + index) * DAY_MS + Math.floor(draw() * DAY_SECONDS) * SECOND_MS,
        buybox: { priceCents: 1_999, sellerName: 'Marlowe Store' },
        rank: { position: 1 + Math.floor(draw() * 5_000), category: 'Kettles' },
        offers: SELLERS.map((sellerName, seller) => {
          const left = (stock[seller] as number) - Math.floor(draw() * 6);
          stock[seller] = left < 0 ? 60 : left;
          return {
            sellerName,
            priceCents: 1_999 + seller * 50,
            shippingCents: 0,
            unitsInStock: stock[seller] as number,
            lastUpdatedAtMs: null,
          };
        }),
      }),
    );
    await recordSnapshots({ db, log }, snapshots);
  }
  await noteBackfilled(db);
  await db.query('vacuum analyze products, history_runs');
}
