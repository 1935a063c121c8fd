// What commands share that listen until they are stopped.
import { Problem } from '../foundation/problem.ts';

/** Resolves when somebody asks the command to stop. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve());
    }
  });
}

/** Why an address cannot be listened on, and what to do about it. */
export function cannotListen(error: NodeJS.ErrnoException, where: string): Problem {
  return new Problem('address_not_available', whyNot(error, where));
}

function whyNot(error: NodeJS.ErrnoException, where: string): string {
  if (error.code === 'EADDRINUSE') {
    return `${where} is in use: stop what listens there, or name another --port.`;
  }
  if (error.code === 'EACCES') {
    return `${where} may not be listened on by this user: name a --port above 1023.`;
  }
  return `${where} cannot be listened on: ${error.message}.`;
}
