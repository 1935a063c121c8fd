// Deletes expired rows in small parts: one statement for ten million rows timed out every day.
import { plainArray } from './array-parameter.ts';
import { type Database, inLanes } from './database.ts';
import { rotationOf } from './lane-groups.ts';

/**
 * Deletes some rows whose column is below a value, oldest of each lane first; returns the count.
 */
export async function deleteSomeOld(
  db: Database,
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
  const text = `delete from ${table} s
      using (select ${columns.map((name) => `o.${name}`).join(', ')}
               from unnest($3::smallint[]) as lanes(lane)
              cross join lateral (
                select r.* from ${table} r where r.lane = lanes.lane and r.${column} < $1
                   and ${inLanes('r.lane', '$3')}
                 order by r.${column} limit $2) o
              limit $2) old
      where ${columns.map((name) => `s.${name} = old.${name}`).join(' and ')}
        and ${inLanes('s.lane', '$3')}
      returning 1`;
  const rows = await rotationOf(db, `delete-old-${table}`)(input.limit, ({ lanes, limit }) =>
    db.query(text, [input.below, limit, plainArray(lanes)]),
  );
  return rows.length;
}
