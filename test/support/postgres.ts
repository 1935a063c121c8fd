// Starts one embedded PostgreSQL for the whole test run and migrates the template that each file
// clones.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { LEDGER_TABLE } from '../../src/credits/ledger.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createPartitionKeeper } from '../../src/database/partitions.ts';
import { EVENTS_TABLE } from '../../src/events/events.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';
import { ATTEMPTS_TABLE } from '../../src/webhooks/attempts.ts';
import { DELIVERIES_TABLE } from '../../src/webhooks/deliveries.ts';

export type TestServer = {
  host: string;
  port: number;
  user: string;
  password: string;
  /** The migrated database that files clone. */
  template: string;
  superuserPassword: string;
  logFolder: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer;
  }
}

const TEMPLATE = 'migrated';

/** What the clocks of most tests show. */
const USUAL_NOW_MS = Date.parse('2026-11-15T12:00:00Z');

/** The partitions that a service creates before it writes: 16 tables, once instead of per file. */
async function createMonths(db: Database, nowMs: number): Promise<void> {
  const tables = [LEDGER_TABLE, EVENTS_TABLE, DELIVERIES_TABLE, ATTEMPTS_TABLE];
  await createPartitionKeeper(db, ...tables).ready(nowMs);
}

/** A login proves its password with 4,096 hashes on both sides; tests log in thousands of times. */
async function cheapenLogins(
  superuser: pg.Client,
  passwords: Readonly<Record<string, string>>,
): Promise<void> {
  await superuser.query('set scram_iterations = 1');
  for (const [role, password] of Object.entries(passwords)) {
    await superuser.query(`alter role ${role} password '${password}'`);
  }
}

const ROOM_BYTES = 4 * 2 ** 30;

/** In memory if there is room: nothing outlives the run, and a commit mostly waits for the disk. */
function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > ROOM_BYTES) return '/dev/shm';
  } catch {
    // Not available on this system.
  }
  return tmpdir();
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(fastFolder(), 'oversight-test-'));
  chmodSync(dataDir, 0o755); // as root, the database's user must be able to pass
  const log = createLog('silent');
  const server = await startEmbeddedPostgres({ dataDir, purpose: 'service', log });
  const superuserPassword = readFileSync(
    join(dataDir, 'secrets', 'postgres-superuser-password'),
    'utf8',
  ).trim();
  const { host, port, user, password } = server.connection;
  const superuser = new pg.Client({
    ...server.connection,
    user: 'postgres',
    password: superuserPassword,
    database: 'postgres',
  });
  await superuser.connect();
  await superuser.query(`create database ${TEMPLATE} owner ${user}`);
  await cheapenLogins(superuser, { [user]: password, postgres: superuserPassword });
  await superuser.end();
  const db = openDatabase({ ...server.connection, database: TEMPLATE }, log);
  await migrate(db, realNowMs());
  for (const nowMs of [realNowMs(), USUAL_NOW_MS]) await createMonths(db, nowMs);
  await db.close();
  project.provide('postgres', {
    host,
    port,
    user,
    password,
    superuserPassword,
    template: TEMPLATE,
    logFolder: join(server.location, 'log'),
  });
  return async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
