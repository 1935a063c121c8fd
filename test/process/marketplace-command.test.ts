// The command `marketplace`, and the check of the marketplace in the command `doctor`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/foundation/clock.ts';
import { startFeedServer } from '../../src/sources/simulated/feed-server.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { atEnd } from '../support/at-end.ts';
import { childEnvironment } from '../support/child-service.ts';
import { runInProcess } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { bundled } from '../support/program.ts';
import { type Provider, sendJson, startProvider } from '../support/provider.ts';

function start(words: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [bundled('cli'), ...words], {
    env: { ...childEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  return { child, exit: once(child, 'exit').then(([code]) => code as number | null) };
}

describe('the command marketplace', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'needs no database and no settings, prints its address, and stops cleanly on %s',
    async (signal) => {
      const { child, exit } = start(['marketplace', '--port', '0', '--json'], {
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
        ROLE: 'invalid',
      });
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const { address, first_code } = JSON.parse((await lines.next()).value as string);
      const response = await fetch(`${address}/products/${first_code}`);
      expect(await response.json()).toMatchObject({ retailer_product_code: first_code });
      child.kill(signal);
      expect(JSON.parse((await lines.next()).value as string)).toEqual({ stopped: true });
      expect(await exit).toBe(0);
    },
  );

  test('prints one line if it cannot listen', async () => {
    const provider = await startProvider();
    const { port } = new URL(provider.url);
    expect(await runInProcess(['marketplace', '--port', port], {})).toEqual({
      code: 1,
      out: '',
      err: `127.0.0.1:${port} is in use. Stop the program that uses it, or pass another --port.\n`,
    });
    await provider.stop();
  });

  test.each([
    [['marketplace'], '--port is required.'],
    [['marketplace', '--port', 'x'], '--port must be a whole number from 0 to 65535.'],
    [['marketplace', '--port', '65536'], '--port must be a whole number from 0 to 65535.'],
  ])('%j is wrong usage', async (words, line) => {
    const done = await runInProcess(words, {});
    expect(done.code).toBe(2);
    expect(done.err).toContain(line);
  });
});

describe('the doctor’s check of the marketplace', async () => {
  const { url } = await cloneDatabase();
  const marketplace = async (address: string, env: Record<string, string> = {}) => {
    const feed = { MARKETPLACE: 'feed', MARKETPLACE_URL: address, DATABASE_URL: url };
    const { code, out } = await runInProcess(['doctor', '--json'], { ...feed, ...env });
    const check = JSON.parse(out).checks.find(
      (one: { name: string }) => one.name === 'marketplace',
    );
    return { code, ...check };
  };
  const checkWith = async (respond: Provider['respond']) => {
    const provider = await startProvider();
    provider.respond = respond;
    const check = await marketplace(provider.url);
    await provider.stop();
    return check;
  };

  test('passes with a working feed, and fails without the token or the server', async () => {
    const on = { clock: realClock, host: '127.0.0.1', port: 0, token: 'sesame' };
    const server = await startFeedServer({ ...on, source: createSimulatedSource(on) });
    expect(await marketplace(server.address, { MARKETPLACE_TOKEN: 'sesame' })).toEqual({
      code: 0,
      name: 'marketplace',
      ok: true,
      detail: `feed at ${server.address} responds`,
    });
    expect(await marketplace(server.address)).toMatchObject({
      code: 1,
      ok: false,
      detail: expect.stringContaining('status 401'),
      advice: 'Set MARKETPLACE_TOKEN to the token that the provider expects.',
    });
    await server.close();
    expect(await marketplace(server.address)).toMatchObject({
      code: 1,
      ok: false,
      detail: expect.stringContaining('ECONNREFUSED'),
      advice: expect.stringContaining('Start it, or correct MARKETPLACE_URL'),
    });
  });

  test('fails with a server that is not a feed', async () => {
    expect(await checkWith((_, response) => void response.end('<html>'))).toMatchObject({
      code: 1,
      ok: false,
      detail: expect.stringContaining('not JSON'),
    });
    expect(await checkWith((_, response) => sendJson(response, {}, 404))).toMatchObject({
      code: 1,
      ok: false,
      detail: expect.stringContaining('does not search by GTIN'),
    });
  });
});
