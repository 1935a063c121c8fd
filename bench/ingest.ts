// Ingest compared with parsing the same file and writing it with COPY, one row per snapshot and one
// per offer, with primary keys: a history of 10,000 products, and a catalogue of distinct products.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../src/database/database.ts';
import { runChild } from './child.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import { type FileShape, writeSnapshotFile } from './ingest-file.ts';
import type { IngestResult, IngestSide } from './ingest-side.ts';

const HISTORY: FileShape = {
  products: 10_000,
  days: 100,
  offers: 3,
  firstCode: 710_000_000,
};
const CATALOGUE: FileShape = {
  products: 100_000,
  days: 1,
  offers: 3,
  firstCode: 720_000_000,
};
const MEMORY_MAX_MB = 300;
/**
 * The flags with which package.json runs commands. A million lines took 302 MB without a limit on
 * heap growth, and 230 MB with a heap that at most doubles, for about the same processor time.
 */
const FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=100'];

export async function ingestBench(bench: Bench): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oversight-bench-'));
  try {
    const figures = [
      await fileBench(bench, { folder, name: 'history', shape: HISTORY, toReach: 0.2 }),
      await fileBench(bench, { folder, name: 'catalogue', shape: CATALOGUE, toReach: 0.06 }),
    ];
    return figures;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fileBench(
  bench: Bench,
  input: { folder: string; name: string; shape: FileShape; toReach: number },
): Promise<Figure> {
  const file = join(input.folder, `${input.name}.ndjson`);
  await writeSnapshotFile(file, input.shape);
  let memoryMaxMb = 0;
  const side = async (way: IngestSide['way']) => {
    await empty(bench.db);
    const work = { connection: bench.connection, way, file };
    const done = await runChild<IngestResult>('ingest-side.ts', work, FLAGS);
    if (way === 'ingest') memoryMaxMb = Math.max(memoryMaxMb, done.memoryMaxMb);
    return done.perSecond;
  };
  const lines = input.shape.products * input.shape.days;
  const figure = await compare({
    name: `ingest over COPY, a ${input.name} file of ${lines} lines`,
    toReach: input.toReach,
    a: { label: 'ingest', run: () => side('ingest') },
    b: { label: 'COPY', run: () => side('copy') },
  });
  process.stdout.write(
    `  memory while ingesting ${lines} lines: at most ${memoryMaxMb} MB, to stay under ${MEMORY_MAX_MB}: ${memoryMaxMb < MEMORY_MAX_MB ? 'reached' : 'NOT REACHED'}\n`,
  );
  return figure;
}

async function empty(db: Database): Promise<void> {
  await db.query('truncate products, product_gtins, history_runs');
  await db.query('drop table if exists plain_snapshots, plain_offers');
  await db.query(
    `create table plain_snapshots (
       code text collate "C", observed_at timestamptz, upc text, brand text, product_name text,
       categories jsonb, buybox_price numeric(10,2), buybox_seller text, rank_position integer,
       rank_category text, customer_rating real, reviews integer, weight real, seller_type text,
       primary key (code, observed_at))`,
  );
  await db.query(
    `create table plain_offers (
       code text collate "C", observed_at timestamptz, seller_name text, price numeric(10,2),
       shipping numeric(10,2), units integer, last_updated timestamptz,
       primary key (code, observed_at, seller_name))`,
  );
  await db.query('checkpoint').catch(() => {}); // the service's role may lack the privilege
}
