// Bytes on disk per price point: a year of hourly points written by ingest and by live collection,
// sparse histories, and plain rows for comparison.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import type { Database } from '../src/database/database.ts';
import { realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { DAY_MS, HOUR_MS, HOUR_SECONDS, SECOND_MS } from '../src/foundation/time.ts';
import { seededDraws } from '../src/sales/sales-trial.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import { codesOf, hourlySnapshots, take } from './histories.ts';

const YEAR_HOURS = 365 * 24;
const DENSE = { firstCode: 560_000_000, products: 120 };
const SPARSE = { firstCode: 570_000_000, products: 20_000 };
const INGESTED_PART = 0.3;
/** Snapshots per transaction, of products in random order as they would be due. */
const LIVE_PER_TRANSACTION = 40;
const log = createLog('warn');

export async function sizeBench(bench: Bench): Promise<Measure[]> {
  const { db } = bench;
  return [await dense(db), ...(await sparse(db))];
}

async function dense(db: Database): Promise<Measure> {
  const codes = codesOf(DENSE);
  const startAtSeconds = Math.floor(realNowMs() / SECOND_MS) - (YEAR_HOURS + 1) * HOUR_SECONDS;
  const generators = () => codes.map((code) => hourlySnapshots(code, startAtSeconds));
  await empty(db);
  await recordSnapshots(
    { db, log },
    generators().map((snapshots) => snapshots.next().value),
  );
  const before = await bytesOf(db, HISTORY);

  await empty(db);
  const products = generators();
  const ingested = Math.floor(YEAR_HOURS * INGESTED_PART);
  for (const snapshots of products) await recordSnapshots({ db, log }, take(snapshots, ingested));
  const afterIngest = await bytesOf(db, HISTORY);
  const draw = seededDraws(1);
  for (let hour = ingested; hour < YEAR_HOURS; hour++) {
    const due = products.map((snapshots) => ({ snapshot: snapshots.next().value, order: draw() }));
    due.sort((one, other) => one.order - other.order);
    for (let from = 0; from < due.length; from += LIVE_PER_TRANSACTION) {
      const batch = due.slice(from, from + LIVE_PER_TRANSACTION);
      await recordSnapshots(
        { db, log },
        batch.map(({ snapshot }) => snapshot),
      );
    }
  }
  const after = await bytesOf(db, HISTORY);
  const points = codes.length * YEAR_HOURS;
  await describe(db);
  const rows = await rowBytes(db, { codes, points: YEAR_HOURS });
  const perPoint = (bytes: number, count: number) => (bytes / count).toFixed(2);
  const ingestedBytes = total(afterIngest) - total(before);
  process.stdout.write(
    `  after ingest ${perPoint(ingestedBytes, codes.length * ingested)} bytes a point; ` +
      `in products ${perPoint(after.products - before.products, points)}, ` +
      `in runs ${perPoint(after.history_runs - before.history_runs, points)}; ` +
      `rows ${perPoint(rows, points)}\n`,
  );
  return measured({
    name: `size: bytes a point, ${codes.length} products with a year of hours`,
    value: (total(after) - total(before)) / points,
    atMost: 2.5,
    goal: 1.6,
  });
}

/** Prints how full the runs and tails are. */
async function describe(db: Database): Promise<void> {
  const [runs] = await db.read<{ count: number; bytes: number; observations: number }>(
    `select count(*), sum(octet_length(packed)) as bytes, sum(observations) as observations
       from history_runs`,
  );
  const [tails] = await db.read<{ bytes: number }>(
    'select sum(octet_length(tail)) as bytes from products',
  );
  const runBytes = Math.round((runs?.bytes ?? 0) / (runs?.count ?? 1));
  const observationBytes = ((runs?.bytes ?? 0) / (runs?.observations ?? 1)).toFixed(2);
  const tailBytes = Math.round((tails?.bytes ?? 0) / DENSE.products);
  process.stdout.write(
    `  ${runs?.count} runs of ${runBytes} bytes, ${observationBytes} an observation; ` +
      `tails of ${tailBytes} bytes\n`,
  );
}

/** Four to six prices over two years, as in a list of price changes. */
async function sparse(db: Database): Promise<Measure[]> {
  const codes = codesOf(SPARSE);
  const draw = seededDraws(1);
  const endMs = realNowMs() - HOUR_MS;
  const histories = codes.map((code) => {
    const points = 4 + Math.floor(draw() * 3);
    const days = Array.from({ length: points }, () => 1 + Math.floor(draw() * 730)).sort(
      (a, b) => b - a,
    );
    return [...new Set(days)].map(
      (day): Snapshot => ({
        code,
        gtins: [],
        name: `Marlowe Kettle ${code}, Brushed Steel`,
        offersComplete: false,
        observedAtMs: (Math.floor(endMs / DAY_MS) - day) * DAY_MS,
        buybox: { priceCents: 100 + Math.floor(draw() * 3_000), sellerName: null },
      }),
    );
  });
  const write = async (part: (snapshots: Snapshot[]) => Snapshot[]) => {
    await empty(db);
    for (let from = 0; from < histories.length; from += 500) {
      await recordSnapshots({ db, log }, histories.slice(from, from + 500).flatMap(part));
    }
    return total(await bytesOf(db, HISTORY));
  };
  const first = await write((snapshots) => snapshots.slice(0, 1));
  const all = await write((snapshots) => snapshots);
  const points = histories.reduce((sum, snapshots) => sum + snapshots.length, 0);
  const allowed = 140 * codes.length + 6 * points;
  const pricesEach = (points / codes.length).toFixed(1);
  const name =
    `size: ${codes.length} products with ${pricesEach} prices, ` +
    'relative to 140 bytes each and 6 a point';
  return [
    measured({
      name: `${name}, without the product and its first price`,
      value: (all - first) / allowed,
      atMost: 1,
    }),
    measured({
      name: `${name}, with the product's row and key`,
      value: all / allowed,
      atMost: 1,
    }),
  ];
}

const HISTORY = ['products', 'history_runs'] as const;
type Sizes = Record<(typeof HISTORY)[number], number>;
const total = (sizes: Sizes) => sizes.products + sizes.history_runs;

async function empty(db: Database): Promise<void> {
  await db.query('truncate products, product_gtins, history_runs');
}

/** Including indexes and TOAST, after a plain VACUUM. */
async function bytesOf(db: Database, tables: readonly string[]): Promise<Sizes> {
  const sizes: Record<string, number> = {};
  for (const table of tables) {
    await db.query(`vacuum ${table}`);
    const [row] = await db.read<{ bytes: number }>('select pg_total_relation_size($1) as bytes', [
      table,
    ]);
    sizes[table] = row?.bytes ?? Number.NaN;
  }
  return sizes as Sizes;
}

/** The size of the same number of points as one row each. */
async function rowBytes(
  db: Database,
  { codes, points }: { codes: readonly string[]; points: number },
): Promise<number> {
  await db.query(
    `create table plain_rows (code text collate "C", at timestamptz, price numeric(10, 2),
                              holder text, primary key (code, at))`,
  );
  for (let from = 0; from < codes.length; from += 20) {
    await db.query(
      `insert into plain_rows
       select code, now() - point * interval '1 hour', 15 + (point * 7919) % 7000 / 100.0,
              'Marlowe Store'
         from unnest($1::text[]) as code, generate_series($2::integer, 1, -1) as point`,
      [codes.slice(from, from + 20), points],
    );
  }
  await db.query('vacuum plain_rows');
  const [row] = await db.read<{ bytes: number }>(
    "select pg_total_relation_size('plain_rows') as bytes",
  );
  await db.query('drop table plain_rows');
  return row?.bytes ?? Number.NaN;
}
