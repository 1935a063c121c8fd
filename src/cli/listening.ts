// Shared by commands that listen on a port until they are stopped.
import { Problem } from '../foundation/problem.ts';

/** Resolves at SIGINT, SIGTERM or SIGHUP. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve());
    }
  });
}

/** Explains why listening failed and what to do. */
export function cannotListen(error: NodeJS.ErrnoException, where: string): Problem {
  return new Problem('address_not_available', whyNot(error, where));
}

function whyNot(error: NodeJS.ErrnoException, where: string): string {
  if (error.code === 'EADDRINUSE') {
    return `${where} is in use. Stop the program that uses it, or pass another --port.`;
  }
  if (error.code === 'EACCES') {
    return `This user may not listen on ${where}. Pass a --port above 1023.`;
  }
  return `Cannot listen on ${where}: ${error.message}.`;
}
