// Applies one migration: in a transaction that gives up on locks quickly and is retried; or, if its
// file says so, statement by statement outside a transaction, which builds indexes concurrently.
import type pg from 'pg';
import { sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { asFailure, isLockTimeout } from './failure.ts';
import { type ConcurrentIndex, concurrentIndex, splitStatements } from './sql-text.ts';

export type MigrationPatience = {
  /** How long to wait for a lock; requests that queue behind the migration wait as well. */
  lockTimeoutMs: number;
  /** How often to try for the lock. */
  lockTriesMax: number;
  /** How long one statement may run. */
  statementMaxMs: number;
};

export const PATIENCE: MigrationPatience = {
  lockTimeoutMs: 2_000,
  lockTriesMax: 20,
  statementMaxMs: 10 * 60_000,
};

/** An index of a large table may take this long. */
const OUTSIDE_MAX_MS = 24 * 3_600_000;
const OUTSIDE = /^--[^\n]*\boutside a transaction\b/i;

export type MigrationRun = {
  client: pg.ClientBase;
  patience: MigrationPatience;
  log: Log | undefined;
  /** Records that the migration was applied. */
  note(): Promise<void>;
};

export async function applyMigration(
  run: MigrationRun,
  migration: { name: string; text: string },
): Promise<void> {
  if (OUTSIDE.test(migration.text)) await applyOutside(run, migration);
  else await applyInside(run, migration);
}

/** The client's timeout is above the server's, so that the client never gives up first. */
export async function send<Row>(
  client: pg.ClientBase,
  text: string,
  options: { values?: unknown[]; maxMs?: number } = {},
): Promise<Row[]> {
  const config: pg.QueryConfig & { query_timeout: number } = {
    text,
    values: options.values ?? [],
    query_timeout: (options.maxMs ?? PATIENCE.statementMaxMs) + 5_000,
  };
  try {
    return (await client.query(config)).rows as Row[];
  } catch (error) {
    throw asFailure(error);
  }
}

async function applyInside(
  { client, patience, log, note }: MigrationRun,
  migration: { name: string; text: string },
): Promise<void> {
  const { statementMaxMs, lockTimeoutMs, lockTriesMax } = patience;
  for (let tries = 1; ; tries++) {
    try {
      await send(client, 'begin isolation level read committed');
      await send(client, `set local lock_timeout = ${lockTimeoutMs}`);
      await send(client, `set local statement_timeout = ${statementMaxMs}`);
      for (const text of splitStatements(migration.text)) {
        await send(client, text, { maxMs: statementMaxMs });
      }
      await note();
      await send(client, 'commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!isLockTimeout(error)) throw error;
      if (tries >= lockTriesMax) throw new BusyTables(migration.name, tries);
      log?.warn({ migration: migration.name, tries }, 'migration waits for tables that are in use');
      await sleepMs(Math.min(100 * 2 ** tries, 2_000));
    }
  }
}

class BusyTables extends Error {
  constructor(name: string, tries: number) {
    super(
      `Migration ${name} could not lock its tables in ${tries} tries, because transactions hold them: end those, or start again later.`,
    );
  }
}

const REPORTED_AFTER_MS = 1_000;

/** No record is kept per statement, so each must be safe to repeat after a crash. */
async function applyOutside(
  { client, log, note }: MigrationRun,
  migration: { name: string; text: string },
): Promise<void> {
  const patient = { maxMs: OUTSIDE_MAX_MS };
  await send(client, 'set statement_timeout = 0');
  await send(client, 'set lock_timeout = 0');
  for (const text of splitStatements(migration.text)) {
    const index = concurrentIndex(text);
    // On an empty database all of this takes milliseconds, and nobody needs to read about it.
    const timer = setTimeout(() => {
      log?.info({ migration: migration.name, index: index?.name }, 'migration beside the traffic');
    }, REPORTED_AFTER_MS);
    try {
      if (index === null) await send(client, text, patient);
      else if (await isPartitioned(client, index.table)) await buildOnParts(client, index);
      else await buildIndex(client, index);
    } finally {
      clearTimeout(timer);
    }
  }
  await note();
}

const isPartitioned = async (client: pg.ClientBase, table: string) =>
  (
    await send(client, `select from pg_partitioned_table where partrelid = $1::regclass`, {
      values: [table],
    })
  ).length > 0;

/** Drops and rebuilds an index that a crash left invalid. */
async function buildIndex(client: pg.ClientBase, index: ConcurrentIndex): Promise<void> {
  const [existing] = await send<{ is_valid: boolean }>(
    client,
    'select indisvalid as is_valid from pg_index where indexrelid = to_regclass($1)',
    { values: [index.name] },
  );
  if (existing?.is_valid) return;
  const patient = { maxMs: OUTSIDE_MAX_MS };
  if (existing !== undefined) await send(client, `drop index concurrently ${index.name}`, patient);
  const unique = index.isUnique ? 'unique ' : '';
  await send(
    client,
    `create ${unique}index concurrently ${index.name} on ${index.table} ${index.rest}`,
    patient,
  );
}

/**
 * PostgreSQL builds no index concurrently on a partitioned table: creates an invalid one on the
 * parent, then one per partition, and attaches them.
 */
async function buildOnParts(client: pg.ClientBase, index: ConcurrentIndex): Promise<void> {
  const unique = index.isUnique ? 'unique ' : '';
  await sendWhenFree(
    client,
    `create ${unique}index if not exists ${index.name} on only ${index.table} ${index.rest}`,
  );
  const parts = await send<{ part: string }>(
    client,
    `select i.inhrelid::regclass::text as part from pg_inherits i
      where i.inhparent = $1::regclass
        and not exists (select from pg_index own join pg_inherits a on a.inhrelid = own.indexrelid
                         where own.indrelid = i.inhrelid and a.inhparent = $2::regclass)
      order by 1`,
    { values: [index.table, index.name] },
  );
  for (const { part } of parts) {
    const name = `${index.name}_${part.replace(/^.*?(\d{4}_\d{2})?$/, '$1') || part}`.slice(0, 63);
    await buildIndex(client, { ...index, name, table: part });
    await sendWhenFree(client, `alter index ${index.name} attach partition ${name}`);
  }
}

/** Writers queue behind a statement that waits for a lock of the parent: gives up and repeats. */
async function sendWhenFree(client: pg.ClientBase, text: string): Promise<void> {
  await send(client, `set lock_timeout = ${PATIENCE.lockTimeoutMs}`);
  for (;;) {
    try {
      await send(client, text);
      break;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await sleepMs(PATIENCE.lockTimeoutMs / 4);
    }
  }
  await send(client, 'set lock_timeout = 0');
}
