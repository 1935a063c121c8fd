// Deletes expired rows in small parts: one statement for ten million rows timed out every day.
import { plainArray } from './array-parameter.ts';
import { type Database, inLanes, type Statement, statement } from './database.ts';
import { rotationOf } from './lane-groups.ts';

const deletions = new Map<string, Statement>();

/** Named, so that a round that finds nothing plans nothing. */
function deletionOf(table: string, key: readonly string[], column: string): Statement {
  const existing = deletions.get(table);
  if (existing !== undefined) return existing;
  const columns = ['lane', ...key];
  const made = statement(
    `delete-old-${table}`,
    `delete from ${table} s
      using (select ${columns.map((name) => `o.${name}`).join(', ')}
               from unnest($3::smallint[]) as lanes(lane)
              cross join lateral (
                select r.* from ${table} r where r.lane = lanes.lane and r.${column} < $1
                   and ${inLanes('r.lane', '$3')}
                 order by r.${column} limit $2) o
              limit $2) old
      where ${columns.map((name) => `s.${name} = old.${name}`).join(' and ')}
        and ${inLanes('s.lane', '$3')}
      returning 1`,
  );
  deletions.set(table, made);
  return made;
}

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
  const deletion = deletionOf(table, key, column);
  const rows = await rotationOf(db, `delete-old-${table}`)(input.limit, ({ lanes, limit }) =>
    db.query(deletion, [input.below, limit, plainArray(lanes)]),
  );
  return rows.length;
}
