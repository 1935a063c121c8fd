// The service's private PostgreSQL: started if it is not running, shared with operator commands,
// stopped by the service or by the last command. Only this file uses the files of embedded/.

import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import { errorCode } from '../foundation/kept-text.ts';
import type { Log } from '../foundation/log.ts';
import { type Cluster, openCluster, roleConnection } from './embedded/cluster.ts';
import { isAlive } from './embedded/home.ts';
import { type DatabaseLease, isLast, knock, type Purpose, prepare } from './embedded/lease.ts';
import {
  findServer,
  pruneLogs,
  type StartedServer,
  startServer,
  stopServer,
} from './embedded/server.ts';

export type EmbeddedPostgres = {
  /** pg client settings for the program's own role (not a superuser), over the Unix socket. */
  connection: {
    host: string; // the socket's folder
    port: number;
    user: string;
    password: string;
    database: string;
    ssl: false;
  };
  /** Folder of the cluster and its `log`; worth printing when it is not under DATA_DIR. */
  location: string;
  /** False if a server was already running: a service's, a command's, or a killed program's. */
  startedHere: boolean;
  /** A service stops the server; a command stops it if nobody else uses it. Idempotent. */
  stop(): Promise<void>;
};

const READY_LIMIT_MS = 120_000; // after a crash at most about 1 GB of log is replayed
const ANNOUNCE_AFTER_MS = 2_000;
const DEAD_LET_GO_LIMIT_MS = 5_000; // locks and memory of killed processes
const COMMANDS_END_LIMIT_MS = 500; // a stopping service lets short commands finish
const LOG_PRUNING_INTERVAL_MS = 60_000;

type Visit = { cluster: Cluster; purpose: Purpose; log: Log; connectionsMax: number };

type Entered = { lease: DatabaseLease; socketFolder: string; startedHere: boolean };

export async function startEmbeddedPostgres(input: {
  dataDir: string;
  purpose: Purpose;
  log: Log;
  /** For a server that is started here. */
  connectionsMax?: number;
}): Promise<EmbeddedPostgres> {
  const { purpose, log, connectionsMax = 100 } = input;
  const cluster = await openCluster(input.dataDir).catch(refusePlainly);
  const visit = { cluster, purpose, log, connectionsMax };
  const first = await enter(visit, new AbortController().signal).catch(refusePlainly);
  const pruning = setInterval(() => {
    pruneLogs(cluster).catch((error) => log.warn({ err: error }, 'old database logs remain'));
  }, LOG_PRUNING_INTERVAL_MS).unref();
  const leave = keepLease(visit, first.lease);

  let stopped: Promise<void> | null = null;
  return {
    connection: roleConnection(cluster, first.socketFolder),
    location: cluster.home.path,
    startedHere: first.startedHere,
    stop: () => {
      clearInterval(pruning);
      stopped ??= leave();
      return stopped;
    },
  };
}

/** Connects until this program holds its lease; starts the server if none runs. */
async function enter(visit: Visit, signal: AbortSignal): Promise<Entered> {
  const { cluster, purpose, log, connectionsMax } = visit;
  const waitedMs = stopwatch();
  let stuckMs: (() => number) | null = null;
  let started: StartedServer | null = null;
  let announced = false;
  try {
    for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 50)) {
      signal.throwIfAborted();
      const server = await findServer(cluster);
      const socketFolder = server?.socketFolder ?? cluster.socketFolder;
      const response = await knock(cluster, socketFolder, purpose);
      if (response.state === 'in') {
        const pid = (await findServer(cluster))?.pid;
        const startedHere = started !== null && started.pid === pid;
        return { lease: response.lease, socketFolder, startedHere };
      }
      if (response.state === 'taken') {
        stuckMs ??= stopwatch();
        if (isAlive(response.byPid) || stuckMs() > DEAD_LET_GO_LIMIT_MS) {
          started = null; // the other service owns the server, even if we started it
          throw refusal(response.byPid);
        }
      }
      if (response.state === 'busy') stuckMs = null; // the server is changing state
      if (response.state === 'unprepared') await prepare(cluster, socketFolder);
      if (response.state === 'absent' && started?.ended) {
        stuckMs ??= stopwatch();
        throwUnlessPassing(cluster, started.ended.said, stuckMs());
        started = null;
      }
      if (response.state === 'absent' && started === null && server === null) {
        started = await startServer(cluster, { connectionsMax });
      }
      if (waitedMs() > READY_LIMIT_MS) {
        throw new Error(`PostgreSQL is not ready after 120 s: see its log in ${cluster.logFolder}`);
      }
      if (waitedMs() > ANNOUNCE_AFTER_MS && !announced) {
        announced = true;
        log.info({ databaseLog: cluster.logFolder }, 'waiting for PostgreSQL to start or stop');
      }
      await sleepMs(pauseMs, signal);
    }
  } catch (error) {
    if (started !== null && started.ended === null) await stopServer(cluster, started.pid, log);
    throw error;
  }
}

function stopwatch(): () => number {
  const startedAtMs = monotonicMs();
  return () => monotonicMs() - startedAtMs;
}

function refusal(pid: number): Error {
  return new Error(
    `Another Oversight service (pid ${pid}) uses this DATA_DIR: stop it, or set DATA_DIR to another folder.`,
  );
}

/** Lets a start be retried if another was faster or killed processes still hold memory. */
function throwUnlessPassing(cluster: Cluster, said: string, stuckMs: number): void {
  const lingering = said.includes('pre-existing shared memory block');
  const raced = /lock file .* (already exists|is empty)/.test(said);
  const orderly = said === '';
  if ((lingering || raced || orderly) && stuckMs < DEAD_LET_GO_LIMIT_MS) return;
  throw new Error(
    lingering
      ? `Processes of a killed PostgreSQL still use ${cluster.dataFolder}: end them, then start again.`
      : `PostgreSQL did not start: ${said || 'it stopped by itself'} (log: ${cluster.logFolder})`,
  );
}

/**
 * Holds the lease until the returned function releases it. If a service loses it (the connection
 * ended, the server crashed), it is acquired again in the background, and a dead server is started.
 */
function keepLease(visit: Visit, first: DatabaseLease): () => Promise<void> {
  const { cluster, purpose, log } = visit;
  const leaving = new AbortController();
  let lease: DatabaseLease | null = null;
  let regaining: Promise<void> | null = null;
  hold(first);

  function hold(acquired: DatabaseLease): void {
    lease = acquired;
    acquired.lost.then(() => {
      lease = null;
      if (leaving.signal.aborted || purpose === 'command') return;
      log.warn('lost the connection by which this service owns its PostgreSQL');
      regaining = regain();
    });
  }

  async function regain(): Promise<void> {
    while (!leaving.signal.aborted) {
      try {
        hold((await enter(visit, leaving.signal)).lease);
        log.info('this service owns its PostgreSQL again');
        return;
      } catch (error) {
        if (leaving.signal.aborted) return;
        log.error({ err: error }, 'this service does not own its PostgreSQL; trying again');
        await sleepMs(1_000, leaving.signal).catch(() => {});
      }
    }
  }

  return async () => {
    leaving.abort(new Error('the service is stopping'));
    await regaining;
    const held = lease ?? (await reenter(visit));
    if (held === null) return;
    const last = await isLast(held.client, purpose === 'service' ? COMMANDS_END_LIMIT_MS : 0);
    if (last || purpose === 'service') {
      const server = await findServer(cluster);
      if (server !== null) await stopServer(cluster, server.pid, log);
    }
    await held.client.end();
  };
}

/** One attempt to regain a lease lost just before leaving, so that the server is stopped. */
async function reenter({ cluster, purpose }: Visit): Promise<DatabaseLease | null> {
  const server = await findServer(cluster);
  if (server === null) return null;
  const response = await knock(cluster, server.socketFolder, purpose);
  return response.state === 'in' ? response.lease : null;
}

/** Adds to a file system error what the operator can do about it. */
function refusePlainly(error: unknown): never {
  const code = errorCode(error);
  const ofFolders = ['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR', 'ENOENT'];
  if (code === undefined || !ofFolders.includes(code)) throw error;
  throw new Error(
    `The database cannot be used (${(error as Error).message}): ` +
      'start as the user DATA_DIR belongs to, or set DATA_DIR to a folder of your own.',
    { cause: error },
  );
}
