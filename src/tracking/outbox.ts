// The outbox (table `outgoing`): work that observations leave for accounts. Rows are written in the
// transaction that records the observation and deleted once the account's side has committed.
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { fromEachGroup } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import { type OutboxKind, type OutboxRow, readBefore, writeBefore } from './outbox-row.ts';
import type { Tier } from './tier.ts';

type StoredRow = {
  kind: OutboxKind;
  retailer_product_code: string;
  account_id: string;
  tracked_id: string;
  tier: Tier;
  day: number;
  at: number;
  body: unknown;
  before: string | null;
};

const fromRow = (row: StoredRow): OutboxRow => ({
  kind: row.kind,
  code: row.retailer_product_code,
  accountId: row.account_id,
  trackedId: row.tracked_id,
  tier: row.tier,
  day: row.day,
  atMs: row.at,
  body: row.body,
  before: readBefore(row.before),
});

const INSERT = statement(
  'insert-outbox-rows',
  `insert into outgoing (lane, retailer_product_code, account_id, tracked_id, tier, day, at, kind,
                         body, before)
   select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::smallint[],
                        $6::integer[], $7::timestamptz[], $8::text[], $9::text[]::jsonb[],
                        $10::text[])
   on conflict do nothing`,
);

export async function insertOutboxRows(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(INSERT, [
    plainArray(rows.map(({ code }) => lane(code))),
    plainArray(rows.map(({ code }) => code)),
    plainArray(rows.map(({ accountId }) => accountId)),
    plainArray(rows.map(({ trackedId }) => trackedId)),
    plainArray(rows.map(({ tier }) => tier)),
    plainArray(rows.map(({ day }) => day)),
    plainArray(rows.map(({ atMs }) => isoTime(atMs))),
    plainArray(rows.map(({ kind }) => kind)),
    textArray(rows.map(({ body }) => (body === null ? null : JSON.stringify(body)))),
    textArray(rows.map(({ before }) => writeBefore(before))),
  ]);
}

/**
 * Locks some rows until the transaction ends and skips rows that another process has locked.
 * Each watcher's rows come in order of time: its first day that cannot be paid decides about
 * everything served after it.
 */
const CLAIM = statement(
  'claim-outbox-rows',
  `select kind, retailer_product_code, account_id, tracked_id, tier, day, at, body, before
     from outgoing o where o.account_id <> all ($2::uuid[]) and ${inLanes('o.lane', '$3')}
    order by lane, retailer_product_code, account_id, at
    limit $1 for update skip locked`,
);

export async function claimOutboxRows(
  tx: Transaction,
  input: { lanes: readonly number[]; limit: number; exceptAccounts: readonly string[] },
): Promise<OutboxRow[]> {
  const { lanes, limit, exceptAccounts } = input;
  const values = [limit, plainArray(exceptAccounts), plainArray(lanes)];
  const rows = await tx.query<StoredRow>(CLAIM, values);
  return rows.map(fromRow);
}

/** Whether a group has rows. Cheaper than a claim, where many groups are empty. */
const HAS_ROWS = statement(
  'has-outbox-rows',
  `select from outgoing o where ${inLanes('o.lane', '$1')} limit 1`,
);

export async function hasOutboxRows(db: Connection, lanes: readonly number[]): Promise<boolean> {
  return (await db.query(HAS_ROWS, [plainArray(lanes)])).length > 0;
}

/**
 * Deletes what watchers were served from a slot on: it was reversed, so it is neither charged nor
 * notified. Rows that another process has locked stay: waiting for them here, with the schedule
 * entries locked, could deadlock.
 */
export async function deleteOutboxRowsSince(
  tx: Transaction,
  slots: readonly Pick<OutboxRow, 'code' | 'accountId' | 'trackedId' | 'atMs'>[],
): Promise<void> {
  if (slots.length === 0) return;
  await tx.query(
    `with reversed as materialized (
       select o.lane, o.retailer_product_code, o.account_id, o.kind, o.at
         from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::timestamptz[])
                as slot(lane, code, account_id, tracked_id, at)
         join outgoing o
           on o.lane = slot.lane and o.retailer_product_code = slot.code
          and o.account_id = slot.account_id and o.tracked_id = slot.tracked_id
          and o.kind <> 'return' and o.at >= slot.at and ${inLanes('o.lane', '$1')}
          for update of o skip locked)
     delete from outgoing o using reversed r
      where o.lane = r.lane and o.retailer_product_code = r.retailer_product_code
        and o.account_id = r.account_id and o.kind = r.kind and o.at = r.at
        and ${inLanes('o.lane', '$1')}`,
    [
      plainArray(slots.map(({ code }) => lane(code))),
      plainArray(slots.map(({ code }) => code)),
      plainArray(slots.map(({ accountId }) => accountId)),
      plainArray(slots.map(({ trackedId }) => trackedId)),
      plainArray(slots.map(({ atMs }) => isoTime(atMs))),
    ],
  );
}

/** Deletes rows whose account's side has committed. */
export async function deleteOutboxRows(db: Connection, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.query(
    `delete from outgoing o
      using unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[])
              as n(lane, code, account_id, kind, at)
      where o.lane = n.lane and o.retailer_product_code = n.code
        and o.account_id = n.account_id and o.kind = n.kind and o.at = n.at
        and ${inLanes('o.lane', '$1')}`,
    [
      plainArray(rows.map(({ code }) => lane(code))),
      plainArray(rows.map(({ code }) => code)),
      plainArray(rows.map(({ accountId }) => accountId)),
      plainArray(rows.map(({ kind }) => kind)),
      plainArray(rows.map(({ atMs }) => isoTime(atMs))),
    ],
  );
}

/** The oldest of at most `rowsMax` rows per group of lanes: a long queue has no index by age. */
export async function oldestOutboxAtMs(db: Database, rowsMax: number): Promise<number | null> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read<{ at: number | null }>(
      `select min(sample.at) as at
         from (select o.at from outgoing o where ${inLanes('o.lane', '$2')} limit $1) sample`,
      [rowsMax, plainArray(lanes)],
    ),
  );
  const instants = rows.flatMap(({ at }) => (at === null ? [] : [at]));
  return instants.length === 0 ? null : Math.min(...instants);
}
