// Upgrades a running service process by process: the program of a git ref and this one run side by
// side on one database, under load. At the end nothing is lost or doubled and doctor is content.
// `npm run test:side-by-side -- REF [--seconds 20] [--accounts 12]`.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { realClock } from '../src/foundation/clock.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';
import { compareRecords, drain, findingsOfDoctor } from '../test/soak/compare.ts';
import {
  type Customer,
  followFeed,
  openCustomer,
  type Traffic,
  trackSome,
  useService,
} from '../test/soak/customers.ts';
import { type Endpoints, openEndpoints } from '../test/soak/endpoints.ts';
import {
  commandFrom,
  type Machine,
  openMachine,
  prepareProcess,
  type ServiceProcess,
} from '../test/soak/machine.ts';
import { createRandom, type Random } from '../test/support/random.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const PRODUCTS = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** How long each mixture of old and new processes runs. */
    seconds: { type: 'string', default: '20' },
    accounts: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    speed: { type: 'string', default: '1200' },
  },
});
const [secondsPerStep, accounts, seed, clockSpeed] = [
  Number(values.seconds),
  Number(values.accounts),
  Number(values.seed),
  Number(values.speed),
] as const;

const startedMs = performance.now();
const say = (text: string) => {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`${String(seconds).padStart(4)} s  ${text}\n`);
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });

type OldRelease = { sources: string; name: string; canRestart: boolean; remove(): void };

const migrations = (tree: string) => readdirSync(join(tree, 'migrations')).join();

/** Checks out the ref beside this tree, with the same packages if it wants the same. */
function checkOut(ref: string): OldRelease {
  const folder = mkdtempSync(join(tmpdir(), 'oversight-old-'));
  git('worktree', 'add', '--detach', '--force', folder, ref);
  const lockOf = (tree: string) => readFileSync(join(tree, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(root)) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  } else {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  }
  return {
    sources: join(folder, 'src/'),
    name: git('log', '-1', '--format=%h %s', ref).trim(),
    canRestart:
      existsSync(join(folder, 'src/database/contract.ts')) ||
      migrations(folder) === migrations(root),
    remove: () => git('worktree', 'remove', '--force', folder),
  };
}

async function main(ref: string): Promise<number> {
  const old = checkOut(ref);
  say(`old: ${old.name}`);
  const logPath = join(tmpdir(), 'oversight-side-by-side.log');
  const logFile = openSync(logPath, 'w');
  say(`log of the processes: ${logPath}`);
  const machine = await openMachine({
    diskMb: 4096,
    clockSpeed,
    pgBouncer: undefined,
    redisUrl: undefined,
  });
  const random = createRandom(seed);
  const endpoints = await openEndpoints(createRandom(seed + 1));
  const processes: ServiceProcess[] = [];
  for (const [name, role] of Object.entries(ROLES)) {
    processes.push(await prepareProcess(machine, { name, role, isMeasured: false, logFile }));
  }
  try {
    for (const process of processes) await process.start(old.sources);
    return await upgrade({ machine, endpoints, processes, old, random });
  } finally {
    for (const process of processes) await process.stop();
    endpoints.close();
    await machine.close();
    closeSync(logFile);
    old.remove();
  }
}

const ROLES = {
  'api-1': 'api',
  'api-2': 'api',
  'worker-1': 'worker',
  'worker-2': 'worker',
} as const;

type Upgrade = {
  machine: Machine;
  endpoints: Endpoints;
  processes: readonly ServiceProcess[];
  old: OldRelease;
  random: Random;
};

async function upgrade(context: Upgrade): Promise<number> {
  const { machine, endpoints, processes, old, random } = context;
  // As behind a load balancer: requests go to the processes that are ready.
  const apis = processes.filter(({ name }) => name.startsWith('api'));
  const customers = await openCustomers(context, apis[0]?.address as string);
  const stopping = new AbortController();
  const reading = new AbortController();
  const traffic: Traffic = { statuses: new Map(), faults: [] };
  const codes = productCodes();
  const using = customers.map((customer) =>
    useService(customer, { apis, random, codes, traffic, stopping: stopping.signal }),
  );
  const feeds = customers.map((customer) =>
    followFeed(customer, { apis, random, stopping: reading.signal }),
  );
  await pause(secondsPerStep * 1_000);
  await replaceAll(processes, { apis, old });
  stopping.abort();
  await Promise.all(using);
  const expected = customers.map((customer) => new Set(customer.feed));
  await drain(customers, { endpoints, expected, say });
  reading.abort();
  await Promise.all(feeds);

  const address = apis[0]?.address as string;
  const problems = traffic.faults.map(({ text }) => `5xx: ${text}`);
  problems.push(...(await compareRecords({ customers, endpoints, expected, address })));
  problems.push(...(await findingsOfDoctor(machine)));
  const sum = (of: (customer: Customer) => number) =>
    customers.reduce((total, customer) => total + of(customer), 0);
  const statuses = [...traffic.statuses].sort().map(([status, count]) => `${status}: ${count}`);
  say(`responses ${statuses.join(', ')}; without a response ${sum((one) => one.unanswered)}`);
  say(`${sum(({ index }) => expected[index]?.size ?? 0)} events, ${endpoints.requests()} requests`);
  for (const problem of problems.slice(0, 50)) say(`WRONG ${problem}`);
  say(problems.length === 0 ? 'nothing lost, nothing doubled' : `${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

const productCodes = () => {
  const source = createSimulatedSource({ clock: realClock });
  return Array.from({ length: PRODUCTS }, (_, index) => source.productAt(index).code);
};

async function openCustomers(
  { machine, endpoints, old, random }: Upgrade,
  address: string,
): Promise<Customer[]> {
  // With the old program: the new one would migrate.
  const command = (...words: string[]) => commandFrom(old.sources, machine, words);
  const codes = productCodes();
  const customers: Customer[] = [];
  for (let index = 0; index < accounts; index++) {
    const customer = await openCustomer({ command, address, endpoints, random }, index);
    await trackSome(customer, { address, random, codes });
    customers.push(customer);
  }
  say(`${customers.length} accounts, ${customers.flatMap((one) => one.trackedIds).length} tracked`);
  return customers;
}

/** One after the other, each mixture under load for a while. The first new process migrates. */
async function replaceAll(
  processes: readonly ServiceProcess[],
  { apis, old }: { apis: ServiceProcess[]; old: OldRelease },
): Promise<void> {
  const [firstApi, secondApi, firstWorker, secondWorker] = processes as [
    ServiceProcess,
    ServiceProcess,
    ServiceProcess,
    ServiceProcess,
  ];
  const steps: [ServiceProcess, 'new' | 'old'][] = [
    [firstApi, 'new'],
    [firstWorker, 'new'],
    // Restarts beside the new ones, and a roll-back of one.
    [secondApi, 'old'],
    [secondWorker, 'old'],
    [firstApi, 'old'],
    [firstApi, 'new'],
    [secondApi, 'new'],
    [secondWorker, 'new'],
  ];
  for (const [process, release] of steps) {
    if (release === 'old' && !old.canRestart) {
      say(`${process.name}: no restart, the old release refuses every newer database`);
      continue;
    }
    const place = apis.indexOf(process);
    if (place >= 0) apis.splice(place, 1);
    const code = await process.stop();
    await process.start(release === 'old' ? old.sources : undefined);
    if (place >= 0) apis.push(process);
    say(`${process.name} is ${release} (the one before ended with ${code})`);
    await pause(secondsPerStep * 1_000);
  }
}

const [ref] = positionals;
if (ref === undefined) {
  process.stderr.write('Pass the git ref of the older release.\n');
  process.exitCode = 2;
} else process.exitCode = await main(ref);
