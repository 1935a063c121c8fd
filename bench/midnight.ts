// Midnight: a worker books the day's charges of 100,000 products while customers send requests.
// Measures how much longer the slowest paid requests take.
import { findLedgerFaults } from '../src/cli/check-ledger.ts';
import type { Database } from '../src/database/database.ts';
import { realNowMs } from '../src/foundation/clock.ts';
import { newEncryptionKey } from '../src/foundation/secret.ts';
import { dayOf } from '../src/tracking/slot.ts';
import { makeAccounts, makeProducts } from './accounts.ts';
import { runChild, startServer } from './child.ts';
import type { FanOutResult, FanOutSide } from './fan-out-side.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import type { LoadResult } from './load.ts';
import { fillOutgoing, fillTracked } from './tracked.ts';

const PRODUCTS = 100_000;
const ACCOUNTS = 200;
const FIRST_CODE = 670_000_000;
const CONNECTIONS = 32;
const SECONDS = 3;
const QUIET_WINDOWS = 3;

export async function midnightBench(bench: Bench): Promise<Measure[]> {
  const accounts = await makeAccounts(bench.db, ACCOUNTS);
  const products = await makeProducts(bench.db, 10_000);
  await prepareMidnight(
    bench.db,
    accounts.map(({ accountId }) => accountId),
  );
  const server = await startServer('../src/main.ts', environment(bench));
  const load = {
    port: server.port,
    connections: CONNECTIONS,
    seconds: SECONDS,
    paths: products.map(({ code }) => `/retailer/product/details?retailer_product_code=${code}`),
    apiKeys: accounts.map(({ apiKey }) => apiKey),
  };
  try {
    await loadOnce(load);
    const quiet = await windows(load, QUIET_WINDOWS);
    const booking = { isUnderWay: true };
    const fanningOut = runChild<FanOutResult>('fan-out-side.ts', {
      connection: bench.connection,
    } satisfies FanOutSide).finally(() => {
      booking.isUnderWay = false;
    });
    const during = await windowsWhile(load, booking);
    const { rows, seconds } = await fanningOut;
    quiet.push(...(await windows(load, QUIET_WINDOWS)));
    await check(bench.db, { rows, seconds });
    process.stdout.write(`  quiet ${describe(quiet)}\n  during ${describe(during)}\n`);
    const ratio = median(during.map(({ p99Ms }) => p99Ms)) / median(quiet.map((one) => one.p99Ms));
    return [
      measured({
        name: `midnight: p99 of paid requests while ${PRODUCTS} days are booked over quiet, ${CONNECTIONS} connections, the same ${ACCOUNTS} accounts`,
        value: ratio,
        atMost: 3,
      }),
    ];
  } finally {
    await server.stop();
  }
}

/** Yesterday is charged for every product; today's charge is still in the outbox. */
async function prepareMidnight(db: Database, accountIds: readonly string[]): Promise<void> {
  const now = realNowMs();
  await fillTracked(
    db,
    { firstCode: FIRST_CODE, products: PRODUCTS, accountIds, at: now },
    { whole: true },
  );
  await db.query('delete from tracked_days where day = $1', [dayOf(now)]);
  await fillOutgoing(db, { day: dayOf(now), at: now });
}

function environment({ connection }: Bench): Record<string, string> {
  const { host, port, user, password, database } = connection;
  return {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@/${database}?host=${encodeURIComponent(String(host))}&port=${port}`,
    ENCRYPTION_KEY: newEncryptionKey(),
    AUTH_SECRET: newEncryptionKey(),
    ROLE: 'api',
    PORT: '0',
    LOG_LEVEL: 'info',
  };
}

async function loadOnce(load: unknown): Promise<LoadResult> {
  const result = await runChild<LoadResult>('load.ts', load);
  const bad = Object.keys(result.statuses).filter((status) => status !== '200');
  if (bad.length > 0)
    throw new Error(`responses other than 200: ${JSON.stringify(result.statuses)}`);
  return result;
}

async function windows(load: unknown, count: number): Promise<LoadResult[]> {
  const results: LoadResult[] = [];
  for (let window = 0; window < count; window++) results.push(await loadOnce(load));
  return results;
}

/** Measures windows that lie entirely within the booking. */
async function windowsWhile(
  load: unknown,
  booking: { isUnderWay: boolean },
): Promise<LoadResult[]> {
  const results: LoadResult[] = [];
  while (booking.isUnderWay) {
    const result = await loadOnce(load);
    if (booking.isUnderWay) results.push(result);
  }
  if (results.length === 0) throw new Error('the booking ended before it could be measured');
  return results;
}

async function check(db: Database, { rows, seconds }: FanOutResult): Promise<void> {
  const [booked] = await db.read<{ n: number }>(
    "select count(*) as n from ledger_entries where kind = 'tracking'",
  );
  const faults = await findLedgerFaults(db);
  process.stdout.write(
    `  ${rows} outbox rows fanned out in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} entries a second; tracking entries: ${booked?.n}, ledger faults: ${faults.length}\n`,
  );
  if (rows !== PRODUCTS || booked?.n !== PRODUCTS || faults.length > 0) {
    throw new Error('the booked charges differ from those due');
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const describe = (results: readonly LoadResult[]) =>
  results
    .map((one) => `p99 ${one.p99Ms.toFixed(1)} ms (${Math.round(one.perSecond)}/s)`)
    .join(', ');
