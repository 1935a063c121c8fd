// Entry point of the service: reads settings, starts the parts of its role, stops them in reverse
// order.
import { readSettings, type Settings } from './config.ts';
import { bounds } from './foundation/bounds.ts';
import { createLog, flushLog, type Log } from './foundation/log.ts';
import { childIdentity, openParentLink } from './parent-link.ts';
import { ChildEnded } from './run-processes.ts';
import { startParent } from './start-parent.ts';
import { type Started, startProcess } from './start-process.ts';
import { explain } from './wait-for-database.ts';

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
    // A child that did not start has printed why.
    if (!(error instanceof ChildEnded)) process.stderr.write(`${explain(error, settings)}\n`);
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
  const context = { started, stopping: stopping.signal };
  const identity = childIdentity();
  if (identity !== null) {
    const link = openParentLink();
    link.onParentLost(() => void end(1));
    starting = startProcess(settings, log, { ...context, parent: { link, ...identity } });
  } else {
    starting = (settings.PROCESSES > 1 ? startParent : startProcess)(settings, log, context);
  }
  starting.catch(fail);
}

run();
