// When each product is due, claimed in batches under a lease by any number of workers.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { LANES, lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';

export type Due = {
  code: string;
  /** The slot, or the time of the next try after a failure. */
  dueAt: number;
  intervalSeconds: number;
  failures: number;
  missing: number;
};

type DueRow = {
  retailer_product_code: string;
  due_at: number;
  interval_seconds: number;
  failures: number;
  missing: number;
};

const fromRow = (row: DueRow): Due => ({
  code: row.retailer_product_code,
  dueAt: row.due_at,
  intervalSeconds: row.interval_seconds,
  failures: row.failures,
  missing: row.missing,
});

/** A worker that says nothing for this long has lost its products to the others. */
export const LEASE_MS = 45_000;

/**
 * Claims what is due and nobody works on, the latest first as far as lanes tell: of each lane only a few are
 * looked at, so that a long backlog is not locked as a whole. The leases' time is real time.
 */
const claimText = (isTracked: boolean) =>
  `with due as materialized (
     select found.lane, found.retailer_product_code
       from unnest($1::smallint[]) as asked(lane)
      cross join lateral (
        select s.lane, s.retailer_product_code, s.due_at
          from collection_schedule s
         where s.lane = asked.lane and ${isTracked ? '' : 'not '}s.is_tracked and s.due_at <= $2
           and (s.lease_until is null or s.lease_until < $3)
         order by s.due_at
         limit $6
           for update skip locked) as found
      order by found.due_at
      limit $7)
   update collection_schedule s
      set lease_until = $4, lease_token = $5
     from due
    where s.lane = due.lane and s.retailer_product_code = due.retailer_product_code
   returning s.retailer_product_code, s.due_at, s.interval_seconds, s.failures, s.missing`;

const CLAIM_TRACKED = statement('claim-tracked', claimText(true));
const CLAIM_UNTRACKED = statement('claim-untracked', claimText(false));

const ALL_LANES = plainArray(Array.from({ length: LANES }, (_, number) => number));

export async function claimDue(
  db: Connection,
  input: { now: number; realNow: number; token: string; limit: number; isTracked: boolean },
): Promise<Due[]> {
  const rows = await db.query<DueRow>(input.isTracked ? CLAIM_TRACKED : CLAIM_UNTRACKED, [
    ALL_LANES,
    isoTime(input.now),
    isoTime(input.realNow),
    isoTime(input.realNow + LEASE_MS),
    input.token,
    Math.max(4, Math.ceil((4 * input.limit) / LANES)),
    input.limit,
  ]);
  return rows.map(fromRow).sort((a, b) => a.dueAt - b.dueAt);
}

const codeArrays = (codes: readonly string[]) => [plainArray(codes.map(lane)), plainArray(codes)];

/** Which of these products are still leased under this token; locked after their products' rows. */
const LOCK_LEASED = statement(
  'lock-leased',
  `select s.retailer_product_code
     from unnest($1::smallint[], $2::text[]) as asked(lane, code)
     join collection_schedule s on s.lane = asked.lane and s.retailer_product_code = asked.code
    where s.lease_token = $3
    order by s.lane, s.retailer_product_code
      for no key update of s`,
);

export async function lockLeased(
  tx: Transaction,
  codes: readonly string[],
  token: string,
): Promise<Set<string>> {
  const rows = await tx.query<{ retailer_product_code: string }>(LOCK_LEASED, [
    ...codeArrays(codes),
    token,
  ]);
  return new Set(rows.map((row) => row.retailer_product_code));
}

export type Served = { code: string; at: number; nextDueAt: number };

/**
 * Moves products that were seen on to their next slot. What is not due yet stays where it is: a look that came
 * early belongs to the slot before.
 */
const MOVE_ON = statement(
  'move-on',
  `update collection_schedule s
      set due_at = n.next_due_at, failures = 0, missing = 0, last_collected_at = n.at,
          lease_until = null, lease_token = null
     from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
            as n(lane, code, at, next_due_at)
    where s.lane = n.lane and s.retailer_product_code = n.code
      -- After a failure the time is that of the next try, and its slot lies before it.
      and (s.due_at <= n.at or s.failures > 0 or s.missing > 0)`,
);

export async function moveOn(tx: Transaction, served: readonly Served[]): Promise<void> {
  if (served.length === 0) return;
  await tx.query(MOVE_ON, [
    ...codeArrays(served.map(({ code }) => code)),
    plainArray(served.map(({ at }) => isoTime(at))),
    plainArray(served.map(({ nextDueAt }) => isoTime(nextDueAt))),
  ]);
}

/** The intervals of products that are on the schedule, tracked or not. */
export async function readIntervals(
  tx: Transaction,
  codes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ retailer_product_code: string; interval_seconds: number }>(
    `select s.retailer_product_code, s.interval_seconds
       from unnest($1::smallint[], $2::text[]) as asked(lane, code)
       join collection_schedule s on s.lane = asked.lane and s.retailer_product_code = asked.code
      order by s.lane, s.retailer_product_code
        for no key update of s`,
    codeArrays(codes),
  );
  return new Map(rows.map((row) => [row.retailer_product_code, row.interval_seconds]));
}

export type Postponed = {
  code: string;
  dueAt: number;
  failures: number;
  missing: number;
};

/** After a look that failed: the next try, without losing the place in the schedule. */
export async function postpone(
  db: Connection,
  token: string,
  postponed: readonly Postponed[],
): Promise<void> {
  if (postponed.length === 0) return;
  await db.query(
    `update collection_schedule s
        set due_at = n.due_at, failures = n.failures, missing = n.missing,
            lease_until = null, lease_token = null
       from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::smallint[], $5::smallint[])
              as n(lane, code, due_at, failures, missing)
      where s.lane = n.lane and s.retailer_product_code = n.code and s.lease_token = $6`,
    [
      ...codeArrays(postponed.map(({ code }) => code)),
      plainArray(postponed.map(({ dueAt }) => isoTime(dueAt))),
      plainArray(postponed.map(({ failures }) => failures)),
      plainArray(postponed.map(({ missing }) => missing)),
      token,
    ],
  );
}

/** Gives products back to whoever asks next: the worker stops. */
export async function releaseLeases(
  db: Connection,
  token: string,
  codes: readonly string[],
): Promise<void> {
  if (codes.length === 0) return;
  await db.query(
    `update collection_schedule s set lease_until = null, lease_token = null
       from unnest($1::smallint[], $2::text[]) as asked(lane, code)
      where s.lane = asked.lane and s.retailer_product_code = asked.code and s.lease_token = $3`,
    [...codeArrays(codes), token],
  );
}

/** When a product on the schedule was collected last; undefined when it is not on it. Locked. */
export async function lockPlace(
  tx: Transaction,
  code: string,
): Promise<{ lastCollectedAt: number | null; isTracked: boolean } | undefined> {
  const [row] = await tx.query<{ last_collected_at: number | null; is_tracked: boolean }>(
    `select last_collected_at, is_tracked from collection_schedule
      where lane = $1 and retailer_product_code = $2 for no key update`,
    [lane(code), code],
  );
  return row && { lastCollectedAt: row.last_collected_at, isTracked: row.is_tracked };
}

/** Puts a product on the schedule or changes its place; `dueAt` null: nobody pays for it now. */
export async function placeOnSchedule(
  tx: Transaction,
  place: {
    code: string;
    intervalSeconds: number;
    dueAt: number | null;
    lastCollectedAt: number | null;
    isTracked: boolean;
  },
): Promise<void> {
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  await tx.query(
    `insert into collection_schedule (lane, retailer_product_code, interval_seconds, due_at,
                                      last_collected_at, is_tracked)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (lane, retailer_product_code) do update
        set interval_seconds = excluded.interval_seconds, due_at = excluded.due_at,
            last_collected_at = excluded.last_collected_at, is_tracked = excluded.is_tracked`,
    [
      lane(place.code),
      place.code,
      place.intervalSeconds,
      time(place.dueAt),
      time(place.lastCollectedAt),
      place.isTracked,
    ],
  );
}

export async function takeOffSchedule(tx: Transaction, code: string): Promise<void> {
  await tx.query(
    `delete from collection_schedule
      where lane = $1 and retailer_product_code = $2 and is_tracked`,
    [lane(code), code],
  );
}

export type Standing = {
  lastCollectedAt: number | null;
  nextDueAt: number | null;
  consecutiveFailures: number;
};

export async function readStanding(db: Database, code: string): Promise<Standing | undefined> {
  const [row] = await db.read<{
    last_collected_at: number | null;
    due_at: number | null;
    failures: number;
  }>(
    `select last_collected_at, due_at, failures from collection_schedule
      where lane = $1 and retailer_product_code = $2`,
    [lane(code), code],
  );
  return (
    row && {
      lastCollectedAt: row.last_collected_at,
      nextDueAt: row.due_at,
      consecutiveFailures: row.failures,
    }
  );
}
