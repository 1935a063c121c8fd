// Leases by name, for loops that one process runs and for the signs of life of all processes. They
// expire by the database's clock, so that no machine's clock matters.
import type { Database } from '../database/database.ts';

export type LeaseRequest = { names: readonly string[]; holder: string; lifetimeMs: number };

/** Acquires free leases and renews held ones; returns the names that the holder has now. */
export async function renewLeases(db: Database, request: LeaseRequest): Promise<string[]> {
  // In order of name, so that two processes never wait for each other.
  const rows = await db.query<{ name: string }>(
    `insert into leases (name, holder, expires_at)
     select n.name, $2, clock_timestamp() + $3::bigint * interval '1 millisecond'
       from unnest($1::text[]) as n(name) order by 1
     on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where leases.holder = excluded.holder or leases.expires_at < clock_timestamp()
     returning name`,
    [request.names.toSorted(), request.holder, request.lifetimeMs],
  );
  return rows.map(({ name }) => name);
}

/** Releases all leases of a holder, so that others need not wait for their expiry. */
export async function releaseLeasesOf(db: Database, holder: string): Promise<void> {
  await db.query('delete from leases where holder = $1', [holder]);
}

/** The names that start with this and have not expired, in order. */
export async function listLeases(db: Database, start: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select name from leases
      where starts_with(name, $1) and expires_at >= clock_timestamp() order by name`,
    [start],
  );
  return rows.map(({ name }) => name);
}

/** Deletes leases of processes that did not stop orderly. */
export async function dropExpiredLeases(db: Database): Promise<void> {
  await db.query('delete from leases where expires_at < clock_timestamp()');
}

/**
 * Whether processes of the service use the database: those with a lease, and those of earlier
 * releases, which have none but name themselves to the server.
 */
export async function isServiceRunning(db: Database): Promise<boolean> {
  const sessions = await db.query(
    `select from pg_stat_activity
      where datname = current_database() and application_name = 'oversight' limit 1`,
  );
  return sessions.length > 0 || (await listLeases(db, 'process/')).length > 0;
}
