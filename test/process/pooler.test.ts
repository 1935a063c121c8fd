// The program behind PgBouncer in transaction mode. Runs with TEST_PGBOUNCER only, the path of
// pgbouncer.
import { Agent } from 'node:http';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { realClock, sleepMs } from '../../src/foundation/clock.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { type ChildService, type Program, programOn } from '../support/child-service.ts';
import { newDataDir } from '../support/data-dir.ts';
import { cloneDatabase, onServer } from '../support/database.ts';
import { Notes, readLedger, sendRequest } from '../support/load.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { seededRandom } from '../support/seeded-random.ts';

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

  test('killed at any moment, four processes charge every served request once', {
    timeout: 600_000,
  }, async () => {
    const { url } = await cloneDatabase();
    const redisUrl = process.env.TEST_REDIS_URL;
    const settings = {
      DATABASE_URL: await behind(databaseOf(url)),
      DATABASE_POOLER: 'transaction',
      DATABASE_DIRECT_URL: url,
      CLOCK_SPEED: '1200',
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      ...secrets,
    };
    const dataDir = await newDataDir();
    const programs = ['api', 'api', 'worker', 'worker'].map((ROLE) =>
      programOn(dataDir, { ...settings, ROLE }),
    );
    const services: (ChildService | null)[] = [];
    for (const one of programs) services.push(await one.start());
    const command = programOn(dataDir, settings).command;
    const customer = await openCustomer(command);
    const first = services[0] as ChildService;
    await trackSome(first.address, customer);

    const stopping = new AbortController();
    const loading = Array.from({ length: 16 }, (_, nth) =>
      buyFrom(() => services[nth % 2]?.address, customer, stopping.signal),
    );
    const random = seededRandom();
    for (let kill = 0; kill < KILLS; kill++) {
      await sleepMs(random.below(1_500));
      const index = random.below(programs.length);
      const killed = services[index];
      services[index] = null;
      await killed?.kill();
      services[index] = await (programs[index] as Program).start();
    }
    stopping.abort();
    await Promise.all(loading);
    for (const service of services) expect(await service?.stop()).toBe(0);

    const last = await (programs[0] as Program).start();
    const agent = new Agent({ keepAlive: true });
    const ledger = await readLedger(agent, last.address, customer.apiKey);
    agent.destroy();
    const charged = ledger.filter(({ kind }) => kind === 'request').map((line) => line.reference);
    const paid = customer.notes.idsOf(200);
    expect(new Set(charged).size).toBe(charged.length);
    expect([...paid].filter((id) => !charged.includes(id))).toEqual([]);
    expect(charged.length).toBeLessThanOrEqual(paid.size + customer.notes.unanswered);
    const kinds = Map.groupBy(ledger, ({ kind }) => kind);
    const counts = [...kinds].map(([kind, lines]) => `${kind} ${lines.length}`).join(', ');
    console.info(
      `${KILLS} kills, ${paid.size} served, ${customer.notes.unanswered} cut, ${counts}`,
    );
    expect((await command('doctor')).json).toMatchObject({ ok: true });
  });
});

const KILLS = Number(process.env.POOLER_KILLS ?? 8);
const code = (nth: number) => createSimulatedSource({ clock: realClock }).productAt(nth).code;
type Buyer = { apiKey: string; notes: Notes };

async function openCustomer(command: Program['command']): Promise<Buyer> {
  const email = 'buyer@example.com';
  const { json } = await command('account', 'create', '--email', email, '--plan', 'Pro');
  await command('limits', 'set', email, '--requests-per-second', '100000');
  return { apiKey: json.api_key, notes: new Notes() };
}

async function trackSome(address: string, { apiKey }: Buyer): Promise<void> {
  for (let nth = 0; nth < 10; nth++) {
    const response = await fetch(`${address}/retailer/oversight/products`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ retailer_product_code: code(nth), tier: 4 }),
    });
    expect(response.status).toBe(201);
  }
}

/** Sends requests until stopped; while the process is down, waits for its successor. */
async function buyFrom(
  address: () => string | undefined,
  { apiKey, notes }: Buyer,
  stopping: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const path = `/retailer/product/details?retailer_product_code=${code(0)}`;
  while (!stopping.aborted) {
    const target = address();
    if (target === undefined) await sleepMs(20);
    else notes.note(await sendRequest(agent, target + path, apiKey));
  }
  agent.destroy();
}
