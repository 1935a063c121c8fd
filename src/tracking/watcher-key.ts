// The key of a watcher (product and account), as parameters of SQL statements for many at once.
import { plainArray } from '../database/array-parameter.ts';
import { inLanes } from '../database/database.ts';
import { lane } from '../database/families.ts';

export type WatcherKey = { code: string; accountId: string };

/** The first three parameters of a statement: lanes, codes and accounts. */
export const watcherKeyArrays = (keys: readonly WatcherKey[]) => [
  plainArray(keys.map(({ code }) => lane(code))),
  plainArray(keys.map(({ code }) => code)),
  plainArray(keys.map(({ accountId }) => accountId)),
];

/** Joins those parameters to a table under the alias `s`. */
export const fromWatcherKeys = (table: string) =>
  `from unnest($1::smallint[], $2::text[], $3::uuid[]) as n(lane, code, account_id)
   join ${table} s on s.lane = n.lane and s.retailer_product_code = n.code
    and s.account_id = n.account_id and ${inLanes('s.lane', '$1')}`;
