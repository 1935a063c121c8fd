// Charged days of tracked products: the credits charged for each, until it is settled for good and
// becomes part of a paid span.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Database,
  inLanes,
  type Statement,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { fromEachGroup, readAllGroups } from '../database/lane-groups.ts';

export type DayKey = { accountId: string; code: string; day: number };

export const dayKey = ({ accountId, code, day }: DayKey) => `${accountId} ${code} ${day}`;

const keyArrays = (keys: readonly DayKey[]) => [
  plainArray(keys.map((key) => lane(key.accountId))),
  plainArray(keys.map((key) => key.accountId)),
  plainArray(keys.map((key) => key.code)),
  plainArray(keys.map((key) => key.day)),
];

/**
 * The settlement of a day: `open` until it is judged, `final` for good, `aside` in the quarantine.
 * A day that is retried from the quarantine keeps its verdict (`toKeep`, `toRefund`): the counts it
 * was judged by may be deleted.
 */
const SETTLEMENT = { open: 0, final: 1, aside: 2, toKeep: 3, toRefund: 4 } as const;

export type ChargedDay = { creditsCharged: number; isReturned: boolean; isFinal: boolean };

/** Selects those of some days that were charged. */
const selectDays = (clause: string) =>
  `select d.account_id, d.retailer_product_code, d.day, d.credits_charged, d.is_returned,
          d.settlement
     from unnest($1::smallint[], $2::uuid[], $3::text[], $4::integer[])
            as n(lane, account_id, code, day)
     join tracked_days d
       on d.lane = n.lane and d.account_id = n.account_id
      and d.retailer_product_code = n.code and d.day = n.day and ${inLanes('d.lane', '$1')}
      ${clause}`;
const READ_DAYS = statement('read-tracked-days', selectDays(''));
const LOCK_DAYS = statement('lock-tracked-days', selectDays('for no key update of d'));

/** What was charged for some days, by `dayKey`. The accounts' balances are locked. */
export const readDays = (tx: Transaction, keys: readonly DayKey[]) =>
  queryDays(tx, READ_DAYS, keys);

/** The same, with the days locked: nobody else settles them until the transaction ends. */
export const lockDays = (tx: Transaction, keys: readonly DayKey[]) =>
  queryDays(tx, LOCK_DAYS, keys);

async function queryDays(
  tx: Transaction,
  select: Statement,
  keys: readonly DayKey[],
): Promise<Map<string, ChargedDay>> {
  const rows = await tx.query<{
    account_id: string;
    retailer_product_code: string;
    day: number;
    credits_charged: number;
    is_returned: boolean;
    settlement: number;
  }>(select, keyArrays(keys));
  return new Map(
    rows.map((row) => [
      dayKey({ accountId: row.account_id, code: row.retailer_product_code, day: row.day }),
      {
        creditsCharged: row.credits_charged,
        isReturned: row.is_returned,
        isFinal: row.settlement === SETTLEMENT.final,
      },
    ]),
  );
}

/** Stores what was charged; a stored amount only grows. */
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

/** Does not change days that are final. */
const SETTLE = statement(
  'settle-tracked-days',
  `update tracked_days d
      set settlement = $6::smallint, is_returned = d.is_returned or n.is_returned
     from unnest($1::smallint[], $2::uuid[], $3::text[], $4::integer[], $5::boolean[])
            as n(lane, account_id, code, day, is_returned)
    where d.lane = n.lane and d.account_id = n.account_id and d.retailer_product_code = n.code
      and d.day = n.day and d.settlement <> ${SETTLEMENT.final}
      and ${inLanes('d.lane', '$1')}`,
);

/** Marks days as kept or refunded for good: they are neither refunded nor charged again. */
export async function markSettled(
  tx: Transaction,
  days: readonly (DayKey & { isRefunded: boolean })[],
): Promise<void> {
  if (days.length === 0) return;
  await tx.query(SETTLE, [
    ...keyArrays(days),
    plainArray(days.map(({ isRefunded }) => String(isRefunded))),
    SETTLEMENT.final,
  ]);
}

/** Takes a day out of settlement, or puts it back with its verdict. */
export async function setSettlement(
  tx: Transaction,
  key: DayKey,
  to: 'aside' | 'toKeep' | 'toRefund',
): Promise<void> {
  await tx.query(SETTLE, [...keyArrays([key]), plainArray(['false']), SETTLEMENT[to]]);
}

/** Not "exists", and ordered: otherwise PostgreSQL may read the open days of all lanes. */
const LIST_OPEN_LANES = statement(
  'list-open-lanes',
  `select lanes.lane::integer as lane from unnest($2::smallint[]) as lanes(lane)
    cross join lateral (select d.lane from tracked_days d
                         where d.lane = lanes.lane and d.day <= $1
                           and ${inLanes('d.lane', '$2')}
                           and d.settlement <> ${SETTLEMENT.final}
                           and d.settlement <> ${SETTLEMENT.aside}
                         order by d.day limit 1) as open`,
);

/** The lanes with unsettled days up to a day, inclusive, of the shards that can be reached. */
export async function listOpenLanes(
  db: Database,
  { upToDay }: { upToDay: number },
): Promise<number[]> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read<{ lane: number }>(LIST_OPEN_LANES, [upToDay, plainArray(lanes)]),
  );
  return rows.map((row) => row.lane);
}

/** Unsettled days of a lane, in key order. */
const LIST_OPEN = statement(
  'list-open-days',
  `select account_id, retailer_product_code, day, settlement from tracked_days
    where lane = $1 and day <= $2
      and settlement <> ${SETTLEMENT.final} and settlement <> ${SETTLEMENT.aside}
      and (day, account_id, retailer_product_code) > ($3, $4::uuid, $5)
    order by day, account_id, retailer_product_code limit $6`,
);

/** `isKept` is null for a day that is not judged yet. */
export type OpenDay = DayKey & { isKept: boolean | null };

const FIRST_KEY: DayKey = { accountId: '00000000-0000-0000-0000-000000000000', code: '', day: -1 };

export async function listOpenDays(
  db: Database,
  input: { lane: number; upToDay: number; after: DayKey | undefined; limit: number },
): Promise<OpenDay[]> {
  const { day, accountId, code } = input.after ?? FIRST_KEY;
  const values = [input.lane, input.upToDay, day, accountId, code, input.limit];
  const rows = await db.read<{
    account_id: string;
    retailer_product_code: string;
    day: number;
    settlement: number;
  }>(LIST_OPEN, values);
  return rows.map((row) => ({
    accountId: row.account_id,
    code: row.retailer_product_code,
    day: row.day,
    isKept: row.settlement === SETTLEMENT.open ? null : row.settlement === SETTLEMENT.toKeep,
  }));
}

const FIRST_OPEN = statement(
  'first-open-day',
  `select min(first.day) as day
     from unnest($1::smallint[]) as lanes(lane)
    cross join lateral (select d.day from tracked_days d
                         where d.lane = lanes.lane and d.settlement <> ${SETTLEMENT.final}
                           and d.settlement = ${SETTLEMENT.open} and ${inLanes('d.lane', '$1')}
                         order by d.day limit 1) first`,
);

/** The first day that is not judged yet; null when there is none. Needs all shards. */
export async function firstOpenDay(db: Database): Promise<number | null> {
  const rows = await readAllGroups(db, (lanes) =>
    db.read<{ day: number | null }>(FIRST_OPEN, [plainArray(lanes)]),
  );
  const days = rows.flatMap(({ day }) => (day === null ? [] : [day]));
  return days.length === 0 ? null : Math.min(...days);
}

export const TRACKED_DAYS_TABLE = 'tracked_days';

/** Whether a day has rows that are not final. Needs all shards. */
export async function hasUnsettled(db: Database, day: number): Promise<boolean> {
  const rows = await readAllGroups(db, (lanes) =>
    db.read(
      `select 1 from tracked_days d where d.day = $1 and d.settlement <> ${SETTLEMENT.final}
          and ${inLanes('d.lane', '$2')} limit 1`,
      [day, plainArray(lanes)],
    ),
  );
  return rows.length > 0;
}

/** Refuses to drop a day that was charged again meanwhile. It reads all shards at once. */
export async function refuseUnsettled(tx: Transaction, day: number): Promise<void> {
  const text = `select 1 from tracked_days where day = $1 and settlement <> 1 limit 1`;
  if ((await tx.query(text, [day])).length > 0) throw new Error(`day ${day} is not settled`);
}

/** Ordered for the same reason as the open lanes. */
const LIST_DAY_LANES = statement(
  'list-day-lanes',
  `select lanes.lane::integer as lane from unnest($2::smallint[]) as lanes(lane)
    cross join lateral (select from tracked_days d
                         where d.lane = lanes.lane and d.day = $1
                           and ${inLanes('d.lane', '$2')}
                         order by d.account_id limit 1) as charged`,
);

/** The lanes that have rows of a day. Needs all shards. */
export async function listLanesOfDay(db: Database, day: number): Promise<number[]> {
  const rows = await readAllGroups(db, (lanes) =>
    db.read<{ lane: number }>(LIST_DAY_LANES, [day, plainArray(lanes)]),
  );
  return rows.map((row) => row.lane);
}

/** Some days of a lane, in key order. */
const LIST_DAY = statement(
  'list-final-days',
  `select account_id, retailer_product_code, credits_charged from tracked_days
    where lane = $1 and day = $2 and (account_id, retailer_product_code) > ($3::uuid, $4)
    order by account_id, retailer_product_code limit $5`,
);

export async function listFinalDays(
  db: Database,
  input: { lane: number; day: number; after: DayKey | undefined; limit: number },
): Promise<(DayKey & { creditsCharged: number })[]> {
  const { accountId, code } = input.after ?? FIRST_KEY;
  const rows = await db.read<{
    account_id: string;
    retailer_product_code: string;
    credits_charged: number;
  }>(LIST_DAY, [input.lane, input.day, accountId, code, input.limit]);
  return rows.map((row) => ({
    accountId: row.account_id,
    code: row.retailer_product_code,
    day: input.day,
    creditsCharged: row.credits_charged,
  }));
}

const HAS_FINAL_REST = statement(
  'has-final-rest',
  `select from unnest($2::smallint[]) as lanes(lane)
    cross join lateral (select from tracked_days_rest d
                         where d.lane = lanes.lane and d.day <= $1
                           and d.settlement = ${SETTLEMENT.final} and ${inLanes('d.lane', '$2')}
                         order by d.day limit 1) as final
    limit 1`,
);

/** Whether lanes have settled days without a partition: seldom, so most rounds end here. */
export async function hasFinalRest(
  db: Database,
  { lanes, upToDay }: { lanes: readonly number[]; upToDay: number },
): Promise<boolean> {
  return (await db.read(HAS_FINAL_REST, [upToDay, plainArray(lanes)])).length > 0;
}

const TAKE_FINAL = statement(
  'take-final-days',
  `with final as materialized (
     select o.lane, o.account_id, o.retailer_product_code, o.day
       from unnest($3::smallint[]) as lanes(lane)
      cross join lateral (
        select d.lane, d.account_id, d.retailer_product_code, d.day from tracked_days_rest d
         where d.lane = lanes.lane and d.day <= $1 and d.settlement = ${SETTLEMENT.final}
           and ${inLanes('d.lane', '$3')}
         order by d.day limit $2) o
      limit $2),
   locked as materialized (
     select d.lane, d.account_id, d.retailer_product_code, d.day
       from final join tracked_days_rest d on d.lane = final.lane
        and d.account_id = final.account_id
        and d.retailer_product_code = final.retailer_product_code and d.day = final.day
        and ${inLanes('d.lane', '$3')}
        for update of d skip locked)
   delete from tracked_days_rest d using locked
    where d.lane = locked.lane and d.account_id = locked.account_id
      and d.retailer_product_code = locked.retailer_product_code and d.day = locked.day
      and ${inLanes('d.lane', '$3')}
    returning d.account_id, d.retailer_product_code, d.day, d.credits_charged`,
);

/**
 * Deletes and returns some settled days up to a day, inclusive, to be stored as spans: those
 * without a partition of their own. Skips locked days.
 */
export async function takeFinalDays(
  tx: Transaction,
  input: { lanes: readonly number[]; upToDay: number; limit: number },
): Promise<(DayKey & { creditsCharged: number })[]> {
  const rows = await tx.query<{
    account_id: string;
    retailer_product_code: string;
    day: number;
    credits_charged: number;
  }>(TAKE_FINAL, [input.upToDay, input.limit, plainArray(input.lanes)]);
  return rows.map((row) => ({
    accountId: row.account_id,
    code: row.retailer_product_code,
    day: row.day,
    creditsCharged: row.credits_charged,
  }));
}

/** The days of an account's products that still have rows of their own. */
const READ_RECENT = statement(
  'read-recent-days',
  `select paid.*
     from unnest($3::text[]) as n(code)
    -- "offset 0" keeps the loop over the codes: an account may have a hundred thousand others.
    cross join lateral (select d.retailer_product_code, d.day, d.credits_charged
                          from tracked_days d
                         where d.lane = $1 and d.account_id = $2
                           and d.retailer_product_code = n.code and d.day >= $4 offset 0) as paid`,
);

export async function readRecentDays(
  db: Database,
  input: { accountId: string; codes: readonly string[]; fromDay: number },
): Promise<{ code: string; day: number; creditsCharged: number }[]> {
  const { accountId, codes, fromDay } = input;
  const rows = await db.read<{
    retailer_product_code: string;
    day: number;
    credits_charged: number;
  }>(READ_RECENT, [lane(accountId), accountId, plainArray(codes), fromDay]);
  return rows.map((row) => ({
    code: row.retailer_product_code,
    day: row.day,
    creditsCharged: row.credits_charged,
  }));
}
