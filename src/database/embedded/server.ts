// Finds, starts and stops the server process of the embedded PostgreSQL. embedded.ts decides who
// may do that; PostgreSQL itself prevents two servers on one data directory.

import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { monotonicMs, realNowMs, sleepMs } from '../../foundation/clock.ts';
import { absentAsNull, errorCode } from '../../foundation/kept-text.ts';
import type { Log } from '../../foundation/log.ts';
import { removeOldBinaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { isAlive, PORT } from './home.ts';
import { asUser, lastLine, writePrivateFile } from './user.ts';

const LOG_FILES_MAX = 5;
const LOCK_FILE_WRITING_LIMIT_MS = 2_000;
const FAST_SHUTDOWN_LIMIT_MS = 8_000;
const IMMEDIATE_SHUTDOWN_LIMIT_MS = 1_500;

/** Passed as arguments, so that they override the configuration file of every cluster. */
function settings(
  cluster: Cluster,
  { connectionsMax }: { connectionsMax: number },
): Record<string, string> {
  return {
    // Private: no TCP, a socket in a folder nobody else can enter.
    listen_addresses: '',
    unix_socket_directories: `"${cluster.socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(PORT),
    password_encryption: 'scram-sha-256',
    // Durable: a committed transaction is on disk.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // Sized for a laptop.
    max_connections: String(connectionsMax),
    shared_buffers: '128MB',
    jit: 'off',
    timezone: 'UTC',
    cluster_name: 'oversight',
    // Files of 10 MB, of which pruneLogs leaves the newest.
    logging_collector: 'on',
    log_directory: cluster.logFolder,
    log_filename: 'server-%Y%m%d-%H%M%S.log',
    log_rotation_size: '10MB',
    log_rotation_age: '0',
    log_file_mode: '0600',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %a ',
    log_lock_waits: 'on',
    log_checkpoints: 'off',
  };
}

export type RunningServer = { pid: number; socketFolder: string };

/** The live server of this cluster, also while it starts or stops. */
export async function findServer(cluster: Cluster): Promise<RunningServer | null> {
  const text = await readFile(pidFile(cluster), 'utf8').catch(absentAsNull);
  const lines = (text ?? '').split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0) || !(await isServerOf(cluster, pid))) return null;
  // The fifth line; another program may have chosen another folder (TMPDIR differs, say).
  return { pid, socketFolder: lines[4] || cluster.socketFolder };
}

function pidFile(cluster: Cluster): string {
  return join(cluster.dataFolder, 'postmaster.pid');
}

/** False for another process that reused the pid, and for a zombie, whose line is empty. */
async function isServerOf(cluster: Cluster, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const isOurs = (words: string[]) =>
    words[0]?.endsWith('/postgres') === true && words.includes(cluster.dataFolder);
  try {
    return isOurs((await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0'));
  } catch {
    const listed = await promisify(execFile)('ps', [
      '-ww',
      '-o',
      'command=',
      '-p',
      String(pid),
    ]).catch(() => null);
    return listed === null ? isAlive(pid) : listed.stdout.includes(`-D ${cluster.dataFolder} `);
  }
}

export type StartedServer = {
  pid: number;
  /** Null while it runs; then its last error (empty after an orderly stop). */
  ended: { said: string } | null;
};

/** Starts a server in a session of its own, so that Ctrl-C in our terminal does not reach it. */
export async function startServer(
  cluster: Cluster,
  sizes: { connectionsMax: number },
): Promise<StartedServer> {
  await removeOldBinaries(cluster.home, cluster.binaries);
  await pruneLogs(cluster);
  await disownLockFile(cluster, pidFile(cluster));
  await disownLockFile(cluster, join(cluster.socketFolder, `.s.PGSQL.${PORT}.lock`));

  const options = Object.entries(settings(cluster, sizes)).flatMap(([name, to]) => [
    '-c',
    `${name}=${to}`,
  ]);
  const child = spawn(
    join(cluster.binaries.folder, 'bin', 'postgres'),
    ['-D', cluster.dataFolder, ...options],
    { ...asUser(cluster.home.user), detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const started: StartedServer = { pid: child.pid ?? 0, ended: null };
  // Output before its log file takes over. The pipe breaks when we exit; the server ignores that.
  let early = '';
  child.stderr.on('data', (chunk) => {
    early = (early + chunk).slice(-10_000);
  });
  child.on('error', (error) => {
    started.ended = { said: error.message };
  });
  child.on('close', async (code) => {
    const said = code === 0 ? '' : await lastComplaint(cluster, early);
    started.ended ??= { said };
  });
  child.unref();
  (child.stderr as unknown as { unref(): void }).unref();
  return started;
}

async function lastComplaint(cluster: Cluster, early: string): Promise<string> {
  const newest = (await logFiles(cluster)).at(-1);
  // The newest log file may be an older server's if this one failed before opening its own.
  const hasOwnLog = early.includes('redirecting log output') && newest !== undefined;
  const text = hasOwnLog ? await readFile(join(cluster.logFolder, newest), 'utf8') : early;
  const complaints = text.split('\n').filter((line) => /\b(FATAL|PANIC):/.test(line));
  const line = complaints.at(-1) ?? lastLine(text);
  return line.replace(/^.*?\b(?=(FATAL|PANIC):)/, '').replace(/\s+/g, ' ');
}

/**
 * After a crash the pid in the lock file may belong to another process (in a container it nearly
 * always does), and PostgreSQL would refuse to start. It treats its parent's pid as stale, so we
 * write that instead. The rest stays: with it PostgreSQL checks for processes in its memory.
 */
async function disownLockFile(cluster: Cluster, path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(absentAsNull);
  if (text === null) return;
  const pid = Number(text.split('\n')[0]);
  if (!(pid > 0)) return removeEmptyLockFile(path);
  if (!isAlive(pid) || (await isServerOf(cluster, pid))) return;
  const replacement = `${path}.${randomBytes(4).toString('hex')}`;
  const disowned = text.replace(/^.*/, String(process.pid));
  await writePrivateFile(replacement, disowned, cluster.home.user);
  await rename(replacement, path);
}

/** Empty while another server writes it, or for ever if the machine stopped at that moment. */
async function removeEmptyLockFile(path: string): Promise<void> {
  const stats = await stat(path).catch(absentAsNull);
  const old = stats !== null && realNowMs() - stats.mtimeMs > LOCK_FILE_WRITING_LIMIT_MS;
  if (old) await rm(path, { force: true });
}

/** Fast shutdown; after 8 s an immediate one, from which the next start recovers. */
export async function stopServer(cluster: Cluster, pid: number, log: Log): Promise<void> {
  if (await endedAfter(cluster, pid, 'SIGINT', FAST_SHUTDOWN_LIMIT_MS)) return;
  log.warn({ pid }, 'PostgreSQL did not stop in time and is stopped at once; nothing is lost');
  if (await endedAfter(cluster, pid, 'SIGQUIT', IMMEDIATE_SHUTDOWN_LIMIT_MS)) return;
  log.error({ pid }, 'PostgreSQL does not stop; the next start will find it');
}

async function endedAfter(
  cluster: Cluster,
  pid: number,
  signal: 'SIGINT' | 'SIGQUIT',
  limitMs: number,
): Promise<boolean> {
  const startedAtMs = monotonicMs();
  if (!(await isServerOf(cluster, pid))) return true;
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  while (await isServerOf(cluster, pid)) {
    if (monotonicMs() - startedAtMs > limitMs) return false;
    await sleepMs(10);
  }
  return true;
}

async function logFiles(cluster: Cluster): Promise<string[]> {
  const names = await readdir(cluster.logFolder);
  return names.filter((name) => name.startsWith('server-')).sort();
}

/** Keeps the newest files, so that the log cannot fill the disk. */
export async function pruneLogs(cluster: Cluster): Promise<void> {
  for (const name of (await logFiles(cluster)).slice(0, -LOG_FILES_MAX)) {
    await rm(join(cluster.logFolder, name), { force: true });
  }
}
