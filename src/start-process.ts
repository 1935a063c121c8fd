// Starts the parts of one process, in the order they need each other.
import { resolve } from 'node:path';
import { missingProxyAdvice } from './accounts/proxy-trust.ts';
import { announce, showFilling } from './announce.ts';
import { buildServer, closeServer } from './api/server.ts';
import type { ListenOn } from './api/waiting-server.ts';
import { type App, buildApp } from './app.ts';
import { createMembership, type Membership } from './background/membership.ts';
import { openFeeSchedule } from './catalog/open-fee-schedule.ts';
import type { Settings } from './config.ts';
import { journalFolder, openUnresolvedJournal } from './credits/unresolved-journal.ts';
import { type ClockWatch, createClockWatch } from './database/clock-skew.ts';
import type { Database } from './database/database.ts';
import { serviceClock } from './database/time-lapse.ts';
import { fillDemo } from './first-start.ts';
import type { Log } from './foundation/log.ts';
import { createMetrics, type Metrics } from './foundation/metrics.ts';
import { SECOND_MS } from './foundation/time.ts';
import { createSharedRates, type SharedRates } from './limits/shared-rates.ts';
import { startLoops } from './loops.ts';
import { portOf } from './outbound/target-address.ts';
import type { ParentLink } from './parent-link.ts';
import { openSource } from './sources/open-source.ts';
import { openPageMaps } from './sources/pages/open-page-maps.ts';
import { openStore, prepareStore } from './store.ts';
import { whenDatabaseIsThere } from './wait-for-database.ts';

/** Started parts, stopped from the last to the first. */
export type Started = { name: string; stop: () => Promise<unknown> }[];

export type StartContext = {
  started: Started;
  stopping: AbortSignal;
  /** Only in a child: its parent, its name, and whether it listens. */
  parent?: { link: ParentLink; name: string; listens: boolean };
};

export async function startProcess(
  settings: Settings,
  log: Log,
  { started, stopping, parent }: StartContext,
): Promise<void> {
  const link = parent?.link ?? null;
  const listenOn = listeningPlace(settings, parent);
  // First, so that a bad file is reported before anything starts.
  const feeSchedule = openFeeSchedule(settings);
  openPageMaps(settings);
  const store = await openStore(settings, log, 'service');
  started.push({ name: 'database', stop: store.close });
  const prepared = await whenDatabaseIsThere({ settings, log, stopping, listenOn }, async () => {
    const secrets = await prepareStore(store, settings, log);
    return { secrets, clock: await serviceClock(store.db, settings.CLOCK_SPEED) };
  });
  if (prepared === null) return;
  const { secrets, clock } = prepared;
  const folder = journalFolder(resolve(settings.DATA_DIR));
  const unresolvedJournal = openUnresolvedJournal(folder, secrets.databaseId);
  const metrics = createMetrics(parent?.name);
  const { rates, ...processes } = openProcesses(store.db.background, { settings, log, metrics });
  const source = openSource(settings, { clock, log, metrics, rateOf: rates.of });
  const app = buildApp({
    db: store.db,
    clock,
    log,
    source,
    metrics,
    rates,
    ...(link === null ? {} : { takeAtParent: link.takeAtParent }),
    feeSchedule,
    settings,
    ...secrets,
    unresolvedJournal,
  });
  started.push({ name: 'app', stop: app.close });
  await app.charging.resumeUnresolved().catch((error) => {
    log.error(
      { folder, reason: String(error) },
      'the journal of unresolved charges cannot be read',
    );
  });

  let notReady: string | null = 'the service starts';
  const faults = () => faultsOf(app, processes.clockWatch);
  link?.reportBy(async (what) => ({
    metrics: what === 'metrics' ? await metrics.snapshot() : [],
    faults: faults().map((fault) => `${parent?.name}: ${fault}`),
  }));
  const address =
    listenOn === null
      ? null
      : await listen(app, settings, {
          started,
          link,
          listenOn,
          operations: { faults, notReadyReason: () => notReady },
        });
  if (settings.ROLE !== 'worker') await app.signIn.warm();

  if (stopping.aborted) return;
  const filling = { onProgress: showFilling(), stopping };
  const demo = wantsDemo(settings) ? await fillDemo(app, filling) : null;
  if (stopping.aborted) return;
  await startBackground(app, settings, { started, ...processes });
  notReady = null;
  const { publicUrl } = app.allowedOrigins;
  const clockSpeed = clock.speed;
  if (link !== null) return link.ready({ address, publicUrl, clockSpeed });
  warnOfProxy(settings, log);
  const { clusterElsewhere } = store;
  announce({ address: address ?? publicUrl, publicUrl, clockSpeed, demo, clusterElsewhere });
}

/**
 * Siblings listen on one port. The kernel divides the connections where it can; elsewhere the
 * parent hands them on, and those it gave to a child that dies at that moment get no response.
 */
function listeningPlace(
  { HOST: host, PORT: port }: Settings,
  parent: StartContext['parent'],
): ListenOn | null {
  if (parent === undefined) return { host, port };
  const reusePort = process.platform === 'linux' || process.platform === 'freebsd';
  return parent.listens ? { host, port, reusePort } : null;
}

async function listen(
  app: App,
  settings: Settings,
  context: {
    started: Started;
    link: ParentLink | null;
    listenOn: ListenOn;
    operations: { faults: () => readonly string[]; notReadyReason: () => string | null };
  },
): Promise<string> {
  const { started, link, listenOn, operations } = context;
  const server = await buildServer(
    {
      ...app,
      ...operations,
      isWorker: settings.ROLE === 'worker',
      ...(link === null ? {} : { collectReports: link.collect }),
    },
    { trustProxy: settings.TRUST_PROXY, endpoints: settings.ROLE !== 'worker' },
  );
  const address = await server.listen(listenOn);
  started.push({ name: 'server', stop: () => closeServer(server) });
  app.listensOn(portOf(new URL(address)));
  return address;
}

/** What is wrong with this process, for /readyz. The reasons are in the log. */
function faultsOf({ loopHealth }: App, clockWatch: ClockWatch): string[] {
  const faults = loopHealth
    .failing()
    .map(({ loop, forSeconds }) => `loop ${loop} has failed for ${forSeconds} s`);
  if (!clockWatch.isSkewed()) return faults;
  const seconds = (clockWatch.skewMs() / SECOND_MS).toFixed(1);
  return [...faults, `this machine's clock is ${seconds} s ahead of the database's`];
}

export function warnOfProxy(settings: Settings, log: Log): void {
  const advice = missingProxyAdvice(settings);
  if (advice !== null && settings.ROLE !== 'worker')
    log.warn({ setting: 'TRUST_PROXY' }, advice.text);
}

type Processes = { membership: Membership; clockWatch: ClockWatch };

/** What this process shares with the others of its database, and its gauges. */
function openProcesses(
  db: Database,
  { settings, log, metrics }: { settings: Settings; log: Log; metrics: Metrics },
): Processes & { rates: SharedRates } {
  const membership = createMembership({ db, log }, settings.ROLE);
  const clockWatch = createClockWatch({ db, log });
  const rates = createSharedRates({ db, log, processCount: membership.processCount });
  metrics.watch(
    'oversight_processes',
    'Processes of this database that are alive, counted by their leases.',
    membership.processCount,
  );
  metrics.watch(
    'oversight_clock_skew_seconds',
    "How far this machine's clock is ahead of the database's.",
    () => clockWatch.skewMs() / SECOND_MS,
  );
  return { membership, clockWatch, rates };
}

async function startBackground(
  app: App,
  settings: Settings,
  { started, membership, clockWatch }: Processes & { started: Started },
): Promise<void> {
  // Loops must not take connections from requests.
  const deps = { ...app, db: app.db.background, membership, clockWatch };
  await clockWatch.check();
  const renewing = await membership.start();
  // Leases are released when the loops have ended.
  started.push({ name: 'membership', stop: renewing.stop });
  const snapshotsPerMinute = settings.HIGH_VOLUME_LOOKS_PER_MINUTE;
  const loops = startLoops({ ...deps, snapshotsPerMinute }, { works: settings.ROLE !== 'api' });
  started.push({ name: 'loops', stop: () => Promise.all(loops.map((loop) => loop.stop())) });
  // Now that the loops have applied for theirs.
  await membership.renew();
}

export function wantsDemo(settings: Settings): boolean {
  return settings.DEMO ?? (settings.DATABASE_URL === null && settings.MARKETPLACE === 'simulated');
}
