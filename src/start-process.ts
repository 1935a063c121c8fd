// Starts the parts of one process in the order they need each other, and explains what prevents it.
import { resolve } from 'node:path';
import { missingProxyAdvice } from './accounts/proxy-trust.ts';
import { buildServer, closeServer } from './api/server.ts';
import { startWaitingServer, type WaitingServer } from './api/waiting-server.ts';
import { type App, buildApp } from './app.ts';
import { createMembership, type Membership } from './background/membership.ts';
import { openFeeSchedule } from './catalog/open-fee-schedule.ts';
import { type Settings, settingsSummary } from './config.ts';
import { journalFolder, openUnresolvedJournal } from './credits/unresolved-journal.ts';
import { type ClockWatch, createClockWatch } from './database/clock-skew.ts';
import type { Database } from './database/database.ts';
import { serviceClock } from './database/time-lapse.ts';
import { type Demo, fillDemo } from './first-start.ts';
import { monotonicMs, sleepMs } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import { createMetrics, type Metrics } from './foundation/metrics.ts';
import { progressBar } from './foundation/progress-bar.ts';
import { withoutSecrets } from './foundation/secret.ts';
import { SECOND_MS } from './foundation/time.ts';
import { createSharedRates, type SharedRates } from './limits/shared-rates.ts';
import { startLoops } from './loops.ts';
import { portOf } from './outbound/target-address.ts';
import { openSource } from './sources/open-source.ts';
import { isWorthWaitingFor, openStore, prepareStore } from './store.ts';

/** Started parts, stopped from the last to the first. */
export type Started = { name: string; stop: () => Promise<unknown> }[];

export async function startProcess(
  settings: Settings,
  log: Log,
  { started, stopping }: { started: Started; stopping: AbortSignal },
): Promise<void> {
  // First, so that a bad file is reported before anything starts.
  const feeSchedule = openFeeSchedule(settings);
  const store = await openStore(settings, log, 'service');
  started.push({ name: 'database', stop: store.close });
  const prepared = await whenDatabaseIsThere(settings, log, stopping, async () => {
    const secrets = await prepareStore(store, settings, log);
    return { secrets, clock: await serviceClock(store.db, settings.CLOCK_SPEED) };
  });
  if (prepared === null) return;
  const { secrets, clock } = prepared;
  const folder = journalFolder(resolve(settings.DATA_DIR));
  const unresolvedJournal = openUnresolvedJournal(folder, secrets.databaseId);
  const metrics = createMetrics();
  const { rates, ...processes } = openProcesses(store.db.background, { settings, log, metrics });
  const source = openSource(settings, { clock, log, metrics, rateOf: rates.of });
  const app = buildApp({
    db: store.db,
    clock,
    log,
    source,
    metrics,
    rates,
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
  const server = await buildServer(
    { ...app, notReadyReason: () => notReady },
    { trustProxy: settings.TRUST_PROXY, endpoints: settings.ROLE !== 'worker' },
  );
  const address = await server.listen({ host: settings.HOST, port: settings.PORT });
  started.push({ name: 'server', stop: () => closeServer(server) });
  app.listensOn(portOf(new URL(address)));
  if (settings.ROLE !== 'worker') await app.signIn.warm();

  if (stopping.aborted) return;
  const filling = { onProgress: showFilling(), stopping };
  const demo = wantsDemo(settings) ? await fillDemo(app, filling) : null;
  if (stopping.aborted) return;
  await startBackground(app, settings, { started, ...processes });
  notReady = null;
  const advice = missingProxyAdvice(settings);
  if (advice !== null && settings.ROLE !== 'worker')
    log.warn({ setting: 'TRUST_PROXY' }, advice.text);
  announce(app, { address, demo, settings, clusterElsewhere: store.clusterElsewhere });
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

const WAIT_MS = { first: 250, max: 5_000, loggedEvery: 30_000 };

/**
 * Runs `prepare`, and repeats it until the database can be reached. Serves health checks and logs
 * the reason meanwhile. Returns null when stopped; throws errors that waiting cannot resolve.
 */
async function whenDatabaseIsThere<T>(
  settings: Settings,
  log: Log,
  stopping: AbortSignal,
  prepare: () => Promise<T>,
): Promise<T | null> {
  let waiting: WaitingServer | null = null;
  let reason = '';
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  try {
    for (let waitMs = WAIT_MS.first; ; waitMs = Math.min(waitMs * 2, WAIT_MS.max)) {
      try {
        return await prepare();
      } catch (error) {
        if (stopping.aborted) return null;
        if (!isWorthWaitingFor(error)) throw error;
        const isNew = explain(error, settings) !== reason;
        reason = explain(error, settings);
        waiting ??= await startWaitingServer({ host: settings.HOST, port: settings.PORT }, () =>
          `the service waits for its database. ${reason}`.replace(/\.$/, ''),
        );
        if (isNew || monotonicMs() - loggedAtMs > WAIT_MS.loggedEvery) {
          loggedAtMs = monotonicMs();
          log.warn({ reason, address: waiting.address }, 'waiting for the database');
        }
      }
      await sleepMs(waitMs, stopping).catch(() => {});
      if (stopping.aborted) return null;
    }
  } finally {
    await waiting?.close();
  }
}

function wantsDemo(settings: Settings): boolean {
  return settings.DEMO ?? (settings.DATABASE_URL === null && settings.MARKETPLACE === 'simulated');
}

/**
 * Progress of the demo catalogue: redrawn on a terminal, else a line per quarter. Takes seconds.
 */
function showFilling(): (done: number, total: number) => void {
  const isTerminal = process.stdout.isTTY === true;
  return (done, total) => {
    const line = `  ${progressBar(done / total)}  ${done} of ${total} demo products with three years of history`;
    if (isTerminal) process.stdout.write(`\r\x1b[K${line}${done === total ? '\n' : ''}`);
    else if ((done * 4) % total === 0) process.stdout.write(`${line}\n`);
  };
}

/** Prints the addresses and the demo credentials to the terminal, at every log level. */
function announce(
  app: App,
  facts: {
    address: string;
    demo: Demo | null;
    settings: Settings;
    clusterElsewhere: string | null;
  },
): void {
  const lines = [''];
  const summary = settingsSummary();
  if (summary !== '') lines.push(`  settings   ${summary}`);
  if (facts.clusterElsewhere !== null) lines.push(`  database   ${facts.clusterElsewhere}`);
  if (app.clock.speed > 1) lines.push(`  time lapse ${app.clock.speed} seconds per second`);
  lines.push(`  Oversight  ${app.allowedOrigins.publicUrl}`);
  lines.push(`  API page   ${app.allowedOrigins.publicUrl}/docs`);
  if (facts.demo !== null) {
    lines.push(
      '',
      '  Demo account created. Its password and key are shown only once:',
      `  e-mail     ${facts.demo.email}`,
      `  password   ${facts.demo.password}`,
      `  API key    ${facts.demo.apiKey}`,
      '',
      `  curl -H "x-api-key: ${facts.demo.apiKey}" "${facts.address}/retailer/product/details?retailer_product_code=${facts.demo.productCode}"`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

/** Explains an error in one line for the terminal. */
export function explain(error: unknown, settings: Settings | null): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${settings?.PORT} on ${settings?.HOST} is in use. Stop the program that uses it, or set another PORT.`;
    case 'EACCES':
      return `This user may not listen on port ${settings?.PORT}. Set PORT to a number above 1023.`;
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return `HOST is "${settings?.HOST}", which is not an address of this machine.`;
    default:
  }
  return withoutSecrets(error instanceof Error ? error.message : String(error));
}
