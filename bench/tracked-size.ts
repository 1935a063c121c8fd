// A million tracked products: their size in the database, without catalogue and history, and the
// memory of a worker that collects them.
import { isoTime, realNowMs } from '../src/foundation/clock.ts';
import { HOUR_MS } from '../src/foundation/time.ts';
import { makeAccounts } from './accounts.ts';
import { runChild } from './child.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import { fillTracked, TRACKED_TABLES } from './tracked.ts';
import type { WorkerResult, WorkerSide } from './worker-side.ts';

const PRODUCTS = 1_000_000;
const ACCOUNTS = 200;
const FIRST_CODE = 650_000_000;
const SECONDS = 30;
/** Time since the last collection of everything, which makes a lasting backlog. */
const BEHIND_MS = HOUR_MS;
const DATABASE_MAX_MB = 1_500;
const MEMORY_MAX_MB = 300;
/** Measured: 230 MB; 364 MB with Node's default young generation. */
const FLAGS = ['--max-semi-space-size=8'];

export async function trackedSizeBench(bench: Bench): Promise<Measure[]> {
  const { db } = bench;
  const accounts = await makeAccounts(db, ACCOUNTS);
  const accountIds = accounts.map(({ accountId }) => accountId);
  const startedAtMs = realNowMs();
  await fillTracked(
    db,
    { firstCode: FIRST_CODE, products: PRODUCTS, accountIds, at: startedAtMs - BEHIND_MS },
    { whole: true },
  );
  const size = measured({
    name: `tracked-size: MB of ${PRODUCTS} tracked products with two charged days`,
    value: await megabytes(bench),
    atMost: DATABASE_MAX_MB,
  });
  const side: WorkerSide = { connection: bench.connection, seconds: SECONDS };
  const { memoryMaxMb } = await runChild<WorkerResult>('worker-side.ts', side, FLAGS);
  const [row] = await db.read<{ n: number }>(
    'select count(*) as n from collection_schedule where last_collected_at >= $1',
    [isoTime(startedAtMs)],
  );
  const memory = measured({
    name: `tracked-size: MB of a worker while it collects ${row?.n} of them in ${SECONDS} s`,
    value: memoryMaxMb,
    atMost: MEMORY_MAX_MB,
  });
  return [size, memory];
}

/** Includes indexes and TOAST. */
async function megabytes({ db }: Bench): Promise<number> {
  let sum = 0;
  for (const table of TRACKED_TABLES) {
    const [row] = await db.read<{ heap: number; indexes: number; total: number }>(
      `select sum(pg_table_size(part))::bigint as heap, sum(pg_indexes_size(part))::bigint as indexes,
              sum(pg_total_relation_size(part))::bigint as total
         from (select $1::regclass as part union select relid from pg_partition_tree($1)) as parts`,
      [table],
    );
    const { heap = 0, indexes = 0, total = Number.NaN } = row ?? {};
    const mb = (bytes: number) => (bytes / 1e6).toFixed(0);
    process.stdout.write(`  ${table}: ${mb(heap)} MB and ${mb(indexes)} MB of indexes\n`);
    sum += total;
  }
  return sum / 1e6;
}
