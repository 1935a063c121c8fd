// Logs: one JSON line per act on standard output. Headers and bodies are never logged, and whatever
// looks like one of our secrets is taken out of every line.
import { type DestinationStream, type Logger, pino } from 'pino';
import { isoTime, realNowMs } from './clock.ts';
import { withoutSecrets } from './secret.ts';

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime(realNowMs())}"`,
      // The last gate: a line that holds a key by mistake loses it here. 0.4 µs for a usual line.
      hooks: { streamWrite: withoutSecrets },
    },
    // Lines are gathered into larger writes; the flush timer and stopping empty what is left.
    destination ?? pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 250 }),
  );
}

/** Waits until what was logged is written, before the process ends. */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}
