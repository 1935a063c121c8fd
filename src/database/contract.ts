// Which programs can run on a database after a migration. One that expands only adds, so that every
// older program goes on. One that contracts removes what an earlier migration made unused, and
// names that migration in a line of its own, such as `-- Contracts 0092: nobody reads these views`.

const CONTRACTS = /^-- Contracts (\d{4}): \S/m;

/** The migration that a program must know to run on the database afterwards; 0 for none. */
export function neededVersion(text: string): number {
  return Number(CONTRACTS.exec(text)?.[1] ?? 0);
}
