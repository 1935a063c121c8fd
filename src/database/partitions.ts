// Monthly partitions of the tables that are kept by time: made ahead of need, dropped as a whole.
import { isoTime } from '../foundation/clock.ts';
import type { Database } from './database.ts';

/** The first instant of the UTC month that holds this one, moved by whole months. */
export function monthStartMs(ms: number, addMonths = 0): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + addMonths, 1);
}

function partitionName(table: string, startMs: number): string {
  return `${table}_${isoTime(startMs).slice(0, 7).replace('-', '_')}`;
}

/** Makes the partitions that hold the months from one instant to another, where they are missing. */
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
    const [found] = await db.read<{ found: boolean }>(
      'select to_regclass($1) is not null as found',
      [name],
    );
    if (found?.found) continue;
    const bounds = `from ('${isoTime(start)}') to ('${isoTime(monthStartMs(start, 1))}')`;
    await db.transaction(async (tx) => {
      // Two processes may be here at once; the second finds the table and attaches nothing.
      await tx.query('select pg_advisory_xact_lock(hashtext($1))', [name]);
      const [made] = await tx.query<{ found: boolean }>(
        'select to_regclass($1) is not null as found',
        [name],
      );
      if (made?.found) return;
      // Created apart and attached: this does not block readers and writers of the parent, which
      // CREATE TABLE … PARTITION OF does.
      await tx.query(`create table ${name} (like ${table} including all)`);
      await tx.query(`alter table ${table} attach partition ${name} for values ${bounds}`);
    });
  }
}

/** Sees to it that a table's partitions are there before rows need them, whatever the clock does. */
export type PartitionKeeper = { ready(nowMs: number): Promise<void> | undefined };

export function createPartitionKeeper(db: Database, table: string): PartitionKeeper {
  let readyMonth = Number.NaN;
  return {
    ready(nowMs) {
      const month = monthStartMs(nowMs);
      if (month === readyMonth) return undefined;
      // One month back for entries dated at the start of a period, two ahead for other processes.
      const range = { fromMs: monthStartMs(nowMs, -1), toMs: monthStartMs(nowMs, 2) };
      return ensureMonthPartitions(db, table, range).then(() => {
        readyMonth = month;
      });
    },
  };
}
