// The soak: the whole service in time lapse under load while things break at random; at the end the
// ledger is exact, every event is at its endpoint, and memory is flat. `npm run soak -- --minutes
// 30 --accounts 50 --seed 1`.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { realClock } from '../../src/foundation/clock.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { createRandom, type Random } from '../support/random.ts';
import { compareRecords, drain, findingsOfDoctor } from './compare.ts';
import {
  type Customer,
  followFeed,
  openCustomer,
  type Traffic,
  trackSome,
  useService,
} from './customers.ts';
import { type Endpoints, openEndpoints } from './endpoints.ts';
import { faultsOf, healAll, POISONED, preparePoison } from './faults.ts';
import {
  type Machine,
  openMachine,
  operatorCommand,
  prepareProcess,
  type ServiceProcess,
} from './machine.ts';

const PRODUCTS = 120;
const SAMPLE_MS = 5_000;
/**
 * Of a run's samples, the first third is warming up; the second and the last third are compared.
 */
const GROWTH_MAX = 1.2;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    accounts: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    speed: { type: 'string', default: '1200' },
    'disk-mb': { type: 'string', default: '4096' },
    /** A fault begins every so many seconds. */
    'fault-every': { type: 'string', default: '8' },
  },
});
const options = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, Number(value)]),
) as Record<keyof typeof values, number>;

/** What the processes print at level warn and above. */
const logPath = join(tmpdir(), `oversight-soak-${options.seed}.log`);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const startedMs = performance.now();
const say = (text: string) => {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`${String(seconds).padStart(5)} s  ${text}\n`);
};

type Sample = { process: string; bytes: number };

async function main(): Promise<number> {
  const random = createRandom(options.seed);
  say(`seed ${options.seed}, ${options.minutes} minutes, ${options.accounts} accounts`);
  const logFile = openSync(logPath, 'w');
  say(`log of the processes: ${logPath}`);
  const { TEST_PGBOUNCER: pgBouncer, TEST_REDIS_URL: redisUrl } = process.env;
  say(`pgbouncer ${pgBouncer ?? 'none'}, redis ${redisUrl ?? 'none'}`);
  const machine = await openMachine({
    diskMb: options['disk-mb'],
    clockSpeed: options.speed,
    pgBouncer,
    redisUrl,
  });
  if (machine.fillDisk === null)
    say('could not mount a separate disk: the "full disk" fault is skipped');
  const endpoints = await openEndpoints(createRandom(options.seed + 1));
  const prepare = (name: string, role: 'api' | 'worker', isMeasured: boolean) =>
    prepareProcess(machine, { name, role, isMeasured, logFile });
  const processes = [
    await prepare('api-1', 'api', true),
    await prepare('api-2', 'api', false),
    await prepare('worker-1', 'worker', true),
    await prepare('worker-2', 'worker', false),
  ];
  await processes[0]?.start(); // migrates
  await preparePoison(machine);
  for (const process of processes.slice(1)) await process.start();
  try {
    return await soak({ machine, endpoints, processes, random });
  } finally {
    for (const process of processes) await process.stop();
    endpoints.close();
    await machine.close();
    closeSync(logFile);
  }
}

type Soak = {
  machine: Machine;
  endpoints: Endpoints;
  processes: readonly ServiceProcess[];
  random: Random;
};

async function soak({ machine, endpoints, processes, random }: Soak): Promise<number> {
  const source = createSimulatedSource({ clock: realClock });
  const codes = Array.from({ length: PRODUCTS }, (_, index) => source.productAt(index).code);
  const apis = processes.filter(({ name }) => name.startsWith('api'));
  const address = apis[0]?.address as string;
  const customers: Customer[] = [];
  const command = (...words: string[]) => operatorCommand(machine, ...words);
  for (let index = 0; index < options.accounts; index++) {
    customers.push(await openCustomer({ command, address, endpoints, random }, index));
  }
  for (const customer of customers) await trackSome(customer, { address, random, codes });
  say(
    `${customers.length} accounts, ${customers.flatMap((one) => one.trackedIds).length} tracked products`,
  );

  const stopping = new AbortController();
  const reading = new AbortController();
  const traffic: Traffic = { statuses: new Map(), faults: [] };
  const samples: Sample[] = [];
  const using = customers.map((customer) =>
    useService(customer, { apis, random, codes, traffic, stopping: stopping.signal }),
  );
  const feeds = customers.map((customer) =>
    followFeed(customer, { apis, random, stopping: reading.signal }),
  );
  const sampling = sampleMemory(processes, samples, stopping.signal);
  const struck = await strikeUntil(
    faultsOf({ machine, processes, random }),
    { random, untilMs: performance.now() + options.minutes * 60_000 },
    () => progress(traffic, customers, endpoints),
  );
  stopping.abort();
  await Promise.all([...using, sampling]);
  say(`faults: ${[...struck].map(([name, count]) => `${name} ${count}`).join(', ')}`);

  await healAll(machine);
  for (const process of processes) if (!process.isRunning()) await process.start();
  const retried = await operatorCommand(machine, 'quarantine', 'retry', 'all');
  say(`quarantined items put back: ${JSON.stringify(retried.json)}`);
  // Everything recorded until now must arrive; the marketplace keeps changing meanwhile.
  const expected = customers.map((customer) => new Set(customer.feed));
  await drain(customers, { endpoints, expected, say });
  reading.abort();
  await Promise.all(feeds);
  return verdict({ machine, endpoints, customers, expected, traffic, samples, address });
}

/** Starts one fault after the other; returns the count of each. */
async function strikeUntil(
  faults: ReturnType<typeof faultsOf>,
  { random, untilMs }: { random: Random; untilMs: number },
  onRound: () => void,
): Promise<Map<string, number>> {
  const struck = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  let nextReportMs = performance.now();
  while (performance.now() < untilMs) {
    const fault = random.pick(faults);
    struck.set(fault.name, (struck.get(fault.name) ?? 0) + 1);
    const strike = fault
      .strike()
      .catch((error) => say(`${fault.name}: ${error instanceof Error ? error.message : error}`));
    underWay.add(strike);
    void strike.then(() => underWay.delete(strike));
    await pause(options['fault-every'] * 1_000);
    if (performance.now() > nextReportMs) {
      onRound();
      nextReportMs = performance.now() + 60_000;
    }
  }
  await Promise.all(underWay);
  return struck;
}

function progress(traffic: Traffic, customers: readonly Customer[], endpoints: Endpoints): void {
  const statuses = [...traffic.statuses].sort().map(([status, count]) => `${status}: ${count}`);
  const events = customers.reduce((sum, { feed }) => sum + feed.size, 0);
  say(`${statuses.join(', ')}; events ${events}, requests at endpoints ${endpoints.requests()}`);
}

async function sampleMemory(
  processes: readonly ServiceProcess[],
  samples: Sample[],
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    for (const process of processes.filter(({ isMeasured }) => isMeasured)) {
      const bytes = await process.residentBytes();
      if (bytes !== null) samples.push({ process: process.name, bytes });
    }
    await pause(SAMPLE_MS);
  }
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

async function verdict(input: {
  machine: Machine;
  endpoints: Endpoints;
  customers: readonly Customer[];
  expected: readonly Set<string>[];
  traffic: Traffic;
  samples: readonly Sample[];
  address: string;
}): Promise<number> {
  const { endpoints, customers, expected, traffic } = input;
  const log = readFileSync(logPath, 'utf8').split('\n');
  const isPoisoned = (requestId: string) =>
    log.some((line) => line.includes(requestId) && line.includes(POISONED));
  const problems: string[] = traffic.faults
    .filter(({ requestId }) => !isPoisoned(requestId))
    .map(({ text }) => `5xx: ${text}`);
  problems.push(...(await compareRecords(input)));
  for (const name of new Set(input.samples.map(({ process }) => process))) {
    const bytes = input.samples.filter(({ process }) => process === name).map((one) => one.bytes);
    const third = Math.floor(bytes.length / 3);
    const [middle, last] = [median(bytes.slice(third, 2 * third)), median(bytes.slice(2 * third))];
    const growth = last / middle;
    say(`memory of ${name}: ${mb(middle)}, then ${mb(last)} (${growth.toFixed(2)})`);
    if (growth > GROWTH_MAX) problems.push(`memory of ${name} grew by ${growth.toFixed(2)}`);
  }
  problems.push(...(await findingsOfDoctor(input.machine)));
  progress(traffic, customers, endpoints);
  const events = expected.reduce((sum, ids) => sum + ids.size, 0);
  const paid = customers.reduce((sum, { responses }) => sum + responses.size, 0);
  say(`${paid} responses against the ledger, ${events} events against the endpoints`);
  for (const problem of problems.slice(0, 50)) say(`WRONG ${problem}`);
  say(
    problems.length === 0
      ? 'nothing lost, nothing doubled, memory flat'
      : `${problems.length} problems`,
  );
  return problems.length === 0 ? 0 : 1;
}

const mb = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;

process.exitCode = await main();
