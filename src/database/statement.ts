// SQL statements, and the connections that run them.
import type { LaneGroups } from './lane-groups.ts';

/** A named statement is prepared once per connection. */
export type Statement = {
  readonly name: string;
  readonly text: string;
  /** The text without its lane conditions, for one server. */
  readonly textOnOneServer: string;
  /** Reads a lot or for long; outside a transaction it goes to the heavy pool. */
  readonly isHeavy?: boolean;
};

export function statement(name: string, text: string): Statement {
  return { name, text, textOnOneServer: withoutLaneConditions(text) };
}

/**
 * A read whose size or duration a customer decides: ranges of history, lists, exports. Marked at
 * its definition, so that no caller can choose the wrong pool.
 */
export function heavyStatement(name: string, text: string): Statement {
  return { ...statement(name, text), isHeavy: true };
}

/**
 * The condition that keeps a statement on one shard: every alias of a lane table has one, or
 * `lane = $n`. One server needs none, and leaves it out: with it, a join on (lane, key) sorts the
 * array for every row, and reading 100 products took 1.8 ms instead of 0.5.
 */
export function inLanes(column: string, parameter: `$${number}`): string {
  return `${column} = any(${parameter}::smallint[]) ${LANE_CONDITION_MARK}`;
}

const LANE_CONDITION_MARK = '/* one shard */';
const LANE_CONDITION = /[\w.]+ = any\((\$\d+)::smallint\[\]\) \/\* one shard \*\//g;

/** A parameter must stay in the text: PostgreSQL refuses to guess the type of an unused one. */
export function withoutLaneConditions(text: string): string {
  if (!text.includes(LANE_CONDITION_MARK)) return text;
  const rest = text.replace(LANE_CONDITION, '');
  return text.replace(LANE_CONDITION, (_, parameter: string) =>
    new RegExp(`\\${parameter}(?!\\d)`).test(rest)
      ? 'true'
      : `${parameter}::smallint[] is not null`,
  );
}

export type Connection = {
  /** Absent in a transaction, whose lanes lie together. */
  readonly groups?: LaneGroups;
  query<Row>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
};

/** A connection inside BEGIN … COMMIT. Functions take one as a parameter, never open it. */
export type Transaction = Connection & { readonly inTransaction: true };
