// Starts one embedded PostgreSQL for the whole test run and migrates the template that each file
// clones.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.ts';
import { startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';

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
  await superuser.end();
  const db = openDatabase({ ...server.connection, database: TEMPLATE }, log);
  await migrate(db, realNowMs());
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
