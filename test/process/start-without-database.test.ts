// A start without a reachable database: the service waits, reports it, can be stopped, and serves
// when the database is back. An error that waiting cannot resolve ends it with one line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { childEnvironment } from '../support/child-service.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { newDataDir } from '../support/data-dir.ts';
import { cloneDatabase } from '../support/database.ts';
import { bundled } from '../support/program.ts';

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
  const child = spawn(process.execPath, [bundled('main')], {
    env: {
      ...childEnvironment(),
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'warn',
      ENCRYPTION_KEY: secret,
      AUTH_SECRET: secret,
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
  const printed = (pattern: RegExp) =>
    vi.waitFor(
      () => {
        const match = pattern.exec(output)?.[1];
        if (match === undefined) throw new Error(output);
        return match;
      },
      { timeout: 30_000, interval: 50 },
    );
  return { child, exit: once(child, 'exit'), printed, output: () => output };
}

const WAITS = /"address":"([^"]+)".*waiting for the database/;

test('waits, alive but not ready, and serves when the database is back', async () => {
  proxy.goAway();
  const service = start(urlOf());
  const address = await service.printed(WAITS);
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
  const publicUrl = await service.printed(/^ {2}Oversight {2}(\S+)\n/m);
  expect((await fetch(`${publicUrl}/readyz`)).status).toBe(200);
  service.child.kill('SIGTERM');
  expect((await service.exit)[0]).toBe(0);
});

test('stops on request while it waits', async () => {
  proxy.goAway();
  const service = start(urlOf());
  await service.printed(WAITS);
  service.child.kill('SIGTERM');
  expect((await service.exit)[0]).toBe(0);
  proxy.comeBack();
});

test('ends with the reason at a wrong password or an unknown database', async () => {
  const services = [start(urlOf({ password: 'wrong' })), start(urlOf({ database: 'nowhere' }))];
  for (const { exit } of services) expect((await exit)[0]).toBe(1);
  expect(services.map(({ output }) => output())).toEqual([
    expect.stringMatching(/^The database cannot be used: .*password.*\.$/m),
    expect.stringMatching(/^The database cannot be used: .*nowhere.*\.$/m),
  ]);
});
