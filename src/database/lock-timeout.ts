// Transactions that do not wait long for what another session keeps locked.
import type { Database } from './database.ts';

/** The same database, whose transactions give up a lock after this long (55P03) instead of at the statement's end. */
export function withLockTimeout(db: Database, ms: number): Database {
  return {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        await tx.query(`set local lock_timeout = ${Math.ceil(ms)}`);
        return work(tx);
      }),
  };
}
