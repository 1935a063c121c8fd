// A separate database for a test file, cloned from the migrated template.
import pg from 'pg';
import { inject } from 'vitest';
import {
  type ConnectionSettings,
  type Database,
  openDatabase,
} from '../../src/database/database.ts';
import { distribute } from '../../src/database/distribute.ts';
import { LANES } from '../../src/database/families.ts';
import { type LaneGroups, readLaneGroups } from '../../src/database/lane-groups.ts';
import { migrate, withMigrationTurn } from '../../src/database/migrate.ts';
import type { ObserveStatement } from '../../src/database/pool.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { atEnd } from './at-end.ts';
import { CITUS_URL, createCitusDatabase, dropCitusDatabase } from './citus.ts';
import { createLaneRules, isSentBySource } from './lane-rules.ts';
import { recordStatement } from './released-statements.ts';

export type TestDatabase = { db: Database; connection: ConnectionSettings; url: string };

/**
 * Runs statements on the server as superuser. Only a superuser may end an autovacuum worker, which
 * may be connected to a test database when it is dropped.
 */
export async function onServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { host, port, superuserPassword: password } = inject('postgres');
  const client = new pg.Client({ host, port, user: 'postgres', password, database: 'postgres' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** `isDurable: false`: commits do not wait for the disk, half of the time of a test with many. */
export async function cloneDatabase({
  isDurable = true,
}: {
  isDurable?: boolean;
} = {}): Promise<TestDatabase> {
  if (CITUS_URL !== undefined) return distributedDatabase();
  const { host, port, user, password, template } = inject('postgres');
  const name = `test_${newId().replaceAll('-', '')}`;
  await onServer(async (client) => {
    await client.query(`create database ${name} template ${template} owner ${user}`);
    if (!isDurable) await client.query(`alter database ${name} set synchronous_commit = off`);
  });
  const connection = { host, port, user, password, database: name };
  const db = openPretended(connection);
  const url = `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}&port=${port}`;
  atEnd(async () => {
    await db.close();
    await onServer((client) => client.query(`drop database if exists ${name} with (force)`));
  });
  return { db, connection, url };
}

/** A database distributed over the nodes at TEST_CITUS_URL, instead of a clone. */
async function distributedDatabase(): Promise<TestDatabase> {
  const name = `test_${newId().replaceAll('-', '')}`;
  const connection = await createCitusDatabase(name);
  // As a command does: a connection of the service would make it refuse.
  const command = { ...connection, application_name: 'oversight-command' };
  const setUp = openDatabase(command, createLog('silent'));
  await migrate(setUp, realNowMs());
  await withMigrationTurn(setUp, (client) => distribute(client, { shards: null }));
  await setUp.close();
  const db = openPretended(connection);
  db.groups.set(await readLaneGroups(db));
  atEnd(async () => {
    await db.close();
    await dropCitusDatabase(name);
  });
  const url = new URL(CITUS_URL as string);
  url.pathname = `/${name}`;
  return { db, connection, url: url.href };
}

/**
 * `TEST_LANE_GROUPS`: how many groups of lanes the tests pretend, as if the tables were distributed
 * (4 by default; 1 is one server). Every statement is held against the lane rules.
 */
const PRETENDED_GROUPS = Number(process.env.TEST_LANE_GROUPS ?? 4);

const listeners = new WeakMap<LaneGroups, ObserveStatement>();

/** Calls `listener` for every statement of a database from now on. */
export function onStatement(db: Database, listener: ObserveStatement): void {
  listeners.set(db.groups, listener);
}

/** Opens a database whose lanes seem to lie in several groups. */
export function openPretended(connection: ConnectionSettings): Database {
  let rules: ObserveStatement = () => {};
  const db = openDatabase(connection, createLog('silent'), {
    observe: (sent) => {
      rules(sent);
      recordStatement(sent, isSentBySource);
      listeners.get(db.groups)?.(sent);
    },
  });
  db.groups.set(Array.from({ length: LANES }, (_, lane) => lane % PRETENDED_GROUPS));
  rules = createLaneRules(db.groups);
  return db;
}

/** Returns the number of sessions of a database that wait for a lock. */
export async function waitingForLocks(db: Database): Promise<number> {
  const rows = await db.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}
