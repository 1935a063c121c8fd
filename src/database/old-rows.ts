// Deletes expired rows in small parts: one statement for ten million rows timed out every day.
import type { Connection } from './database.ts';

/**
 * Deletes some rows whose column is below a value, oldest of each lane first; returns the count.
 */
export async function deleteSomeOld(
  db: Connection,
  input: {
    table: string;
    /** The primary key without the lane. */
    key: readonly string[];
    /** Needs an index on the lane and this column. */
    column: string;
    below: number | string;
    limit: number;
  },
): Promise<number> {
  const { table, key, column } = input;
  const columns = ['lane', ...key];
  const rows = await db.query(
    `delete from ${table} s
      using (select ${columns.map((name) => `o.${name}`).join(', ')}
               from generate_series(0, 255) as lanes(lane)
              cross join lateral (
                select r.* from ${table} r where r.lane = lanes.lane and r.${column} < $1
                 order by r.${column} limit $2) o
              limit $2) old
      where ${columns.map((name) => `s.${name} = old.${name}`).join(' and ')}
      returning 1`,
    [input.below, input.limit],
  );
  return rows.length;
}
