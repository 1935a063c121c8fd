// Limits how long transactions wait for locks of other sessions.
import type { Database } from './database.ts';

/** One per database and timeout, because callers cache by database object. */
const limitedDatabases = new WeakMap<Database, Map<number, Database>>();

/** The same database, but its transactions stop waiting for a lock after `ms` (55P03). */
export function withLockTimeout(db: Database, ms: number): Database {
  const byTimeout = limitedDatabases.get(db) ?? new Map<number, Database>();
  limitedDatabases.set(db, byTimeout);
  const existing = byTimeout.get(ms);
  if (existing !== undefined) return existing;
  const limited: Database = {
    ...db,
    transaction: (work, options) =>
      db.transaction(work, { ...options, lockTimeoutMs: options?.lockTimeoutMs ?? ms }),
  };
  byTimeout.set(ms, limited);
  return limited;
}
