// Monthly partitions: created ahead of need, dropped as a whole.
import { isoTime } from '../foundation/clock.ts';
import type { Connection, Database, Transaction } from './database.ts';

/** The first instant of the UTC month that holds this one, moved by whole months. */
export function monthStartMs(ms: number, addMonths = 0): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + addMonths, 1);
}

function partitionName(table: string, startMs: number): string {
  return `${table}_${isoTime(startMs).slice(0, 7).replace('-', '_')}`;
}

/** Creates the missing partitions for the months from one instant to another. */
export async function ensureMonthPartitions(
  db: Database,
  table: string,
  range: { fromMs: number; toMs: number },
): Promise<void> {
  for (
    let start = monthStartMs(range.fromMs);
    start <= range.toMs;
    start = monthStartMs(start, 1)
  ) {
    const name = partitionName(table, start);
    if (await hasPartition(db, name)) continue;
    const bounds = `from ('${isoTime(start)}') to ('${isoTime(monthStartMs(start, 1))}')`;
    await db.transaction(async (tx) => {
      // Two processes may be here at once; the second finds the table and attaches nothing.
      await tx.query('select pg_advisory_xact_lock(hashtext($1))', [name]);
      if (await hasPartition(tx, name)) return;
      // Created apart and attached: this does not block readers and writers of the parent, which
      // CREATE TABLE … PARTITION OF does.
      await tx.query(`create table ${name} (like ${table} including all)`);
      await tx.query(`alter table ${table} attach partition ${name} for values ${bounds}`);
    });
  }
}

/**
 * Reads the catalog: to_regclass may use the session's cache, which can miss what another session
 * has just committed.
 */
async function hasPartition(db: Connection, name: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from pg_class c join pg_inherits i on i.inhrelid = c.oid
      where c.relname = $1 and c.relnamespace = current_schema()::regnamespace`,
    [name],
  );
  return rows.length > 0;
}

/**
 * Drops the partitions of months that ended before an instant. `rescue` moves rows that must be
 * kept; it runs in the same transaction, while the partition is locked against writes.
 */
export async function dropMonthPartitions(
  db: Database,
  table: string,
  { beforeMs, rescue }: { beforeMs: number; rescue?: (tx: Transaction) => Promise<void> },
): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass order by 1`,
    [table],
  );
  const beforeName = partitionName(table, monthStartMs(beforeMs));
  const old = rows.map(({ name }) => name).filter((name) => name < beforeName);
  for (const name of old) {
    await db.transaction(async (tx) => {
      // Do not block requests: a partition that is in use is dropped the next time.
      await tx.query(`set local lock_timeout = '2s'`);
      await tx.query(`lock table ${name} in access exclusive mode`);
      await rescue?.(tx);
      await tx.query(`drop table ${name}`);
    });
  }
  return old;
}

/** Creates tables' partitions before rows need them, even if the clock jumps. */
export type PartitionKeeper = { ready(nowMs: number): Promise<void> | undefined };

export function createPartitionKeeper(db: Database, ...tables: readonly string[]): PartitionKeeper {
  let readyMonth = Number.NaN;
  let preparing: Promise<void> | undefined;
  const prepare = async (nowMs: number) => {
    try {
      // One month back for entries dated at a period's start, two ahead for other processes.
      const range = { fromMs: monthStartMs(nowMs, -1), toMs: monthStartMs(nowMs, 2) };
      for (const table of tables) await ensureMonthPartitions(db, table, range);
      readyMonth = monthStartMs(nowMs);
    } finally {
      preparing = undefined;
    }
  };
  return {
    ready(nowMs) {
      if (monthStartMs(nowMs) === readyMonth) return undefined;
      preparing ??= prepare(nowMs);
      return preparing;
    },
  };
}
