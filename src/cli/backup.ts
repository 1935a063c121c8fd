// Commands backup and restore: every table as COPY text in one gzip file, read in one database
// snapshot while the service runs. The format is our own: the embedded PostgreSQL has no pg_dump.
import { open, rename, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { PoolClient } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Database } from '../database/database.ts';
import { FORMER_TABLE_NAMES, SIGN_IN_TABLES, TABLES } from '../database/families.ts';
import { listMigrations, migrate, schemaVersion } from '../database/migrate.ts';
import { ensureMonthPartitions } from '../database/partitions.ts';
import { realNowMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import type { Command } from './command.ts';

const FORMAT = 'oversight backup 1';
const END_OF_TABLE = '\\.';

type Header = { format: string; schemaVersion: number };
type TableHeader = {
  table: string;
  columns: string[];
  rows: number;
  months: [number, number] | null;
};

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    words: ['FILE'],
    usage: 'backup FILE',
    on: 'store',
    async run({ store }, { words }) {
      const file = words[0] as string;
      const rows = await backUp(store.db, file);
      return { json: { file, rows }, text: `Wrote ${rows} rows to ${file}.` };
    },
  },
  {
    name: 'restore',
    words: ['FILE'],
    usage: 'restore FILE',
    on: 'store',
    async run({ store }, { words }) {
      const file = words[0] as string;
      const rows = await restore(store.db, file);
      return {
        json: { file, rows },
        text: `Restored ${rows} rows from ${file}. To start the service, use the encryption key of the backed-up database: set ENCRYPTION_KEY, or copy its secrets/encryption-key.`,
      };
    },
  },
];

/** Facts about one database and its processes, which mean nothing in another. */
const OF_THIS_SERVER = ['schema_migrations', 'leases', 'shared_rates'];

/** Ordered so that a table comes after the tables it references. */
const TABLE_NAMES = [
  ...Object.keys(TABLES).filter((name) => !OF_THIS_SERVER.includes(name)),
  ...SIGN_IN_TABLES,
];

const latestKnownVersion = async () => (await listMigrations()).at(-1)?.version ?? 0;

async function backUp(db: Database, file: string): Promise<number> {
  const version = await schemaVersion(db);
  if (version === 0)
    throw new Problem('database_empty', 'The database is empty; there is nothing to back up.');
  // Processes of this release still run on it, but a backup would lack the tables they do not know.
  const latestVersion = await latestKnownVersion();
  if (version > latestVersion) {
    throw new Problem(
      'database_too_new',
      `The database has schema version ${version}; this release knows up to ${latestVersion}. Back it up with the newer release.`,
    );
  }
  const draft = `${file}.part`;
  const handle = await open(draft, 'w', 0o600);
  const out = new PassThrough();
  const written = pipeline(out, createGzip(), handle.createWriteStream({ flush: true }));
  written.catch(() => {}); // reported where it is awaited
  const client = await db.connect();
  let rows = 0;
  try {
    // One snapshot for all tables: balances match the ledger even if charges are booked meanwhile.
    await client.query('begin isolation level repeatable read, read only');
    await client.query('set local statement_timeout = 0');
    out.write(`${JSON.stringify({ format: FORMAT, schemaVersion: version } satisfies Header)}\n`);
    for (const name of TABLE_NAMES) {
      rows += await Promise.race([writeTable(client, name, out), written.then(() => 0)]);
    }
    await client.query('commit');
    out.end();
    await written;
    await rename(draft, file);
    client.release();
    return rows;
  } catch (error) {
    out.destroy();
    await written.catch(() => {});
    await rm(draft, { force: true });
    client.release(true); // a COPY may still be running
    throw error;
  }
}

async function writeTable(client: PoolClient, table: string, out: PassThrough): Promise<number> {
  const { rows: columns } = await client.query<{ column_name: string }>(
    `select attname as column_name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  const names = columns.map((column) => column.column_name);
  const partitioned = await client.query(
    `select 1 from pg_partitioned_table where partrelid = $1::regclass`,
    [table],
  );
  const { rows: counted } = await client.query<{ n: number; first?: number; last?: number }>(
    partitioned.rowCount && names.includes('at')
      ? `select count(*) as n, min(at) as first, max(at) as last from ${table}`
      : `select count(*) as n from ${table}`,
  );
  const { n, first, last } = counted[0] ?? { n: 0 };
  const months: [number, number] | null = first && last ? [first, last] : null;
  const header: TableHeader = { table, columns: names, rows: n, months };
  out.write(`${JSON.stringify(header)}\n`);
  const copy = client.query(copyTo(`copy (select ${names.join(', ')} from ${table}) to stdout`));
  copy.pipe(out, { end: false });
  await finished(copy, { writable: false });
  out.write(`${END_OF_TABLE}\n`);
  return n;
}

async function restore(db: Database, file: string): Promise<number> {
  await refuseNonEmpty(db);
  const handle = await open(file, 'r');
  const reader = readLines(handle.createReadStream());
  // A file that cannot be unzipped is not a backup either.
  const header = readHeader((await reader.next().catch(() => null))?.value);
  const latestVersion = await latestKnownVersion();
  if (header.schemaVersion > latestVersion) {
    throw new Problem(
      'backup_too_new',
      `The backup has schema version ${header.schemaVersion}; this release supports up to ${latestVersion}. Restore it with the newer release.`,
    );
  }
  // Migrate to the backup's version, load its rows, then apply the later migrations.
  await migrate(db, realNowMs(), { upTo: header.schemaVersion });
  const client = await db.connect();
  let rows = 0;
  try {
    // One transaction: a restore that fails halfway leaves the database empty.
    await client.query('begin');
    await client.query('set local statement_timeout = 0');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    for (;;) {
      const next = await reader.next();
      if (next.done) break;
      const table = JSON.parse(next.value) as TableHeader;
      if (table.months !== null) {
        await ensureMonthPartitions(db, table.table, {
          fromMs: table.months[0],
          toMs: table.months[1],
        });
      }
      rows += await readTable(client, table, reader);
    }
    await client.query('commit');
  } finally {
    client.release(true);
  }
  await migrate(db, realNowMs());
  return rows;
}

/** Loads one table. Rows that a migration inserted (plans) are replaced by the backup's. */
async function readTable(
  client: PoolClient,
  table: TableHeader,
  reader: AsyncIterator<string>,
): Promise<number> {
  if (![...TABLE_NAMES, ...FORMER_TABLE_NAMES].includes(table.table)) {
    throw new Problem('backup_invalid', `The backup contains an unknown table: ${table.table}.`);
  }
  async function* body() {
    for (;;) {
      const next = await reader.next();
      if (next.done) throw new Error('The backup ends in the middle of a table.');
      if (next.value === END_OF_TABLE) return;
      yield `${next.value}\n`;
    }
  }
  await client.query(`delete from ${table.table}`);
  const copy = client.query(
    copyFrom(`copy ${table.table} (${table.columns.join(', ')}) from stdin`),
  );
  await pipeline(Readable.from(body()), copy);
  if (copy.rowCount !== table.rows) {
    throw new Error(
      `${table.table}: read ${copy.rowCount} rows, but its header states ${table.rows}.`,
    );
  }
  return table.rows;
}

/** Splits at \n only: product names may contain other Unicode line separators. */
async function* readLines(source: Readable): AsyncGenerator<string> {
  const unzipped = createGunzip();
  pipeline(source, unzipped).catch(() => {}); // the loop below throws the same error
  let rest = '';
  for await (const chunk of unzipped.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function readHeader(line: unknown): Header {
  try {
    const header = JSON.parse(String(line)) as Header;
    if (header.format === FORMAT) return header;
  } catch {
    // refused below
  }
  throw new Problem('backup_invalid', 'This file was not written by the backup command.');
}

async function refuseNonEmpty(db: Database): Promise<void> {
  if ((await schemaVersion(db)) === 0) return;
  for (const name of ['accounts', 'products']) {
    if ((await db.read(`select 1 from ${name} limit 1`)).length > 0) {
      throw new Problem(
        'database_not_empty',
        `The database is not empty: ${name} has rows. Restore into a new database.`,
      );
    }
  }
}
