// Counts of served slots that a watcher's row no longer holds, kept until their day is settled.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { inGroups } from '../database/lane-groups.ts';
import { deleteSomeOld } from '../database/old-rows.ts';
import { fromWatcherKeys, type WatcherKey, watcherKeyArrays } from './watcher-key.ts';

export type ServedDay = {
  code: string;
  accountId: string;
  trackedId: string;
  day: number;
  slotsServed: number;
};

/** A count only grows: a slot that is served again after a reversal counts once. */
const SAVE = statement(
  'save-served-days',
  `insert into served_days as s (lane, retailer_product_code, account_id, tracked_id, day,
                                 slots_served)
   select n.lane, n.code, n.account_id, n.tracked_id, n.day, max(n.slots_served)
     from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::integer[], $6::smallint[])
            as n(lane, code, account_id, tracked_id, day, slots_served)
    group by 1, 2, 3, 4, 5
   on conflict (lane, retailer_product_code, account_id, day, tracked_id)
   do update set slots_served = greatest(s.slots_served, excluded.slots_served)`,
);

export async function saveServedDays(tx: Transaction, days: readonly ServedDay[]): Promise<void> {
  if (days.length === 0) return;
  await tx.query(SAVE, [
    ...watcherKeyArrays(days),
    plainArray(days.map(({ trackedId }) => trackedId)),
    plainArray(days.map(({ day }) => day)),
    plainArray(days.map(({ slotsServed }) => slotsServed)),
  ]);
}

type StoredRow = {
  retailer_product_code: string;
  account_id: string;
  tracked_id: string;
  day: number;
  slots_served: number;
};

const READ = statement(
  'read-served-days',
  `select s.retailer_product_code, s.account_id, s.tracked_id, s.day, s.slots_served
   ${fromWatcherKeys('served_days')}`,
);

export async function readServedDays(
  db: Connection,
  keys: readonly WatcherKey[],
): Promise<ServedDay[]> {
  const parts = await inGroups(db, keys, {
    keyOf: ({ code }) => code,
    work: (part) => db.query<StoredRow>(READ, watcherKeyArrays(part)),
  });
  return parts.flat().map((row) => ({
    code: row.retailer_product_code,
    accountId: row.account_id,
    trackedId: row.tracked_id,
    day: row.day,
    slotsServed: row.slots_served,
  }));
}

/** Deletes some counts up to a settled day, inclusive; returns how many. */
export const dropServedDays = (
  db: Database,
  { upToDay, limit }: { upToDay: number; limit: number },
) =>
  deleteSomeOld(db, {
    table: 'served_days',
    key: ['retailer_product_code', 'account_id', 'day', 'tracked_id'],
    column: 'day',
    below: upToDay + 1,
    limit,
  });
