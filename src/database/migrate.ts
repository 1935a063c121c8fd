// Forward-only numbered migrations, one process at a time, so that any number of them may start at once. A database
// newer than this code is refused.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { isoTime, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { applyMigration, type MigrationPatience, PATIENCE, send } from './apply-migration.ts';
import type { Database } from './database.ts';

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

export type MigrateOptions = {
  dir?: string;
  upTo?: number;
  log?: Log;
  patience?: Partial<MigrationPatience>;
};

/** Brings the database to this code's version, or an earlier one; returns what was applied. */
export async function migrate(
  db: Database,
  nowMs: number,
  options: MigrateOptions = {},
): Promise<string[]> {
  await refuseOldServer(db);
  const upTo = options.upTo ?? Number.POSITIVE_INFINITY;
  const migrations = (await listMigrations(options.dir)).filter(({ version }) => version <= upTo);
  // Nearly always there is nothing to do, and nobody to wait for.
  if ((await schemaVersion(db)) > 0) {
    const rows = await db.read<{ version: number }>('select version from schema_migrations');
    const applied = new Set(rows.map(({ version }) => version));
    refuseNewer(applied, migrations);
    if (migrations.every(({ version }) => applied.has(version))) return [];
  }
  const patience = { ...PATIENCE, ...options.patience };
  return withClient(db, (guard) =>
    withClient(db, async (client) => {
      await waitForTurn(guard, options.log);
      const applied = await appliedVersions(client);
      refuseNewer(applied, migrations);
      const missing = migrations.filter(({ version }) => !applied.has(version));
      for (const migration of missing) {
        const text = await readFile(migration.path, 'utf8');
        const note = () => noteApplied(client, migration, nowMs);
        const run = { client, patience, log: options.log, note };
        await applyMigration(run, { name: migration.name, text });
      }
      return missing.map(({ name }) => name);
    }),
  );
}

/** A connection of its own, ended afterwards: nobody else is to have the limits that were set on it. */
async function withClient<T>(
  db: Database,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await db.background.connect();
  client.on('error', () => {}); // the statement under way fails with it
  try {
    return await work(client);
  } finally {
    client.release(true);
  }
}

/**
 * Holds the lock until its connection ends. A transaction's lock, not a session's: it also holds behind a pooler. Asked
 * for again and again instead of waited for: an index that is built beside the traffic waits for all statements under
 * way, and so for one that waits here.
 */
async function waitForTurn(guard: pg.ClientBase, log: Log | undefined): Promise<void> {
  for (let tries = 0; ; tries++) {
    await send(guard, 'begin');
    await send(guard, 'set local idle_in_transaction_session_timeout = 0');
    // Without parameters, so that no portal keeps a snapshot, for which such an index would wait as well.
    const [turn] = await send<{ is_ours: boolean }>(
      guard,
      `select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as is_ours`,
    );
    if (turn?.is_ours) return;
    await send(guard, 'rollback');
    if (tries % 300 === 10) log?.warn('another process migrates the database: waiting for it');
    await sleepMs(100);
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

async function appliedVersions(client: pg.ClientBase): Promise<Set<number>> {
  await send(
    client,
    `create table if not exists schema_migrations (
       version integer primary key, name text not null, applied_at timestamptz not null)`,
  );
  const rows = await send<{ version: number }>(client, 'select version from schema_migrations');
  return new Set(rows.map(({ version }) => version));
}

async function noteApplied(
  client: pg.ClientBase,
  { version, name }: Migration,
  nowMs: number,
): Promise<void> {
  await send(
    client,
    'insert into schema_migrations (version, name, applied_at) values ($1, $2, $3)',
    { values: [version, name, isoTime(nowMs)] },
  );
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
