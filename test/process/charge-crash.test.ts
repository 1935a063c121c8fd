// The service is killed repeatedly under load: every request that got data is charged exactly once,
// and no other request more than once.
import { Agent } from 'node:http';
import { expect, onTestFailed, test } from 'vitest';
import { realClock } from '../../src/foundation/clock.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { type ChildService, programOn } from '../support/child-service.ts';
import { newDataDir, serverPid, serverProcesses } from '../support/data-dir.ts';
import { Notes, readLedger, sendRequest } from '../support/load.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';

const KILLS = 6;
/** The service is killed after a random number of responses and a short delay. */
const RESPONSES_MAX = 800;
const MOMENT_MS_MAX = 30;
const START_MS_MAX = 900;

const dataDir = await newDataDir();
const program = programOn(dataDir, { DEMO: 'false' });
const code = createSimulatedSource({ clock: realClock }).productAt(0).code;

type Customer = { name: string; apiKey: string; connections: number; notes: Notes };

/**
 * Opens a customer with plenty of credits, one that runs out (402) and one above its rate (429).
 */
async function openCustomers(): Promise<Customer[]> {
  const open = async (name: string, plan: string, connections: number): Promise<Customer> => {
    const email = `${name}@example.com`;
    const { json } = await program.command('account', 'create', '--email', email, '--plan', plan);
    if (name !== 'slow') {
      await program.command('limits', 'set', email, '--requests-per-second', '100000');
    }
    return { name, apiKey: json.api_key, connections, notes: new Notes() };
  };
  return Promise.all([open('rich', 'Pro', 40), open('small', 'Free', 8), open('slow', 'Free', 2)]);
}

type Target = { address: string; random: Random };

const detailsPath = '/retailer/product/details?retailer_product_code=';

/** Sends many requests of one customer at once. */
async function askAtOnce(
  { apiKey, notes }: Customer,
  { address }: Target,
  times: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const responses = Array.from({ length: times }, () =>
    sendRequest(agent, address + detailsPath + code, apiKey),
  );
  for (const response of await Promise.all(responses)) notes.note(response);
  agent.destroy();
}

/** Sends requests on every connection, some of them wrong, until each connection breaks. */
async function load(
  customers: readonly Customer[],
  target: Target,
  onResponse: () => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const { address, random } = target;
  const connection = async ({ apiKey, notes }: Customer) => {
    for (;;) {
      const unknown = random.chance(0.05);
      const malformed = random.chance(0.05);
      const requested = malformed ? 'x' : unknown ? '999' : code;
      const response = await sendRequest(agent, address + detailsPath + requested, apiKey);
      notes.note(response);
      if (response === null) return;
      onResponse();
    }
  };
  await Promise.all(
    customers.flatMap((customer) =>
      Array.from({ length: customer.connections }, () => connection(customer)),
    ),
  );
  agent.destroy();
}

/** Kills the service under load, while charges are batched, booked or responded to. */
async function killUnderLoad(
  service: ChildService,
  customers: readonly Customer[],
  target: Target,
): Promise<void> {
  let responsesLeft = 1 + target.random.below(RESPONSES_MAX);
  await load(customers, target, () => {
    responsesLeft -= 1;
    if (responsesLeft === 0) {
      setTimeout(() => void service.kill(), target.random.below(MOMENT_MS_MAX));
    }
  });
  await service.kill();
}

/** Compares the ledger with the responses that the customer got. */
async function compare(agent: Agent, address: string, customer: Customer): Promise<void> {
  const { name, apiKey, notes } = customer;
  const ledger = await readLedger(agent, address, apiKey);
  const charges = ledger.filter((entry) => entry.kind !== 'refresh');
  const charged = new Set(charges.map((entry) => entry.reference));
  const kinds = new Set(charges.map(({ kind, credits }) => `${kind} ${credits}`));
  expect([...kinds], name).toEqual(['request -1']);
  expect(charged.size, `${name}: no request is charged twice`).toBe(charges.length);

  const paid = notes.idsOf(200);
  const unpaid = [...paid].filter((id) => !charged.has(id));
  expect(unpaid, `${name}: served and not charged`).toEqual([]);
  for (const status of notes.statuses().filter((status) => status !== 200)) {
    const wronged = [...notes.idsOf(status)].filter((id) => charged.has(id));
    expect(wronged, `${name}: charged for ${status}`).toEqual([]);
  }
  expect(charges.length, name).toBeLessThanOrEqual(paid.size + notes.unanswered);
  const credits = await sendRequest(agent, `${address}/user/credits`, apiKey);
  expect(credits?.body.credits.used_this_month, name).toBe(charges.length);
}

test('after kills at any moment, every served request is charged once and no other more than once', {
  timeout: 240_000,
}, async () => {
  const random = seededRandom();
  let service = await program.start();
  onTestFailed(() => console.error(service.output()));
  const customers = await openCustomers();
  const [rich, small, slow] = customers as [Customer, Customer, Customer];
  const target = { address: service.address, random };
  // Leaves a few of the plan's 1000 credits, so that the account runs out under load.
  await askAtOnce(small, target, 950);
  // Exceeds its rate regardless of the later load.
  await askAtOnce(slow, target, 100);

  for (let round = 0; round < KILLS; round++) {
    await killUnderLoad(service, customers, { address: service.address, random });
    // Sometimes the next process is killed before its first request.
    if (round % 3 === 1) await program.startAndKill(random.below(START_MS_MAX));
    service = await program.start();
  }

  const agent = new Agent({ keepAlive: true });
  for (const customer of customers) await compare(agent, service.address, customer);
  agent.destroy();
  // Checks that every case has occurred.
  expect(rich.notes.statuses()).toEqual([200, 400, 404]);
  expect(rich.notes.unanswered).toBe(rich.connections * KILLS);
  expect(small.notes.statuses()).toContain(402);
  expect(slow.notes.statuses()).toContain(429);

  const doctor = await program.command('doctor');
  expect(doctor.json).toMatchObject({ ok: true });
  expect(doctor.exitCode).toBe(0);

  expect(serverPid(dataDir)).not.toBeNull();
  const stoppedAtMs = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - stoppedAtMs).toBeLessThan(10_000);
  expect(serverProcesses(dataDir)).toEqual([]);
});
