// The location of the embedded PostgreSQL of one DATA_DIR: DATA_DIR/postgres, or, if the database
// user cannot reach it, a folder under /var/lib/oversight that only this DATA_DIR refers to.

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { realNowMs } from '../../foundation/clock.ts';
import { absentAsNull, errorCode, keepText, readText } from '../../foundation/kept-text.ts';
import { assert } from '../../foundation/problem.ts';
import {
  callerIsRoot,
  canUseFolder,
  type DatabaseUser,
  databaseUsers,
  makePrivateFolder,
  ownerOf,
} from './user.ts';

const OUTSIDE = '/var/lib/oversight';

/** A private folder of the database user: the cluster (`data`), its log, socket and binaries. */
export type Home = { dataDir: string; path: string; user: DatabaseUser };

export function clusterFolder(home: { path: string }): string {
  return join(home.path, 'data');
}

/**
 * The home of this DATA_DIR, or a new one. An existing home is kept even if DATA_DIR becomes
 * reachable later. A new DATA_DIR has a new random id and so never finds old data.
 */
export async function findHome(configuredDataDir: string): Promise<Home> {
  await mkdir(configuredDataDir, { recursive: true });
  const dataDir = await realpath(configuredDataDir); // one path per folder, also for the server
  const inside = join(dataDir, 'postgres');
  const record = await readText(recordPath(dataDir));
  const outside = record ?? join(OUTSIDE, await homeId(dataDir));

  for (const path of [inside, outside]) {
    if (await hasCluster(path)) return existingHome(dataDir, path);
  }
  if (record !== null) {
    throw new Error(
      `The database of ${dataDir} was in ${record} and is no longer there: put it back, ` +
        `or delete ${recordPath(dataDir)} to begin with an empty one.`,
    );
  }
  return newHome(dataDir, inside, outside);
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'postgres-location');
}

/** Call once the home holds data: if it vanishes, an empty database must not replace it. */
export async function recordHome(home: Home): Promise<void> {
  if (home.path === join(home.dataDir, 'postgres')) return;
  await keepText(recordPath(home.dataDir), () => home.path);
}

export async function hasCluster(homePath: string): Promise<boolean> {
  const stats = await stat(clusterFolder({ path: homePath })).catch(absentAsNull);
  return stats !== null;
}

async function existingHome(dataDir: string, path: string): Promise<Home> {
  const owner = await ownerOf(clusterFolder({ path }));
  const user = (await databaseUsers(owner))[0];
  assert(user !== undefined, 'an empty list of users');
  if (owner?.uid === 0) {
    throw new Error(
      `PostgreSQL does not run as root, but root owns ${path}: chown -R ${user.name} ${path}`,
    );
  }
  await makePrivateFolder(path, user);
  if (await canUseFolder(user, path)) return { dataDir, path, user };
  throw new Error(
    `The user that owns the database, ${user.name}, cannot pass to ${path}: ` +
      'let it pass the folders above (chmod o+x), or move DATA_DIR back to where it was.',
  );
}

async function newHome(dataDir: string, inside: string, outside: string): Promise<Home> {
  if (callerIsRoot) {
    await mkdir(OUTSIDE, { recursive: true });
    await chmod(OUTSIDE, 0o755); // a strict umask must not lock the database user out
  }
  for (const user of await databaseUsers(await ownerOf(inside))) {
    for (const path of callerIsRoot ? [inside, outside] : [inside]) {
      if (!(await couldUse(path, user))) continue;
      await makePrivateFolder(path, user);
      return { dataDir, path, user };
    }
  }
  throw new Error(
    `No user that could run PostgreSQL can use ${inside} or ${outside}: ` +
      'start as an ordinary user, or set DATABASE_URL.',
  );
}

/** Tries it with a temporary folder beside the path, so that two starts do not interfere. */
async function couldUse(path: string, user: DatabaseUser): Promise<boolean> {
  const trial = temporaryBeside(path);
  try {
    await makePrivateFolder(trial.path, user);
    return await canUseFolder(user, trial.path);
  } finally {
    await trial.done();
  }
}

/** Random, stored in DATA_DIR; short, because it is part of a socket's path. */
export function homeId(dataDir: string): Promise<string> {
  return keepText(join(dataDir, 'postgres-id'), () => randomBytes(10).toString('hex'));
}

export const PORT = 5432; // names the socket only: there is no TCP

// sun_path holds 104 bytes on macOS and 108 on Linux, the closing zero included.
const SOCKET_PATH_BYTES_MAX = 103;

/** The private folder for the socket; outside the home if the home's path is too long. */
export async function makeSocketFolder(home: Home): Promise<string> {
  const name = `oversight-${await homeId(home.dataDir)}`;
  const shorter = [tmpdir(), '/tmp'].map((folder) => join(folder, name));
  for (const folder of [join(home.path, 'socket'), ...shorter]) {
    if (Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) > SOCKET_PATH_BYTES_MAX) continue;
    if (!(await stat(dirname(folder)).catch(absentAsNull))?.isDirectory()) continue;
    await makePrivateFolder(folder, home.user);
    if (await canUseFolder(home.user, folder)) return folder;
  }
  throw new Error(
    `No folder is short enough for PostgreSQL's socket: set DATA_DIR to a shorter path.`,
  );
}

const LEFTOVER_AGE_MS = 10 * 60_000;
const unfinished = new Set<string>();

/** A path to build at before the rename; holds the pid, so that leftovers can be recognized. */
export function temporaryBeside(path: string): { path: string; done(): Promise<void> } {
  const temporary = `${path}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  unfinished.add(temporary);
  return {
    path: temporary,
    done: async () => {
      await rm(temporary, { recursive: true, force: true });
      unfinished.delete(temporary);
    },
  };
}

/** Removes leftovers of killed starts, and nothing that another start is building now. */
export async function removeLeftovers(home: Home): Promise<void> {
  const beside = (await readdir(dirname(home.path))).map((name) => join(dirname(home.path), name));
  const inside = (await readdir(home.path)).map((name) => join(home.path, name));
  for (const path of [...beside.filter((other) => other.startsWith(home.path)), ...inside]) {
    const makerPid = Number(/\.new-(\d+)-[0-9a-f]+$/.exec(path)?.[1]);
    if (Number.isNaN(makerPid) || unfinished.has(path)) continue;
    const stats = await stat(path).catch(absentAsNull);
    // A live process may have reused the pid; nothing takes ten minutes to build.
    const old = stats !== null && realNowMs() - stats.mtimeMs > LEFTOVER_AGE_MS;
    if (makerPid !== process.pid && isAlive(makerPid) && !old) continue;
    // An orphaned initdb may still write into it; it ends when its files are deleted.
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
