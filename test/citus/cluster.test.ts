// The program on a real Citus cluster (TEST_CITUS_URL): distributing a database with data despite
// interruptions, and tracking up to the webhook while processes are killed. With commands in
// TEST_CITUS_RESTART (kills and starts the coordinator), TEST_CITUS_STOP and TEST_CITUS_START (one
// worker node) also nodes that are down.
import { execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { lane } from '../../src/database/families.ts';
import { readLaneGroups } from '../../src/database/lane-groups.ts';
import { realClock } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { type ChildService, childEnvironment, programOn } from '../support/child-service.ts';
import { CITUS_URL, createCitusDatabase, dropCitusDatabase } from '../support/citus.ts';
import { newDataDir } from '../support/data-dir.ts';
import { openSink } from '../support/sink.ts';

const name = `test_${newId().replaceAll('-', '')}`;
const source = createSimulatedSource({ clock: realClock });
const codes = Array.from({ length: 40 }, (_, index) => source.productAt(index).code);
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

describe.skipIf(CITUS_URL === undefined)('on a Citus cluster', async () => {
  const dataDir = await newDataDir();
  const url = new URL(CITUS_URL ?? 'postgres://localhost/');
  url.pathname = `/${name}`;
  const settings = {
    DATABASE_URL: url.href,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    AUTH_SECRET: 'a secret that is long enough for a test run',
    ALLOW_PRIVATE_TARGETS: 'true',
    DEMO: 'false',
    CLOCK_SPEED: '600',
  };
  const program = programOn(dataDir, settings);
  const customers: { accountId: string; apiKey: string; group: number }[] = [];

  const call = async (
    service: ChildService,
    { apiKey }: { apiKey: string },
    path: string,
    init: RequestInit = {},
  ) => {
    const response = await fetch(service.address + path, {
      ...init,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  };
  const details = (service: ChildService, customer: { apiKey: string }, code: string) =>
    call(service, customer, `/retailer/product/details?retailer_product_code=${code}`);

  beforeAll(async () => {
    await createCitusDatabase(name);
  });
  afterAll(() => dropCitusDatabase(name));

  it('is distributed with its data, however often that is interrupted, but not while it runs', async () => {
    const service = await program.start();
    for (let index = 0; index < 12; index++) {
      const email = `customer${index}@example.com`;
      const { json } = await program.command(
        'account',
        'create',
        '--email',
        email,
        '--plan',
        'Pro',
      );
      customers.push({ accountId: json.account_id, apiKey: json.api_key, group: 0 });
    }
    for (const [index, customer] of customers.entries()) {
      expect(await details(service, customer, codes[index] as string)).toMatchObject({
        status: 200,
      });
    }
    await expect(program.command('distribute')).rejects.toThrow('Processes of the service');
    await service.stop();
    for (const afterMs of [900, 1_300, 1_700, 2_500]) {
      const child = spawn(process.execPath, [CLI, 'distribute'], {
        env: { ...childEnvironment(), ...settings, DATA_DIR: dataDir },
      });
      const exit = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
      await exit;
      clearTimeout(timer);
    }
    expect((await program.command('distribute')).json).toMatchObject({ shards: 4 });
    expect((await program.command('distribute')).json).toMatchObject({ tables: [] });
    expect(await program.command('doctor')).toMatchObject({ exitCode: 0, json: { ok: true } });
    const db = openDatabase({ connectionString: url.href }, createLog('silent'));
    db.groups.set(await readLaneGroups(db));
    for (const customer of customers) {
      customer.group = db.groups.groupOf(lane(customer.accountId));
    }
    await db.close();
    const again = await program.start();
    for (const customer of customers) {
      const { body } = await call(again, customer, '/user/credits');
      expect(body).toMatchObject({ credits: { used_this_month: 1 } });
    }
    await again.stop();
  }, 240_000);

  it('collects, charges and delivers while a worker is killed again and again', async () => {
    const sink = await openSink();
    const api = await program.start({ ROLE: 'api' });
    for (const [index, customer] of customers.entries()) {
      const webhook = { name: 'all', url: sink.url, events: ['*'] };
      const registered = await call(api, customer, '/retailer/webhooks', {
        method: 'POST',
        body: JSON.stringify(webhook),
      });
      expect(registered.status).toBe(201);
      for (const code of codes.slice(index, index + 5)) {
        const tracked = await call(api, customer, '/retailer/oversight/products', {
          method: 'POST',
          body: JSON.stringify({ retailer_product_code: code, tier: 0 }),
        });
        expect(tracked.status).toBe(201);
      }
    }
    for (let kill = 0; kill < 3; kill++) {
      const worker = await program.start({ ROLE: 'worker' });
      const before = sink.received.length;
      await vi.waitFor(() => expect(sink.received.length).toBeGreaterThan(before), {
        timeout: 120_000,
        interval: 200,
      });
      await worker.kill();
    }
    const worker = await program.start({ ROLE: 'worker' });
    const before = sink.received.length;
    await vi.waitFor(() => expect(sink.received.length).toBeGreaterThan(before + 10), {
      timeout: 120_000,
      interval: 200,
    });
    await worker.stop();
    await api.stop();
    const ids = sink.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.length).toBeGreaterThan(0);
    expect(await program.command('doctor')).toMatchObject({ exitCode: 0, json: { ok: true } });
  }, 600_000);

  const usedBy = async (api: ChildService, customer: { apiKey: string }) => {
    const { body } = await call(api, customer, '/user/credits');
    return (body as { credits: { used_this_month: number } }).credits.used_this_month;
  };

  const restart = process.env.TEST_CITUS_RESTART;
  it.skipIf(restart === undefined)(
    'charges every response once while the coordinator is killed and started under load',
    async () => {
      const api = await program.start({ ROLE: 'api' });
      const code = codes[0] as string;
      const before = await Promise.all(customers.map((customer) => usedBy(api, customer)));
      const served = customers.map(() => 0);
      let isOver = false;
      const load = customers.flatMap((customer, index) =>
        Array.from({ length: 4 }, async () => {
          while (!isOver) {
            const { status } = await details(api, customer, code);
            if (status === 200) served[index] = (served[index] ?? 0) + 1;
            else await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }),
      );
      for (let time = 0; time < 3; time++) {
        const sum = () => served.reduce((total, count) => total + count, 0);
        const reached = sum() + 200;
        await vi.waitFor(() => expect(sum()).toBeGreaterThan(reached), {
          timeout: 60_000,
          interval: 50,
        });
        await once(spawn(restart as string, { shell: true, stdio: 'ignore' }), 'exit');
      }
      isOver = true;
      await Promise.all(load);
      // Charges with an unknown outcome are refunded when the database is back.
      await vi.waitFor(
        async () => {
          const after = await Promise.all(customers.map((customer) => usedBy(api, customer)));
          expect(after).toEqual(before.map((used, index) => used + (served[index] as number)));
        },
        { timeout: 60_000, interval: 500 },
      );
      await api.stop();
      expect(await program.command('doctor')).toMatchObject({ exitCode: 0 });
    },
    300_000,
  );

  const { TEST_CITUS_STOP: stopNode, TEST_CITUS_START: startNode } = process.env;
  it.skipIf(stopNode === undefined || startNode === undefined)(
    'serves the lanes of other nodes while one is down, and all when it is back',
    async () => {
      const api = await program.start({ ROLE: 'api' });
      const statuses = async () => {
        const rows = await Promise.all(
          customers.map(async (customer) => {
            const { status } = await call(api, customer, '/user/credits');
            return { group: customer.group, status };
          }),
        );
        return Map.groupBy(rows, ({ status }) => status);
      };
      expect([...(await statuses()).keys()]).toEqual([200]);
      execSync(stopNode as string);
      const down = await statuses();
      expect([...down.keys()].sort()).toEqual([200, 503]);
      const groupsDown = new Set(down.get(503)?.map(({ group }) => group));
      expect(down.get(200)?.some(({ group }) => groupsDown.has(group))).toBe(false);
      execSync(startNode as string);
      await vi.waitFor(async () => expect([...(await statuses()).keys()]).toEqual([200]), {
        timeout: 60_000,
        interval: 500,
      });
      await api.stop();
      expect(await program.command('doctor')).toMatchObject({ exitCode: 0 });
    },
    180_000,
  );
});
