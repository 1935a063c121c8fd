// Applies numbered, forward-only migrations, one process at a time, so that many may start
// together. Accepts a database that newer code has expanded, refuses one it has contracted.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { isoTime, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { applyMigration, type MigrationPatience, PATIENCE, send } from './apply-migration.ts';
import { neededVersion } from './contract.ts';
import type { Database } from './database.ts';
import { distributeMissing, shardCount } from './distribute.ts';

export const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations', import.meta.url));
const OLDEST_SERVER = 15;
// Any fixed number; the same in every release.
const MIGRATION_LOCK = 7_183_640_001;

export type Migration = { version: number; name: string; path: string };

export async function listMigrations(dir: string = MIGRATIONS_DIR): Promise<Migration[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.sql')).sort();
  let last = 0;
  return files.map((file) => {
    // Numbers may have gaps, as when two branches add migrations, but are never used twice.
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
  /** Why missing migrations cannot be applied here, as a sentence; they are applied without it. */
  refusal?: string;
};

/** Migrates to this code's version, or up to `upTo`; returns the names applied. */
export async function migrate(
  db: Database,
  nowMs: number,
  options: MigrateOptions = {},
): Promise<string[]> {
  await refuseOldServer(db);
  const { upTo = Number.POSITIVE_INFINITY } = options;
  const migrations = (await listMigrations(options.dir)).filter(({ version }) => version <= upTo);
  const refuse = upTo === Number.POSITIVE_INFINITY ? refuseContracted : refuseNewer;
  // Usually nothing is missing, and no lock is needed.
  if ((await schemaVersion(db)) > 0) {
    const applied = appliedFrom(await db.read<AppliedRow>(APPLIED));
    refuse(applied, migrations);
    if (migrations.every(({ version }) => applied.has(version))) {
      const newer = newerThan(applied, migrations);
      if (newer.length > 0) options.log?.warn({ newer }, 'the database is of a newer release');
      return [];
    }
  }
  if (options.refusal !== undefined) throw new Error(options.refusal);
  const patience = { ...PATIENCE, ...options.patience };
  return withMigrationTurn(
    db,
    async (client) => {
      const applied = await appliedVersions(client);
      refuse(applied, migrations);
      const missing = migrations.filter(({ version }) => !applied.has(version));
      for (const migration of missing) {
        const text = await readFile(migration.path, 'utf8');
        const needs = neededVersion(text);
        const note = () => noteApplied(client, { ...migration, needs }, nowMs);
        const run = { client, patience, log: options.log, note };
        await applyMigration(run, { name: migration.name, text });
      }
      const shards = await shardCount(client);
      if (shards !== null && missing.length > 0) await distributeMissing(client, { shards });
      return missing.map(({ name }) => name);
    },
    options.log,
  );
}

/** Runs work on a connection of its own while no other process migrates or distributes. */
export function withMigrationTurn<T>(
  db: Database,
  work: (client: pg.ClientBase) => Promise<T>,
  log?: Log,
): Promise<T> {
  return withClient(db, (guard) =>
    withClient(db, async (client) => {
      await waitForTurn(guard, log);
      return work(client);
    }),
  );
}

/** A separate connection, closed afterwards, because the work changes its timeouts. */
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
 * Holds the lock until its connection ends. It is a transaction lock, not a session lock, so that
 * it works behind a pooler. It is polled, not waited for: a concurrent index build waits for all
 * running statements, including one that would wait here.
 */
async function waitForTurn(guard: pg.ClientBase, log: Log | undefined): Promise<void> {
  for (let tries = 0; ; tries++) {
    await send(guard, 'begin');
    await send(guard, 'set local idle_in_transaction_session_timeout = 0');
    // No parameters, so that no portal keeps a snapshot, which would block an index build too.
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
  const [table] = await db.read<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!table?.exists) return 0;
  const [row] = await db.read<{ version: number | null }>(
    'select max(version) as version from schema_migrations',
  );
  return row?.version ?? 0;
}

/** By version: which migration a program must know to run on it, 0 for none, null if unknown. */
type Applied = ReadonlyMap<number, number | null>;
type AppliedRow = { version: number; needs: number | null };

/** As JSON, because older programs made the table without the column. */
const APPLIED = `select version, (to_jsonb(m) ->> 'needs_version')::integer as needs
                   from schema_migrations m`;

const appliedFrom = (rows: readonly AppliedRow[]): Applied =>
  new Map(rows.map(({ version, needs }) => [version, needs]));

async function appliedVersions(client: pg.ClientBase): Promise<Applied> {
  await send(
    client,
    `create table if not exists schema_migrations (
       version integer primary key, name text not null, applied_at timestamptz not null,
       needs_version integer)`,
  );
  await send(
    client,
    'alter table schema_migrations add column if not exists needs_version integer',
  );
  return appliedFrom(await send<AppliedRow>(client, APPLIED));
}

async function noteApplied(
  client: pg.ClientBase,
  { version, name, needs }: Migration & { needs: number },
  nowMs: number,
): Promise<void> {
  await send(
    client,
    `insert into schema_migrations (version, name, applied_at, needs_version)
     values ($1, $2, $3, $4)`,
    { values: [version, name, isoTime(nowMs), needs] },
  );
}

const newestOf = (migrations: readonly Migration[]) => migrations.at(-1)?.version ?? 0;

const newerThan = (applied: Applied, migrations: readonly Migration[]) =>
  [...applied.keys()].filter((version) => version > newestOf(migrations));

/** Rows of an older backup fit only the schema of their own version. */
function refuseNewer(applied: Applied, migrations: readonly Migration[]): void {
  const newer = newerThan(applied, migrations);
  if (newer.length > 0) {
    throw new Error(
      `The database is at version ${Math.max(...newer)}, not ${newestOf(migrations)}: use an empty one.`,
    );
  }
}

/**
 * While processes are replaced one by one, an older one may start after a newer one has migrated.
 * It goes on with what was added, but not when something was removed that it may still use.
 */
function refuseContracted(applied: Applied, migrations: readonly Migration[]): void {
  const versions = new Set([0, ...migrations.map(({ version }) => version)]);
  const newestHere = newestOf(migrations);
  for (const [version, needs] of applied) {
    if (versions.has(version) || (needs === null && version < newestHere)) continue;
    if (needs !== null && versions.has(needs)) continue;
    const knows = `this program knows only up to ${newestHere}`;
    throw new Error(
      `The database is at version ${Math.max(...applied.keys())}, which no longer supports this release (${knows}): start the newer release, or restore a backup made by this one.`,
    );
  }
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
