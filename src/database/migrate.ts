// Forward-only numbered migrations, each in its own transaction under a lock, so that any number of
// processes may start at once. A database newer than this code is refused.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isoTime } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { Database, Transaction } from './database.ts';

export const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations', import.meta.url));
const OLDEST_SERVER = 15;
// Any fixed number; the same in every release.
const MIGRATION_LOCK = 7_183_640_001;

export type Migration = { version: number; name: string; path: string };

export async function listMigrations(dir: string = MIGRATIONS_DIR): Promise<Migration[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.sql')).sort();
  let last = 0;
  return files.map((file) => {
    // Numbers may be left out, as when two changes are made at the same time, but never used twice.
    const version = Number(/^(\d{4})_/.exec(file)?.[1]);
    if (!(version > last)) throw new Error(`migrations/${file} has no number of its own`);
    last = version;
    return { version, name: file.slice(0, -'.sql'.length), path: `${dir}/${file}` };
  });
}

/** Brings the database to this code's version, or an earlier one; answers what was applied. */
export async function migrate(
  db: Database,
  nowMs: number,
  options: { dir?: string; upTo?: number; log?: Log } = {},
): Promise<string[]> {
  await refuseOldServer(db);
  const upTo = options.upTo ?? Number.POSITIVE_INFINITY;
  const migrations = (await listMigrations(options.dir)).filter(({ version }) => version <= upTo);
  const applied: string[] = [];
  for (;;) {
    const name = await applyNext(db, migrations, nowMs);
    if (name === null) return applied;
    applied.push(name);
  }
}

export async function schemaVersion(db: Database): Promise<number> {
  const [table] = await db.read<{ found: boolean }>(
    `select to_regclass('schema_migrations') is not null as found`,
  );
  if (!table?.found) return 0;
  const [row] = await db.read<{ version: number | null }>(
    'select max(version) as version from schema_migrations',
  );
  return row?.version ?? 0;
}

async function applyNext(
  db: Database,
  migrations: readonly Migration[],
  nowMs: number,
): Promise<string | null> {
  return db.transaction(async (tx) => {
    // A transaction lock, not a session lock: it also holds behind a pooler.
    await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await tx.query(
      `create table if not exists schema_migrations (
         version integer primary key, name text not null, applied_at timestamptz not null)`,
    );
    const applied = new Set(await appliedVersions(tx));
    refuseNewer(applied, migrations);
    const next = migrations.find(({ version }) => !applied.has(version));
    if (next === undefined) return null;
    // A migration that cannot get its locks gives way to the traffic and is tried at the next start.
    await tx.query(`set local lock_timeout = '5s'`);
    await tx.query(`set local statement_timeout = '10min'`);
    await tx.query(await readFile(next.path, 'utf8'));
    await tx.query(
      'insert into schema_migrations (version, name, applied_at) values ($1, $2, $3)',
      [next.version, next.name, isoTime(nowMs)],
    );
    return next.name;
  });
}

async function appliedVersions(tx: Transaction): Promise<number[]> {
  const rows = await tx.query<{ version: number }>('select version from schema_migrations');
  return rows.map(({ version }) => version);
}

function refuseNewer(applied: ReadonlySet<number>, migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.version ?? 0;
  const newest = Math.max(0, ...applied);
  if (newest <= known) return;
  throw new Error(
    `The database is at version ${newest}, this program knows only up to ${known}: start the newer release, or restore a backup made by this one.`,
  );
}

async function refuseOldServer(db: Database): Promise<void> {
  const [row] = await db.read<{ server_version_num: string; server_version: string }>(
    `select current_setting('server_version_num') as server_version_num,
            current_setting('server_version') as server_version`,
  );
  if (Number(row?.server_version_num) < OLDEST_SERVER * 10_000) {
    throw new Error(
      `PostgreSQL ${row?.server_version} is too old: DATABASE_URL needs ${OLDEST_SERVER} or newer.`,
    );
  }
}
