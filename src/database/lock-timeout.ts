// Transactions that do not wait long for what another session keeps locked.
import type { Database } from './database.ts';

/** One for each database and time: others remember things by the database they were handed. */
const impatient = new WeakMap<Database, Map<number, Database>>();

/** The same database, whose transactions give up a lock after this long (55P03) instead of at the statement's end. */
export function withLockTimeout(db: Database, ms: number): Database {
  const made = impatient.get(db) ?? new Map<number, Database>();
  impatient.set(db, made);
  const found = made.get(ms);
  if (found !== undefined) return found;
  const own: Database = {
    ...db,
    transaction: (work, options) =>
      db.transaction(async (tx) => {
        await tx.query(`set local lock_timeout = ${Math.ceil(ms)}`);
        return work(tx);
      }, options),
  };
  made.set(ms, own);
  return own;
}
