// Days that were charged for tracked products: the most that was charged for each.
import { plainArray } from '../database/array-parameter.ts';
import { type Database, statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';

export type DayKey = { accountId: string; code: string; day: number };

export const dayKey = ({ accountId, code, day }: DayKey) => `${accountId} ${code} ${day}`;

const keyArrays = (keys: readonly DayKey[]) => [
  plainArray(keys.map((key) => lane(key.accountId))),
  plainArray(keys.map((key) => key.accountId)),
  plainArray(keys.map((key) => key.code)),
  plainArray(keys.map((key) => key.day)),
];

export type ChargedDay = { creditsCharged: number; isReturned: boolean };

/** Some days, where they were charged. */
const READ_DAYS = statement(
  'read-tracked-days',
  `select d.account_id, d.retailer_product_code, d.day, d.credits_charged, d.is_returned
     from unnest($1::smallint[], $2::uuid[], $3::text[], $4::integer[])
            as asked(lane, account_id, code, day)
     join tracked_days d
       on d.lane = asked.lane and d.account_id = asked.account_id
      and d.retailer_product_code = asked.code and d.day = asked.day`,
);

/** What was charged for some days, by dayKey. The accounts' balances are locked by then. */
export async function readDays(
  tx: Transaction,
  keys: readonly DayKey[],
): Promise<Map<string, ChargedDay>> {
  const rows = await tx.query<{
    account_id: string;
    retailer_product_code: string;
    day: number;
    credits_charged: number;
    is_returned: boolean;
  }>(READ_DAYS, keyArrays(keys));
  return new Map(
    rows.map((row) => [
      dayKey({ accountId: row.account_id, code: row.retailer_product_code, day: row.day }),
      { creditsCharged: row.credits_charged, isReturned: row.is_returned },
    ]),
  );
}

/** Notes what was charged; what is there already only grows. */
const WRITE_DAYS = statement(
  'write-tracked-days',
  `insert into tracked_days as d (lane, account_id, retailer_product_code, day, credits_charged)
   select * from unnest($1::smallint[], $2::uuid[], $3::text[], $4::integer[], $5::smallint[])
   on conflict (lane, account_id, retailer_product_code, day)
   do update set credits_charged = greatest(d.credits_charged, excluded.credits_charged)`,
);

export async function writeDays(
  tx: Transaction,
  days: readonly (DayKey & { creditsCharged: number })[],
): Promise<void> {
  if (days.length === 0) return;
  await tx.query(WRITE_DAYS, [
    ...keyArrays(days),
    plainArray(days.map((day) => day.creditsCharged)),
  ]);
}

/** Notes that a day was given back, so that it is neither given back nor charged again. */
export async function markReturned(tx: Transaction, key: DayKey): Promise<void> {
  await tx.query(
    `update tracked_days set is_returned = true
      where lane = $1 and account_id = $2 and retailer_product_code = $3 and day = $4`,
    [lane(key.accountId), key.accountId, key.code, key.day],
  );
}

/** Days that are over and settled are not needed any more. */
export async function dropDaysBefore(db: Database, day: number): Promise<void> {
  await db.query('delete from tracked_days where day < $1', [day]);
}
