// Starts the parent of several processes on this machine: prepares the database and the demo once,
// then starts the children with what they need to use them.
import { type AddressInfo, createServer } from 'node:net';
import { announce, showFilling } from './announce.ts';
import { buildApp } from './app.ts';
import { openFeeSchedule } from './catalog/open-fee-schedule.ts';
import type { Settings } from './config.ts';
import { serviceClock } from './database/time-lapse.ts';
import { type Demo, fillDemo } from './first-start.ts';
import type { Clock } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import { createMetrics } from './foundation/metrics.ts';
import { type ChildPlan, rolesOf, startProcesses } from './run-processes.ts';
import { openSource } from './sources/open-source.ts';
import { openPageMaps } from './sources/pages/open-page-maps.ts';
import { type StartContext, wantsDemo, warnOfProxy } from './start-process.ts';
import { openStore, prepareStore, type Store } from './store.ts';
import { whenDatabaseIsThere } from './wait-for-database.ts';

type Secrets = Awaited<ReturnType<typeof prepareStore>>;

export async function startParent(
  settings: Settings,
  log: Log,
  { started, stopping }: StartContext,
): Promise<void> {
  openFeeSchedule(settings);
  openPageMaps(settings);
  const port = await freePort(settings);
  const store = await openStore(settings, log, 'service');
  started.push({ name: 'database', stop: store.close });
  const listenOn = { host: settings.HOST, port: settings.PORT };
  const prepared = await whenDatabaseIsThere({ settings, log, stopping, listenOn }, async () => {
    const secrets = await prepareStore(store, settings, log);
    return { secrets, clock: await serviceClock(store.db, settings.CLOCK_SPEED) };
  });
  if (prepared === null) return;
  const { secrets, clock } = prepared;
  const demo = wantsDemo(settings)
    ? await fillOnce(settings, { store, log, clock, secrets, stopping })
    : null;
  if (stopping.aborted) return;
  const plans = plansOf({ ...settings, PORT: port }, store, secrets);
  const metrics = createMetrics('parent');
  const processes = await startProcesses(plans, { log, metrics, stopping });
  started.push({ name: 'server', stop: processes.stop });
  const listening = processes.ready.find(({ address }) => address !== null);
  if (stopping.aborted || listening === undefined) return;
  warnOfProxy(settings, log);
  const { publicUrl } = listening;
  announce({
    address: listening.address ?? publicUrl,
    publicUrl,
    clockSpeed: clock.speed,
    demo,
    clusterElsewhere: store.clusterElsewhere,
    processes: plans.map(({ name }) => name),
  });
}

/** Checks that nobody listens on the port, and picks one if PORT is 0: the children share it. */
async function freePort({ HOST: host, PORT: port }: Settings): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** The demo is filled here, before any child needs it. */
async function fillOnce(
  settings: Settings,
  input: { store: Store; log: Log; clock: Clock; secrets: Secrets; stopping: AbortSignal },
): Promise<Demo | null> {
  const { store, log, clock, secrets, stopping } = input;
  const metrics = createMetrics();
  const source = openSource(settings, { clock, log, metrics });
  // Nobody is rate-limited here.
  const app = buildApp({
    db: store.db,
    clock,
    log,
    source,
    metrics,
    ...secrets,
    settings: { ...settings, REDIS_URL: null },
  });
  try {
    return await fillDemo(app, { onProgress: showFilling(), stopping });
  } finally {
    await app.close();
  }
}

/** API processes share the port. Workers listen only if there is no other process that does. */
function plansOf(settings: Settings, store: Store, secrets: Secrets): ChildPlan[] {
  const env = {
    ...(store.embeddedUrl === null ? {} : { DATABASE_URL: store.embeddedUrl }),
    ENCRYPTION_KEY: secrets.encryptionKeys.map((key) => key.toString('base64')).join(','),
    AUTH_SECRET: secrets.authSecret,
    DEMO: 'false',
    PORT: String(settings.PORT),
  };
  const roles = rolesOf(settings.ROLE, settings.PROCESSES);
  return roles.map((role, index) => ({
    name: `${role}-${roles.slice(0, index + 1).filter((other) => other === role).length}`,
    listens: role === 'api' || settings.ROLE === 'worker',
    env: { ...env, ROLE: role },
  }));
}
