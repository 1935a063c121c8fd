// Entry point of the service: reads settings, starts the parts of its role, stops them in reverse
// order.
import { resolve } from 'node:path';
import { missingProxyAdvice } from './accounts/proxy-trust.ts';
import { buildServer, closeServer } from './api/server.ts';
import { startWaitingServer, type WaitingServer } from './api/waiting-server.ts';
import { type App, buildApp } from './app.ts';
import { openFeeSchedule } from './catalog/open-fee-schedule.ts';
import { readSettings, type Settings, settingsSummary } from './config.ts';
import { journalFolder, openUnresolvedJournal } from './credits/unresolved-journal.ts';
import { serviceClock } from './database/time-lapse.ts';
import { type Demo, fillDemo } from './first-start.ts';
import { bounds } from './foundation/bounds.ts';
import { monotonicMs, sleepMs } from './foundation/clock.ts';
import { createLog, flushLog, type Log } from './foundation/log.ts';
import { createMetrics } from './foundation/metrics.ts';
import { progressBar } from './foundation/progress-bar.ts';
import { withoutSecrets } from './foundation/secret.ts';
import { startLoops } from './loops.ts';
import { portOf } from './outbound/target-address.ts';
import { openSource } from './sources/open-source.ts';
import { isWorthWaitingFor, openStore, prepareStore } from './store.ts';

/** Started parts, stopped from the last to the first. */
type Started = { name: string; stop: () => Promise<unknown> }[];

async function start(
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
  const source = openSource(settings, { clock, log, metrics });
  const app = buildApp({
    db: store.db,
    clock,
    log,
    source,
    metrics,
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
  const loops = startLoops(
    {
      ...app,
      // Loops must not take connections from requests.
      db: app.db.background,
      ledgerPartitions: app.ledgerPartitions,
      snapshotsPerMinute: settings.HIGH_VOLUME_LOOKS_PER_MINUTE,
    },
    { works: settings.ROLE !== 'api' },
  );
  started.push({ name: 'loops', stop: () => Promise.all(loops.map((loop) => loop.stop())) });
  notReady = null;
  const advice = missingProxyAdvice(settings);
  if (advice !== null && settings.ROLE !== 'worker')
    log.warn({ setting: 'TRUST_PROXY' }, advice.text);
  announce(app, { address, demo, settings, clusterElsewhere: store.clusterElsewhere });
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

async function stop(started: Started, log: Log): Promise<void> {
  const wasRunning = started.some((part) => part.name === 'server');
  for (const part of started.splice(0).reverse()) {
    try {
      await part.stop();
    } catch (error) {
      log.error({ part: part.name, reason: String(error) }, 'did not stop cleanly');
    }
  }
  if (wasRunning) log.info('stopped');
  await flushLog(log);
}

/** Explains an error in one line for the terminal. */
function explain(error: unknown, settings: Settings | null): string {
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

function run(): void {
  let settings: Settings | null = null;
  let log = createLog('info');
  const started: Started = [];
  let starting: Promise<void> = Promise.resolve();
  let ending: Promise<never> | null = null;
  const stopping = new AbortController();

  const end = (code: number): Promise<never> => {
    // A second signal is ignored: npm forwards the one that the terminal has already sent.
    ending ??= (async () => {
      stopping.abort();
      const deadline = setTimeout(() => process.exit(1), bounds.stopWithinMs - 500);
      deadline.unref();
      // Wait for a start in progress, so that everything it starts is stopped.
      await starting.catch(() => {});
      await stop(started, log);
      process.exit(code);
    })();
    return ending;
  };

  const fail = (error: unknown) => {
    process.stderr.write(`${explain(error, settings)}\n`);
    log.debug({ err: String((error as Error)?.stack ?? error) }, 'start failed');
    void end(1);
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end(0));
  }
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error.stack }, 'uncaught');
    fail(error);
  });
  try {
    settings = readSettings();
    log = createLog(settings.LOG_LEVEL);
  } catch (error) {
    fail(error);
    return;
  }
  starting = start(settings, log, { started, stopping: stopping.signal });
  starting.catch(fail);
}

run();
