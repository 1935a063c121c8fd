// PgBouncer in transaction mode in front of a PostgreSQL that listens on a socket in a folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type PgBouncer = { url: string; stop(): Promise<void> };

type Server = { host: string; port: number; user: string; password: string; database: string };

/** `program` is the path of pgbouncer. `more` are further lines of its configuration. */
export async function startPgBouncer(
  program: string,
  server: Server,
  more: readonly string[] = [],
): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const { host, user, password, database } = server;
  const lines = [
    '[databases]',
    `* = host=${host} port=${server.port} user=${user} password='${password}'`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    // Fewer sessions than our processes have connections, so that they are really shared.
    'default_pool_size = 10',
    'max_client_conn = 200',
    ...more,
  ];
  const path = join(folder, 'pgbouncer.ini');
  await writeFile(path, `${lines.join('\n')}\n`);
  // It refuses to run as root; the owner of the server's socket may use it.
  const { uid, gid } = await stat(host);
  const isRoot = process.getuid?.() === 0;
  const child = spawn(program, [path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid, gid } : {}),
  });
  await listening(child);
  return {
    url: `postgres://${user}:any@127.0.0.1:${port}/${database}`,
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It logs to standard error; the last line of its start names the process. */
async function listening(child: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      output += chunk;
      if (/process up/.test(output)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${output}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
