// The program behind PgBouncer in transaction mode. Runs with TEST_PGBOUNCER only, the path of
// pgbouncer.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { programOn } from '../support/child-service.ts';
import { newDataDir } from '../support/data-dir.ts';
import { cloneDatabase, onServer } from '../support/database.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

const program = process.env.TEST_PGBOUNCER;
const secret = Buffer.alloc(32, 7).toString('base64');
const secrets = { ENCRYPTION_KEY: secret, AUTH_SECRET: secret };

describe.runIf(program !== undefined)('behind PgBouncer', () => {
  async function behind(name: string, more: string[] = []) {
    const server = { ...inject('postgres'), database: name };
    const bouncer = await startPgBouncer(program as string, server, more);
    onTestFinished(bouncer.stop);
    return bouncer.url;
  }
  const databaseOf = (url: string) => new URL(url.replace('@/', '@host/')).pathname.slice(1);

  test('a start without DATABASE_POOLER is refused in one line', async () => {
    const { url } = await cloneDatabase();
    const DATABASE_URL = await behind(databaseOf(url));
    const started = programOn(await newDataDir(), { DATABASE_URL, ...secrets }).start();
    await expect(started).rejects.toThrow(
      /ended with 1: DATABASE_URL leads to a pooler in transaction mode: set DATABASE_POOLER .*\n$/,
    );
  });

  test('migrations and a pooler that overrides settings are refused in one line', async () => {
    const name = `test_empty_${process.pid}`;
    await onServer((client) => client.query(`create database ${name}`));
    onTestFinished(async () => {
      await onServer((client) => client.query(`drop database ${name} with (force)`));
    });
    const settings = { DATABASE_POOLER: 'transaction', ...secrets };
    const empty = { ...settings, DATABASE_URL: await behind(name) };
    await expect(programOn(await newDataDir(), empty).start()).rejects.toThrow(
      /ended with 1: The database lacks migrations, .* set DATABASE_DIRECT_URL .*\n$/,
    );
    const { url } = await cloneDatabase();
    const DATABASE_URL = await behind(databaseOf(url), [
      `server_reset_query_always = 1`,
      `server_reset_query = set statement_timeout = 0`,
    ]);
    const overriding = { ...settings, DATABASE_URL, DATABASE_DIRECT_URL: url };
    await expect(programOn(await newDataDir(), overriding).start()).rejects.toThrow(
      /ended with 1: Sessions of the pooler have wrong settings: .*RECONNECT.*\n$/,
    );
  });

  test('two processes serve a database, and commands use it directly', async () => {
    const { url } = await cloneDatabase();
    const DATABASE_URL = await behind(databaseOf(url));
    const program = programOn(await newDataDir(), {
      DATABASE_URL,
      DATABASE_POOLER: 'transaction',
      DATABASE_DIRECT_URL: url,
      DEMO: 'true',
      ...secrets,
    });
    const service = await program.start();
    const key = /API key {4}(\S+)/.exec(service.output())?.[1] as string;
    const path = /"http[^"]*(\/retailer\/[^"]+)"/.exec(service.output())?.[1];
    const second = await program.start();
    for (const { address } of [service, second]) {
      const response = await fetch(address + path, { headers: { 'x-api-key': key } });
      expect([response.status, response.headers.get('x-credits-charged')]).toEqual([200, '1']);
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
    }
    expect((await program.command('doctor')).json).toMatchObject({ ok: true });
    expect(await service.stop()).toBe(0);
    expect(await second.stop()).toBe(0);
  });
});
