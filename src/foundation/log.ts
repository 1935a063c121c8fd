// Logs one JSON line per event to standard output. Headers and bodies are never logged, and text
// that has the form of our secrets is removed from every line.
import { type DestinationStream, type Logger, pino } from 'pino';
import { isoTime, realNowMs } from './clock.ts';
import { withoutSecrets } from './secret.ts';

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const nowhere: DestinationStream = { write: () => {} };
let standardOutput: DestinationStream | undefined;

/**
 * Buffers lines into larger writes; a timer and the stop flush the rest. One for the whole process,
 * because the timer writes four times a second for ever, also when nothing was logged.
 */
function destinationOf(level: string): DestinationStream {
  if (level === 'silent') return nowhere;
  const options = { dest: 1, sync: false, minLength: 8_192, periodicFlush: 250 };
  standardOutput ??= pino.destination(options);
  return standardOutput;
}

export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime(realNowMs())}"`,
      // Last check: removes a key that is in a line by mistake. Takes 0.4 µs for a usual line.
      hooks: { streamWrite: withoutSecrets },
    },
    destination ?? destinationOf(level),
  );
}

/** Waits until all lines are written, before the process ends. */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}
