// The files of the embedded PostgreSQL: passwords, initdb, and the program's own role and database.
// Every step may be killed at any time; the next start continues from there.

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { errorCode, keepText, readText, syncFolder } from '../../foundation/kept-text.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import {
  clusterFolder,
  findHome,
  type Home,
  hasCluster,
  makeSocketFolder,
  PORT,
  recordHome,
  removeLeftovers,
  temporaryBeside,
} from './home.ts';
import { failureOf, makePrivateFolder, writePrivateFile } from './user.ts';

const SUPERUSER = 'postgres';
const ROLE = 'oversight';
const DATABASE = 'oversight';

export type Cluster = {
  home: Home;
  binaries: Binaries;
  dataFolder: string;
  logFolder: string;
  socketFolder: string;
  superuserPassword: string;
  password: string;
};

/** A complete cluster on disk, existing or created now; nothing runs yet. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const home = await findHome(dataDir);
  const dataFolder = clusterFolder(home);
  const logFolder = join(home.path, 'log');
  await removeLeftovers(home);
  await makePrivateFolder(logFolder, home.user);
  const binaries = await findBinaries(home);
  const passwords = await keepPasswords(home);
  if (!(await hasCluster(home.path))) {
    await makeCluster(home, binaries, passwords.superuserPassword);
  }
  await recordHome(home);
  await refuseOtherVersion(dataFolder, binaries);
  const socketFolder = await makeSocketFolder(home);
  return { home, binaries, dataFolder, logFolder, socketFolder, ...passwords };
}

/** Passwords are on disk before the cluster that uses them, and never change for it. */
async function keepPasswords(home: Home) {
  const folder = join(home.dataDir, 'secrets');
  await mkdir(folder, { mode: 0o700, recursive: true });
  await chmod(folder, 0o700);
  const superuserPath = join(folder, 'postgres-superuser-password');
  if ((await hasCluster(home.path)) && (await readText(superuserPath)) === null) {
    throw new Error(
      `${superuserPath} is missing, without which the database in ${home.path} cannot be opened: ` +
        'put it back, or set DATA_DIR to an empty folder to start from scratch.',
    );
  }
  const newPassword = () => randomBytes(24).toString('base64url');
  return {
    superuserPassword: await keepText(superuserPath, newPassword),
    password: await keepText(join(folder, 'postgres-password'), newPassword),
  };
}

/** Runs initdb beside the final path, syncs it, then renames it: never half a cluster. */
async function makeCluster(home: Home, binaries: Binaries, password: string): Promise<void> {
  const temporary = temporaryBeside(clusterFolder(home));
  try {
    await makePrivateFolder(temporary.path, home.user);
    const passwordFile = join(temporary.path, 'password');
    await writePrivateFile(passwordFile, password, home.user);
    const made = join(temporary.path, 'data');
    const failure = await failureOf(home.user, join(binaries.folder, 'bin', 'initdb'), [
      `--pgdata=${made}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`, // neither an argument nor the environment: others can read those
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      '--auth-local=scram-sha-256',
      '--auth-host=scram-sha-256',
      '--no-instructions',
    ]);
    if (failure !== null) throw new Error(`PostgreSQL could not make a database: ${failure}`);
    await rename(made, clusterFolder(home)).catch((error) => {
      // Another first start was faster; its cluster has the same passwords.
      if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    });
    await syncFolder(home.path);
  } finally {
    await temporary.done();
  }
}

async function refuseOtherVersion(dataFolder: string, binaries: Binaries): Promise<void> {
  const major = await readText(join(dataFolder, 'PG_VERSION'));
  if (major === binaries.major) return;
  if (major === null) {
    throw new Error(`${dataFolder} holds no database (PG_VERSION is missing): move it away.`);
  }
  throw new Error(
    `The database in ${dataFolder} was made by PostgreSQL ${major} and this release brings ` +
      `${binaries.major}: install ${binaries.packageName}@${major}, or run backup with the release ` +
      'that made it and restore with this one into an empty DATA_DIR.',
  );
}

/** pg settings for the program's role. `ssl` is explicit, else PGSSLMODE would decide. */
export function roleConnection(cluster: Cluster, socketFolder: string) {
  const { password } = cluster;
  const address = { host: socketFolder, port: PORT, ssl: false as const };
  return { ...address, user: ROLE, password, database: DATABASE };
}

/** Creates the role and database if missing; completes a start killed between steps. */
export async function prepareDatabase(cluster: Cluster, socketFolder: string): Promise<void> {
  const client = new Client({
    ...roleConnection(cluster, socketFolder),
    user: SUPERUSER,
    password: cluster.superuserPassword,
    database: 'postgres',
    application_name: 'oversight preparation',
  });
  client.on('error', () => {}); // a lost connection also fails the running statement
  await client.connect();
  try {
    // One at a time: two first starts may run together. The lock ends with the connection.
    await client.query('select pg_advisory_lock(0)');
    const role = await client.query('select from pg_roles where rolname = $1', [ROLE]);
    await client.query(
      `${role.rowCount === 0 ? 'create' : 'alter'} role ${ROLE}
         with login nosuperuser nocreaterole nocreatedb noreplication nobypassrls
         password '${scramVerifier(cluster.password)}'`,
    );
    // Lets the program check that a running server serves the expected data directory.
    await client.query(`grant pg_read_all_settings to ${ROLE}`);
    // Last, so that an existing database proves that all earlier steps are done.
    const database = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (database.rowCount === 0) await client.query(`create database ${DATABASE} owner ${ROLE}`);
  } finally {
    await client.end();
  }
}

/**
 * The verifier that PostgreSQL stores instead of the password (RFC 5802). The password itself is
 * not sent, because a failing statement is written to the server's log.
 */
function scramVerifier(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
