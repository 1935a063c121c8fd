// PROCESSES above 1: a parent with the embedded database, children on one port, exact rate limits
// without Redis, restarts, merged metrics, and an orderly end.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { programOn } from '../support/child-service.ts';
import { newDataDir, serverProcesses } from '../support/data-dir.ts';

const dataDir = await newDataDir();
const program = programOn(dataDir, { PROCESSES: '3', DEMO: 'false' });

const PATIENT = { timeout: 30_000, interval: 200 };

/** The children of a process, by their names. */
function childrenOf(pid: number): Map<string, number> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const child = new RegExp(`^\\s*(\\d+)\\s+${pid}\\s.* ((?:api|worker)-\\d+) `, 'gm');
  return new Map([...lines.matchAll(child)].map(([, id, name]) => [String(name), Number(id)]));
}

test('children share a port and a limit, are restarted, and end with their parent', {
  timeout: 120_000,
}, async () => {
  const service = await program.start();
  expect(service.output()).toContain('processes  api-1 api-2 worker-1');
  const children = childrenOf(service.pid);
  expect([...children.keys()].sort()).toEqual(['api-1', 'api-2', 'worker-1']);
  const { json: account } = await program.command('account', 'create', '--email', 'a@example.com');
  const get = (path: string, headers: Record<string, string>) =>
    fetch(service.address + path, { headers: { ...headers, connection: 'close' } });
  const { json: token } = await program.command('token', 'create', '--scope', 'metrics');
  const metrics = async () => {
    const response = await get('/metrics', { authorization: `Bearer ${token.token}` });
    expect(response.status).toBe(200);
    return response.text();
  };

  const credits = () => get('/user/credits', { 'x-api-key': account.api_key });
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => (await credits()).status),
  );
  // Each process has served some, and together they admitted the limit of ten.
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  const text = await metrics();
  for (const name of ['api-1', 'api-2']) {
    expect(text).toMatch(
      new RegExp(`^oversight_request_seconds_count.*process="${name}"} \\d+$`, 'm'),
    );
  }
  expect(text).toContain('oversight_clock_skew_seconds{process="worker-1"}');

  process.kill(children.get('api-1') as number, 'SIGKILL');
  await vi.waitFor(async () => {
    expect(await metrics()).toMatch(/oversight_process_restarts_total{.*process="api-1"} 1/);
    expect(childrenOf(service.pid).get('api-1')).not.toBe(children.get('api-1'));
    expect(childrenOf(service.pid).size).toBe(3);
    // The new one serves requests before it is ready itself.
    expect((await get('/readyz', {})).status).toBe(200);
  }, PATIENT);

  const last = [...childrenOf(service.pid).values()];
  await service.kill();
  await vi.waitFor(() => {
    for (const pid of last) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }, PATIENT);

  const second = await program.start();
  expect((await fetch(`${second.address}/readyz`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
  expect(serverProcesses(dataDir)).toEqual([]);
});

test('a port in use ends the start with one line', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  await expect(program.start({ PORT: String(port) })).rejects.toThrow(
    /^ended with 1: Port \d+ on 127\.0\.0\.1 is in use\. [^\n]+\n$/,
  );
  expect(serverProcesses(dataDir)).toEqual([]);
});
