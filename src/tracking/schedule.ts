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
import {
  type Due,
  type DueRow,
  dueFromRow,
  type ScheduleEntry,
  type ScheduleRow,
  scheduleEntryFromRow,
} from './schedule-row.ts';

/** A worker that says nothing for this long has lost its products to the others. */
export const LEASE_MS = 45_000;

/**
 * Claims what is due and nobody works on, the latest first as far as lanes tell: of each lane only a few are
 * looked at, so that a long backlog is not locked as a whole. The leases' time is real time.
 */
const dueText = (isTracked: boolean, lock: string) =>
  `select found.lane, found.retailer_product_code
     from unnest($1::smallint[]) as asked(lane)
    cross join lateral (
      select s.lane, s.retailer_product_code, s.due_at
        from collection_schedule s
       where s.lane = asked.lane and ${isTracked ? '' : 'not '}s.is_tracked and s.due_at <= $2
         and (s.lease_until is null or s.lease_until < $3)
         and s.retailer_product_code <> all ($6::text[])
         and ($7::text[] is null or s.retailer_product_code = any ($7::text[]))
       order by s.due_at
       limit $4
         ${lock}) as found
    order by found.due_at
    limit $5`;

const claimText = (isTracked: boolean) =>
  `with due as materialized (${dueText(isTracked, 'for update skip locked')})
   update collection_schedule s
      set lease_until = $8, lease_token = $9
     from due
    where s.lane = due.lane and s.retailer_product_code = due.retailer_product_code
   returning s.retailer_product_code, s.due_at, s.interval_seconds, s.failures, s.held_since`;

const CLAIM_TRACKED = statement('claim-tracked', claimText(true));
const CLAIM_UNTRACKED = statement('claim-untracked', claimText(false));

const ALL_LANES = plainArray(Array.from({ length: LANES }, (_, number) => number));

export type ClaimInput = {
  now: number;
  realNow: number;
  token: string;
  limit: number;
  isTracked: boolean;
  /** Products that are passed over. */
  exceptCodes?: readonly string[];
  /** No other products than these. */
  onlyCodes?: readonly string[];
};

const dueArguments = (input: ClaimInput) => [
  input.onlyCodes === undefined ? ALL_LANES : plainArray([...new Set(input.onlyCodes.map(lane))]),
  isoTime(input.now),
  isoTime(input.realNow),
  Math.max(4, Math.ceil((4 * input.limit) / LANES)),
  input.limit,
  plainArray(input.exceptCodes ?? []),
  input.onlyCodes === undefined ? null : plainArray(input.onlyCodes),
];

export async function claimDue(db: Connection, input: ClaimInput): Promise<Due[]> {
  const rows = await db.query<DueRow>(input.isTracked ? CLAIM_TRACKED : CLAIM_UNTRACKED, [
    ...dueArguments(input),
    isoTime(input.realNow + LEASE_MS),
    input.token,
  ]);
  return rows.map(dueFromRow).sort((a, b) => a.dueAt - b.dueAt);
}

/** What `claimDue` would claim, without claiming it. */
export async function listDueCodes(db: Database, input: ClaimInput): Promise<string[]> {
  return codesOf(await db.read(dueText(input.isTracked, ''), dueArguments(input)));
}

const codesOf = (rows: readonly Pick<DueRow, 'retailer_product_code'>[]) =>
  rows.map((row) => row.retailer_product_code);

const codeArrays = (codes: readonly string[]) => [plainArray(codes.map(lane)), plainArray(codes)];

/** The places of those products that have one; locked after their products' rows. */
const LOCK_SCHEDULE_ENTRIES = statement(
  'lock-places',
  `select s.retailer_product_code, s.interval_seconds, s.lease_token, s.last_collected_at
     from unnest($1::smallint[], $2::text[]) as asked(lane, code)
     join collection_schedule s on s.lane = asked.lane and s.retailer_product_code = asked.code
    order by s.lane, s.retailer_product_code
      for no key update of s`,
);

export async function lockScheduleEntries(
  tx: Transaction,
  codes: readonly string[],
): Promise<Map<string, ScheduleEntry>> {
  const rows = await tx.query<ScheduleRow>(LOCK_SCHEDULE_ENTRIES, codeArrays(codes));
  return new Map(rows.map((row) => [row.retailer_product_code, scheduleEntryFromRow(row)]));
}

export type Served = { code: string; at: number; nextDueAt: number };

/**
 * Moves products that were seen on to their next slot. What is not due yet stays where it is: a look that came
 * early belongs to the slot before.
 */
const MOVE_ON = statement(
  'move-on',
  `update collection_schedule s
      set due_at = n.next_due_at, failures = 0, held_since = null, last_collected_at = n.at,
          lease_until = null, lease_token = null
     from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
            as n(lane, code, at, next_due_at)
    where s.lane = n.lane and s.retailer_product_code = n.code
      -- Where nobody pays there is no next slot.
      and s.due_at is not null
      -- After a failure the time is that of the next try, and its slot lies before it.
      and (s.due_at <= n.at or s.failures > 0 or s.held_since is not null)`,
);

export async function moveOn(tx: Transaction, served: readonly Served[]): Promise<void> {
  if (served.length === 0) return;
  await tx.query(MOVE_ON, [
    ...codeArrays(served.map(({ code }) => code)),
    plainArray(served.map(({ at }) => isoTime(at))),
    plainArray(served.map(({ nextDueAt }) => isoTime(nextDueAt))),
  ]);
}

export type Postponed = {
  code: string;
  dueAt: number;
  failures: number;
  heldSince: number | null;
};

/** Places by lanes and codes, locked in key order as `lockPlaces` does: in any other, two could wait for each other. */
const LOCKED = `
  select s.lane, s.retailer_product_code as code
    from unnest($1::smallint[], $2::text[]) as asked(lane, code)
    join collection_schedule s on s.lane = asked.lane and s.retailer_product_code = asked.code
   order by s.lane, s.retailer_product_code
     for no key update of s`;

/** After a look that failed: the next try, without losing the place in the schedule. */
export async function postpone(
  db: Connection,
  token: string,
  postponed: readonly Postponed[],
): Promise<void> {
  if (postponed.length === 0) return;
  await db.query(
    `with locked as materialized (${LOCKED})
     update collection_schedule s
        set due_at = n.due_at, failures = n.failures, held_since = n.held_since,
            lease_until = null, lease_token = null
       from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::smallint[], $5::timestamptz[])
              as n(lane, code, due_at, failures, held_since)
       join locked using (lane, code)
      where s.lane = n.lane and s.retailer_product_code = n.code and s.lease_token = $6`,
    [
      ...codeArrays(postponed.map(({ code }) => code)),
      plainArray(postponed.map(({ dueAt }) => isoTime(dueAt))),
      plainArray(postponed.map(({ failures }) => failures)),
      plainArray(
        postponed.map(({ heldSince }) => (heldSince === null ? 'NULL' : isoTime(heldSince))),
      ),
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
    `with locked as materialized (${LOCKED})
     update collection_schedule s set lease_until = null, lease_token = null
       from locked
      where s.lane = locked.lane and s.retailer_product_code = locked.code and s.lease_token = $3`,
    [...codeArrays(codes), token],
  );
}

/** When a product on the schedule was collected last; undefined when it is not on it. Locked. */
export async function lockScheduleEntry(
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

/** A place to be locked: without one, two who begin to watch a product at once do not know of each other. */
export async function ensureScheduleEntry(
  tx: Transaction,
  code: string,
  intervalSeconds: number,
): Promise<void> {
  await tx.query(
    `insert into collection_schedule (lane, retailer_product_code, interval_seconds, is_tracked)
     values ($1, $2, $3, true) on conflict do nothing`,
    [lane(code), code, intervalSeconds],
  );
}

/** Puts a product on the schedule or changes its place; `dueAt` null: nobody pays for it now. */
export async function scheduleProduct(
  tx: Transaction,
  scheduleEntry: {
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
      lane(scheduleEntry.code),
      scheduleEntry.code,
      scheduleEntry.intervalSeconds,
      time(scheduleEntry.dueAt),
      time(scheduleEntry.lastCollectedAt),
      scheduleEntry.isTracked,
    ],
  );
}

/** Changes the places of tracked products, locked before. */
export async function changeScheduleEntries(
  tx: Transaction,
  scheduleEntries: readonly { code: string; intervalSeconds: number; dueAt: number | null }[],
): Promise<void> {
  if (scheduleEntries.length === 0) return;
  await tx.query(
    `update collection_schedule s
        set interval_seconds = n.interval_seconds, due_at = n.due_at, is_tracked = true
       from unnest($1::smallint[], $2::text[], $3::integer[], $4::timestamptz[])
              as n(lane, code, interval_seconds, due_at)
      where s.lane = n.lane and s.retailer_product_code = n.code`,
    [
      ...codeArrays(scheduleEntries.map(({ code }) => code)),
      plainArray(scheduleEntries.map(({ intervalSeconds }) => intervalSeconds)),
      plainArray(scheduleEntries.map(({ dueAt }) => (dueAt === null ? 'NULL' : isoTime(dueAt)))),
    ],
  );
}

/** Puts products on the schedule for their sales. Those whose place is the same keep it; tracked ones are not touched. */
export async function scheduleUntracked(
  db: Connection,
  scheduleEntries: readonly { code: string; intervalSeconds: number; dueAt: number }[],
): Promise<void> {
  await db.query(
    `insert into collection_schedule as s (lane, retailer_product_code, interval_seconds, due_at,
                                           is_tracked)
     select lane, code, interval_seconds, due_at, false
       from unnest($1::smallint[], $2::text[], $3::integer[], $4::timestamptz[])
              as n(lane, code, interval_seconds, due_at)
      order by lane, code
     on conflict (lane, retailer_product_code) do update
        set interval_seconds = excluded.interval_seconds, due_at = excluded.due_at
      where not s.is_tracked and s.interval_seconds <> excluded.interval_seconds`,
    [
      ...codeArrays(scheduleEntries.map(({ code }) => code)),
      plainArray(scheduleEntries.map(({ intervalSeconds }) => intervalSeconds)),
      plainArray(scheduleEntries.map(({ dueAt }) => isoTime(dueAt))),
    ],
  );
}

export async function listUntracked(db: Database): Promise<string[]> {
  return codesOf(
    await db.read('select retailer_product_code from collection_schedule where not is_tracked'),
  );
}

export async function deleteUntracked(db: Connection, codes: readonly string[]): Promise<void> {
  await db.query(
    `delete from collection_schedule s
      using unnest($1::smallint[], $2::text[]) as n(lane, code)
      where s.lane = n.lane and s.retailer_product_code = n.code and not s.is_tracked`,
    codeArrays(codes),
  );
}

export async function takeOffSchedule(tx: Transaction, code: string): Promise<void> {
  await tx.query(
    `delete from collection_schedule
      where lane = $1 and retailer_product_code = $2 and is_tracked`,
    [lane(code), code],
  );
}

export type EndpointHealth = {
  lastCollectedAt: number | null;
  nextDueAt: number | null;
  consecutiveFailures: number;
};

export async function readHealth(db: Database, code: string): Promise<EndpointHealth | undefined> {
  return (await readHealthOf(db, [code])).get(code);
}

export async function readHealthOf(
  db: Database,
  codes: readonly string[],
): Promise<Map<string, EndpointHealth>> {
  const rows = await db.read<{
    retailer_product_code: string;
    last_collected_at: number | null;
    due_at: number | null;
    failures: number;
  }>(
    `select s.retailer_product_code, s.last_collected_at, s.due_at, s.failures
       from unnest($1::smallint[], $2::text[]) as asked(lane, code)
       join collection_schedule s on s.lane = asked.lane and s.retailer_product_code = asked.code`,
    codeArrays(codes),
  );
  return new Map(
    rows.map((row) => [
      row.retailer_product_code,
      {
        lastCollectedAt: row.last_collected_at,
        nextDueAt: row.due_at,
        consecutiveFailures: row.failures,
      },
    ]),
  );
}

/** Some products of the schedule, the same number of each lane at most: as many as chance would choose. */
const SAMPLE = statement(
  'sample-schedule',
  `select found.retailer_product_code
     from unnest($1::smallint[]) as asked(lane)
    cross join lateral (
      select s.retailer_product_code from collection_schedule s
       where s.lane = asked.lane and s.due_at is not null
       order by s.retailer_product_code limit $2) as found`,
);

export async function sampleSchedule(db: Database, perLane: number): Promise<string[]> {
  return codesOf(await db.read(SAMPLE, [ALL_LANES, perLane]));
}

/** Lets products be due earlier than their slot, unless somebody works on them or they are tried again anyway. */
export async function bringForward(
  db: Connection,
  { codes, dueAt }: { codes: readonly string[]; dueAt: number },
): Promise<void> {
  await db.query(
    `with locked as materialized (${LOCKED})
     update collection_schedule s set due_at = $3
       from locked
      where s.lane = locked.lane and s.retailer_product_code = locked.code and s.due_at > $3
        and s.lease_token is null and s.failures = 0 and s.held_since is null`,
    [...codeArrays(codes), isoTime(dueAt)],
  );
}
