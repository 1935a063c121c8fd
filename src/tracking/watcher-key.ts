// How the records of settlement are addressed: by product and account, many at once.
import { plainArray } from '../database/array-parameter.ts';
import { lane } from '../database/families.ts';

export type WatcherKey = { code: string; accountId: string };

/** The first three parameters of a statement: lanes, codes, accounts. */
export const watcherKeyArrays = (keys: readonly WatcherKey[]) => [
  plainArray(keys.map(({ code }) => lane(code))),
  plainArray(keys.map(({ code }) => code)),
  plainArray(keys.map(({ accountId }) => accountId)),
];

/** Those parameters, joined to a table that a statement calls `s`. */
export const fromWatcherKeys = (table: string) =>
  `from unnest($1::smallint[], $2::text[], $3::uuid[]) as asked(lane, code, account_id)
   join ${table} s on s.lane = asked.lane and s.retailer_product_code = asked.code
    and s.account_id = asked.account_id`;
