// A start while the database is away: the service waits, says so, can be told to stop, and serves when it is back. What
// waiting does not mend ends it with one line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { newDataDir } from '../support/data-dir.ts';
import { cloneDatabase } from '../support/database.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const { connection } = await cloneDatabase();
const dataDir = await newDataDir();
const proxy = await startCuttingProxy(inject('postgres'));
afterAll(() => proxy.close());

const urlOf = (more: { password?: string; database?: string } = {}) => {
  const { user, password, database } = { ...connection, ...more };
  const { port } = proxy.connection;
  return `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${port}/${database}`;
};

function start(url: string) {
  const secret = Buffer.alloc(32, 7).toString('base64');
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...{ PATH: process.env.PATH, DATABASE_URL: url, DATA_DIR: dataDir, PORT: '0' },
      ...{ LOG_LEVEL: 'warn', ENCRYPTION_KEY: secret, AUTH_SECRET: secret },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const said = (what: RegExp) =>
    vi.waitFor(
      () => {
        const found = what.exec(output)?.[1];
        if (found === undefined) throw new Error(output);
        return found;
      },
      { timeout: 30_000, interval: 50 },
    );
  return { child, exit: once(child, 'exit'), said, output: () => output };
}

const WAITS = /"address":"([^"]+)".*waiting for the database/;

test('it waits, alive and not ready, and serves when the database is there', async () => {
  proxy.goAway();
  const service = start(urlOf());
  const address = await service.said(WAITS);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  const ready = await fetch(`${address}/readyz`);
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await ready.json()).toMatchObject({
    error: 503,
    code: 'not_ready',
    doc_url: '/docs/errors#not_ready',
    message: expect.stringMatching(/^Not ready: the service waits for its database\. .+\.$/),
  });
  expect((await fetch(`${address}/retailer/product/details`)).status).toBe(503);
  proxy.comeBack();
  const own = await service.said(/^ {2}Oversight {2}(\S+)\n/m);
  expect((await fetch(`${own}/readyz`)).status).toBe(200);
  service.child.kill('SIGTERM');
  expect((await service.exit)[0]).toBe(0);
});

test('told to stop while it waits, it stops', async () => {
  proxy.goAway();
  const service = start(urlOf());
  await service.said(WAITS);
  service.child.kill('SIGTERM');
  expect((await service.exit)[0]).toBe(0);
  proxy.comeBack();
});

test('with a wrong password or an unknown database it ends, and says why', async () => {
  const services = [start(urlOf({ password: 'wrong' })), start(urlOf({ database: 'nowhere' }))];
  for (const { exit } of services) expect((await exit)[0]).toBe(1);
  expect(services.map(({ output }) => output())).toEqual([
    expect.stringMatching(/^The database cannot be used: .*password.*\.$/m),
    expect.stringMatching(/^The database cannot be used: .*nowhere.*\.$/m),
  ]);
});
