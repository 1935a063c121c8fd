// Partitions of months and days: created ahead of need, dropped as a whole.
import { isoTime } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import { type Connection, type Database, statement, type Transaction } from './database.ts';

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
    const bounds = `from ('${isoTime(start)}') to ('${isoTime(monthStartMs(start, 1))}')`;
    await ensurePartition(db, { table, name: partitionName(table, start), bounds });
  }
}

type NewPartition = { table: string; name: string; bounds: string; lockWaitMs?: number };

async function ensurePartition(
  db: Database,
  { table, name, bounds, lockWaitMs }: NewPartition,
): Promise<void> {
  if (await hasPartition(db, name)) return;
  await db.transaction(async (tx) => {
    // Two processes may be here at once; the second finds the table and attaches nothing.
    await tx.query('select pg_advisory_xact_lock(hashtext($1))', [name]);
    if (await hasPartition(tx, name)) return;
    // Created apart and attached: this does not block readers and writers of the parent, which
    // CREATE TABLE … PARTITION OF does.
    await tx.query(`create table ${name} (like ${table} including all)`);
    if (lockWaitMs !== undefined) await tx.query(`set local lock_timeout = ${lockWaitMs}`);
    await tx.query(`alter table ${table} attach partition ${name} for values ${bounds}`);
  });
}

/** Requests wait behind a change of partitions, which gives up and is repeated the next time. */
const LOCK_WAIT_MS = 2_000;

const dayName = (table: string, day: number) =>
  `${table}_${isoTime(day * DAY_MS)
    .slice(0, 10)
    .replaceAll('-', '_')}`;

/** Creates the partition of a day since 1970. The default partition must hold no row of it. */
export const ensureDayPartition = (db: Database, table: string, day: number) =>
  ensurePartition(db, {
    table,
    name: dayName(table, day),
    bounds: `from (${day}) to (${day + 1})`,
    // The default partition is locked while it is searched for rows of the day.
    lockWaitMs: LOCK_WAIT_MS,
  });

/** Lists the days since 1970 that have a partition, in order. */
export async function listDayPartitions(db: Database, table: string): Promise<number[]> {
  const pattern = new RegExp(`^${table}_(\\d{4})_(\\d\\d)_(\\d\\d)$`);
  return (await listPartitions(db, table)).flatMap((name) => {
    const [, year, month, date] = pattern.exec(name) ?? [];
    return year === undefined ? [] : [Date.UTC(+year, Number(month) - 1, Number(date)) / DAY_MS];
  });
}

/** Drops the partition of a day, unless `check` throws while it is locked against writes. */
export const dropDayPartition = (
  db: Database,
  table: string,
  { day, check }: { day: number; check: (tx: Transaction) => Promise<void> },
) => dropPartition(db, dayName(table, day), check);

/**
 * Reads the catalog: to_regclass may use the session's cache, which can miss what another session
 * has just committed.
 */
const HAS_PARTITION = statement(
  'has-partition',
  `select 1 from pg_class c join pg_inherits i on i.inhrelid = c.oid
    where c.relname = $1 and c.relnamespace = current_schema()::regnamespace`,
);

async function hasPartition(db: Connection, name: string): Promise<boolean> {
  return (await db.query(HAS_PARTITION, [name])).length > 0;
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
  const beforeName = partitionName(table, monthStartMs(beforeMs));
  const old = (await listPartitions(db, table)).filter((name) => name < beforeName);
  for (const name of old) await dropPartition(db, name, rescue);
  return old;
}

const LIST_PARTITIONS = statement(
  'list-partitions',
  `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = $1::regclass order by 1`,
);

async function listPartitions(db: Database, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(LIST_PARTITIONS, [table]);
  return rows.map(({ name }) => name);
}

async function dropPartition(
  db: Database,
  name: string,
  check?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Do not block requests: a partition that is in use is dropped the next time.
    await tx.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    await tx.query(`lock table ${name} in access exclusive mode`);
    await check?.(tx);
    await tx.query(`drop table ${name}`);
  });
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
