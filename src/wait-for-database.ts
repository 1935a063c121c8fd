// Waits at a start for a database that cannot be reached yet, and explains in one line why a start
// fails.
import { type ListenOn, startWaitingServer, type WaitingServer } from './api/waiting-server.ts';
import type { Settings } from './config.ts';
import { monotonicMs, sleepMs } from './foundation/clock.ts';
import type { Log } from './foundation/log.ts';
import { withoutSecrets } from './foundation/secret.ts';
import { isWorthWaitingFor } from './store.ts';

export type WaitContext = {
  settings: Settings;
  log: Log;
  stopping: AbortSignal;
  /** Where to serve health checks; null for a process that does not listen. */
  listenOn: ListenOn | null;
};

const WAIT_MS = { first: 250, max: 5_000, loggedEvery: 4_000 };

/**
 * Runs `prepare`, and repeats it until the database can be reached. Serves health checks and logs
 * the reason meanwhile. Returns null when stopped; throws errors that waiting cannot resolve.
 */
export async function whenDatabaseIsThere<T>(
  { settings, log, stopping, listenOn }: WaitContext,
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
        if (listenOn !== null) {
          waiting ??= await startWaitingServer(listenOn, () =>
            `the service waits for its database. ${reason}`.replace(/\.$/, ''),
          );
        }
        if (isNew || monotonicMs() - loggedAtMs > WAIT_MS.loggedEvery) {
          loggedAtMs = monotonicMs();
          log.warn({ reason, address: waiting?.address }, 'waiting for the database');
        }
      }
      await sleepMs(waitMs, stopping).catch(() => {});
      if (stopping.aborted) return null;
    }
  } finally {
    await waiting?.close();
  }
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
