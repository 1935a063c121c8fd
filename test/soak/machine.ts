// The machine that the soak wears out: a small disk of its own with PostgreSQL on it, and the
// program's processes.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { createLog } from '../../src/foundation/log.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

/** The sources beside this file; another release has its own. */
const OWN_SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
const READY_WITHIN_MS = 180_000;
const BALLAST_CHUNK_BYTES = 16 * 1024 * 1024;

export type ServiceProcess = {
  name: string;
  /** It is never killed: its memory is measured over the whole run. */
  isMeasured: boolean;
  address: string;
  /** Memory as the operating system counts it; null while it does not run. */
  residentBytes(): Promise<number | null>;
  isRunning(): boolean;
  kill(): Promise<void>;
  /** Resolves when it is ready. `sources`: the folder `src/` of another release, with a slash. */
  start(sources?: string): Promise<void>;
  stop(): Promise<number | null>;
};

export type Machine = {
  connection: { host: string; port: number; user: string; password: string; database: string };
  /** The environment of the service's processes and of operator commands. */
  env: Readonly<Record<string, string>>;
  dataDir: string;
  /** Null where no small disk could be made: then nothing fills it. */
  fillDisk: (() => () => void) | null;
  /** Ends the database server at once, as a crash would; it is started again by itself. */
  killDatabase(): Promise<void>;
  close(): Promise<void>;
};

export async function openMachine(settings: {
  diskMb: number;
  clockSpeed: number;
  /** The path of pgbouncer: the processes share its sessions. */
  pgBouncer: string | undefined;
  redisUrl: string | undefined;
}): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-soak-'));
  await chmod(folder, 0o755); // the database's user must be able to pass
  const hasOwnDisk = mountDisk(folder, settings.diskMb);
  const embedded = await startEmbeddedPostgres({
    dataDir: folder,
    purpose: 'service',
    log: createLog('silent'),
  });
  const { host, port, user, password, database } = embedded.connection;
  const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
  const query = `host=${encodeURIComponent(host)}&port=${port}`;
  const directUrl = `postgres://${user}:${encodeURIComponent(password)}@/${database}?${query}`;
  const { pgBouncer, redisUrl } = settings;
  const bouncer =
    pgBouncer === undefined ? null : await startPgBouncer(pgBouncer, embedded.connection);
  const env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: bouncer?.url ?? directUrl,
    ...(bouncer === null ? {} : { DATABASE_POOLER: 'transaction', DATABASE_DIRECT_URL: directUrl }),
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    ENCRYPTION_KEY: secret(1),
    AUTH_SECRET: secret(2),
    CLOCK_SPEED: String(settings.clockSpeed),
    ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: 'warn',
  };
  return {
    env,
    dataDir: folder,
    connection: { host, port, user, password, database },
    fillDisk: hasOwnDisk ? () => fillDisk(folder) : null,
    killDatabase: () => killDatabase(embedded.location),
    async close() {
      await bouncer?.stop();
      await embedded.stop();
      if (hasOwnDisk) execFileSync('umount', [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A disk in memory, so that filling it harms nobody else. Only root may make one. */
function mountDisk(folder: string, megabytes: number): boolean {
  try {
    const options = `size=${megabytes}m,mode=0755`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Fills the disk; returns a function that frees the space. */
function fillDisk(folder: string): () => void {
  const path = join(folder, `ballast-${randomUUID()}`);
  const file = openSync(path, 'w');
  const { bavail, bsize } = statfsSync(folder);
  const chunk = Buffer.alloc(BALLAST_CHUNK_BYTES);
  try {
    for (let left = bavail * bsize; left > 0; left -= chunk.length) {
      writeSync(file, chunk, 0, Math.min(left, chunk.length));
    }
  } catch {
    // Full: what others wrote meanwhile counts as well.
  } finally {
    closeSync(file); // a file that is still open keeps its space when it is removed
  }
  return () => rmSync(path, { force: true });
}

async function killDatabase(location: string): Promise<void> {
  const pid = Number(
    (await readFile(join(location, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0],
  );
  if (pid > 0) process.kill(pid, 'SIGKILL');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** One process of the service. What it prints at level warn and above goes to `logFile`. */
export async function prepareProcess(
  machine: Machine,
  settings: { name: string; role: 'api' | 'worker'; isMeasured: boolean; logFile: number },
): Promise<ServiceProcess> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const isReady = async () =>
    (await fetch(`${address}/readyz`).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status === 200;
      },
      () => false,
    )) as boolean;
  return {
    name: settings.name,
    isMeasured: settings.isMeasured,
    address,
    isRunning: () => child !== null && child.exitCode === null && child.signalCode === null,
    residentBytes: async () => (child?.pid === undefined ? null : residentBytes(child.pid)),
    async kill() {
      const ending = child;
      if (ending === null || ending.exitCode !== null) return;
      const exit = once(ending, 'exit');
      ending.kill('SIGKILL');
      await exit;
    },
    async start(sources = OWN_SOURCES) {
      const env = { ...machine.env, ROLE: settings.role, PORT: String(port), DEMO: 'false' };
      const started = spawn(process.execPath, ['--max-semi-space-size=8', `${sources}main.ts`], {
        env: { ...env, DATA_DIR: machine.dataDir },
        stdio: ['ignore', settings.logFile, settings.logFile],
      });
      child = started;
      const giveUpMs = performance.now() + READY_WITHIN_MS;
      while (!(await isReady())) {
        if (started.exitCode !== null) throw new Error(`${settings.name} ended while it started`);
        if (performance.now() > giveUpMs) throw new Error(`${settings.name} does not become ready`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async stop() {
      const ending = child;
      if (ending === null || ending.exitCode !== null) return ending?.exitCode ?? null;
      const exit = once(ending, 'exit');
      ending.kill('SIGTERM');
      return (await exit)[0] as number | null;
    },
  };
}

async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** Runs an operator command beside the service; returns its JSON and exit code. */
export function operatorCommand(machine: Machine, ...words: string[]): Promise<CommandResult> {
  return commandFrom(OWN_SOURCES, machine, words);
}

// biome-ignore lint/suspicious/noExplicitAny: each command prints its own shape
export type CommandResult = { exitCode: number; json: any };

/** The same with the sources of another release. */
export async function commandFrom(
  sources: string,
  machine: Machine,
  words: readonly string[],
): Promise<CommandResult> {
  const args = [`${sources}cli.ts`, ...words, '--json'];
  const env = { ...machine.env, DATA_DIR: machine.dataDir };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return { exitCode: 0, json: JSON.parse(stdout) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    if (!stdout) throw new Error(`${words.join(' ')}: ${stderr}`);
    return { exitCode: code, json: JSON.parse(stdout) };
  }
}
