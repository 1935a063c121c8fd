// A program's lease on the embedded PostgreSQL: one connection whose advisory locks show who uses
// the server. The kernel closes it when the program dies.

import { lstat } from 'node:fs/promises';
import { Client } from 'pg';
import { monotonicMs, sleepMs } from '../../foundation/clock.ts';
import { errorCode } from '../../foundation/kept-text.ts';
import { type Cluster, prepareDatabase, roleConnection } from './cluster.ts';
import { refuseShared } from './user.ts';

export type Purpose = 'service' | 'command';

const LOCK_CLASS = 0x0e75;
/** Held shared by every program that uses the server; only the last one can get it alone. */
const PRESENCE = 1;
/** Held by the one service of a DATA_DIR. */
const SERVICE = 2;

/** `lost` resolves when the connection has ended, whoever ended it. */
export type DatabaseLease = { client: Client; lost: Promise<void> };

export type LeaseAttempt =
  | { state: 'in'; lease: DatabaseLease }
  | { state: 'taken'; byPid: number }
  /** Nobody listens; role or database are missing; starting, stopping or full. */
  | { state: 'absent' | 'unprepared' | 'busy' };

/** One attempt to connect and take the lease; never waits for another program. */
export async function knock(
  cluster: Cluster,
  socketFolder: string,
  purpose: Purpose,
): Promise<LeaseAttempt> {
  const client = new Client({
    ...roleConnection(cluster, socketFolder),
    application_name: `oversight ${purpose} ${process.pid}`,
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {}); // `lost` reports it
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()));
  let response: LeaseAttempt;
  try {
    refuseShared(socketFolder, await lstat(socketFolder), cluster.home.user);
    await client.connect();
    response = await takeLease({ client, lost }, cluster, purpose);
  } catch (error) {
    response = { state: stateBehind(error) };
  }
  if (response.state !== 'in') await client.end();
  return response;
}

async function takeLease(
  lease: DatabaseLease,
  cluster: Cluster,
  purpose: Purpose,
): Promise<LeaseAttempt> {
  const { client } = lease;
  // A server that accepts our password and serves our data is ours, whoever started it.
  const { rows } = await client.query<{ served: string; admitted: boolean }>(
    `select current_setting('data_directory') as served,
            pg_try_advisory_lock_shared($1, $2) as admitted`,
    [LOCK_CLASS, PRESENCE],
  );
  const served = rows[0]?.served;
  if (served !== cluster.dataFolder) {
    throw new Error(
      `The PostgreSQL that listens for ${cluster.dataFolder} serves ${served}: stop it, then start again.`,
    );
  }
  // Not admitted: the last command is about to stop this server.
  if (rows[0]?.admitted !== true) return { state: 'busy' };
  if (purpose === 'command' || (await tryLock(client, SERVICE))) return { state: 'in', lease };
  const byPid = await servicePid(client);
  return byPid === null ? { state: 'busy' } : { state: 'taken', byPid };
}

async function tryLock(client: Client, lock: number): Promise<boolean> {
  const sql = 'select pg_try_advisory_lock($1, $2) as locked';
  const { rows } = await client.query<{ locked: boolean }>(sql, [LOCK_CLASS, lock]);
  return rows[0]?.locked === true;
}

/** Process id of the holder of SERVICE, read from its connection's name. */
async function servicePid(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name
       from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted`,
    [LOCK_CLASS, SERVICE],
  );
  const pid = Number(rows[0]?.name.split(' ').at(-1));
  return Number.isNaN(pid) ? null : pid;
}

/**
 * Releases the presence lock and returns whether no other program holds it, within `patienceMs`.
 * True stays true: later programs are not admitted and start their own server.
 */
export async function isLast(client: Client, patienceMs: number): Promise<boolean> {
  const startedAtMs = monotonicMs();
  try {
    // Release first: otherwise two programs that leave at once would each wait for the other.
    await client.query('select pg_advisory_unlock_shared($1, $2)', [LOCK_CLASS, PRESENCE]);
    while (!(await tryLock(client, PRESENCE))) {
      if (monotonicMs() - startedAtMs > patienceMs) return false;
      await sleepMs(20);
    }
    return true;
  } catch (error) {
    stateBehind(error);
    return false; // the server has stopped or is stopping
  }
}

/** Creates role and database when `knock` returned `unprepared`. */
export async function prepare(cluster: Cluster, socketFolder: string): Promise<void> {
  try {
    await prepareDatabase(cluster, socketFolder);
  } catch (error) {
    if (stateBehind(error) !== 'unprepared') return; // it went away meanwhile: knock again
    throw new Error(
      `The passwords in ${cluster.home.dataDir}/secrets do not open the database in ` +
        `${cluster.home.path}: put back the secrets that belong to it.`,
      { cause: error },
    );
  }
}

const STATE_OF_CODE: Readonly<Record<string, 'absent' | 'unprepared' | 'busy'>> = {
  ENOENT: 'absent',
  ECONNREFUSED: 'absent',
  '28P01': 'unprepared', // wrong password, or no such role
  '28000': 'unprepared',
  '3D000': 'unprepared', // no such database
  '42501': 'unprepared', // may not read data_directory
  '57P01': 'busy', // being stopped
  '57P02': 'busy', // crashed and restarting
  '57P03': 'busy', // starting, recovering or stopping
  '53300': 'busy', // no connection left
  ECONNRESET: 'busy',
  EPIPE: 'busy',
};

/** The state of the server that an error implies; rethrows any other error. */
function stateBehind(error: unknown): 'absent' | 'unprepared' | 'busy' {
  const state = STATE_OF_CODE[errorCode(error) ?? ''];
  if (state !== undefined) return state;
  // Errors of pg without a code: the server closed the connection, or does not respond.
  if (error instanceof Error && /^Connection terminated|not queryable|timeout/.test(error.message))
    return 'busy';
  throw error;
}
