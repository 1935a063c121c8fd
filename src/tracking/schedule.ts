// The collection schedule: when each product is due. Workers claim due products in batches, each
// under a lease.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { fromEachGroup, readInGroups } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import {
  type CollectionStatus,
  type Due,
  type DueRow,
  dueFromRow,
  type ScheduleEntry,
  type ScheduleRow,
  type StatusRow,
  scheduleEntryFromRow,
  statusFromRow,
} from './schedule-row.ts';

/** A lease that is not released expires after this, and other workers may claim its products. */
export const LEASE_MS = 45_000;

/** For alias `s` and the lanes of $1. */
const HERE = inLanes('s.lane', '$1');

/**
 * Selects due products without a lease, roughly in order of due time. Reads only a few rows of each
 * lane, so that a long backlog is not locked as a whole. Leases run in real time.
 */
const selectDue = (isTracked: boolean, lock: string) =>
  `select due.lane, due.retailer_product_code
     from unnest($1::smallint[]) as lanes(lane)
    cross join lateral (
      select s.lane, s.retailer_product_code, s.due_at
        from collection_schedule s
       where s.lane = lanes.lane and ${HERE}
         and ${isTracked ? '' : 'not '}s.is_tracked and s.due_at <= $2
         and (s.lease_until is null or s.lease_until < $3)
         and s.retailer_product_code <> all ($6::text[])
         and ($7::text[] is null or s.retailer_product_code = any ($7::text[]))
       order by s.due_at
       limit $4
         ${lock}) as due
    order by due.due_at
    limit $5`;

const updateDue = (isTracked: boolean) =>
  `with due as materialized (${selectDue(isTracked, 'for update skip locked')})
   update collection_schedule s
      set lease_until = $8, lease_token = $9
     from due
    where s.lane = due.lane and s.retailer_product_code = due.retailer_product_code
      and ${HERE}
   returning s.retailer_product_code, s.due_at, s.interval_seconds, s.failures, s.held_since`;

const CLAIM_TRACKED = statement('claim-tracked', updateDue(true));
const CLAIM_UNTRACKED = statement('claim-untracked', updateDue(false));
export type ClaimInput = {
  nowMs: number;
  realNowMs: number;
  token: string;
  limit: number;
  isTracked: boolean;
  /** The lanes of one group. */
  lanes: readonly number[];
  /** Skip these products. */
  exceptCodes?: readonly string[];
  /** Claim only these products. */
  onlyCodes?: readonly string[];
};

const dueArguments = (input: ClaimInput) => [
  plainArray(input.onlyCodes === undefined ? input.lanes : [...new Set(input.onlyCodes.map(lane))]),
  isoTime(input.nowMs),
  isoTime(input.realNowMs),
  Math.max(4, Math.ceil((4 * input.limit) / input.lanes.length)),
  input.limit,
  plainArray(input.exceptCodes ?? []),
  input.onlyCodes === undefined ? null : plainArray(input.onlyCodes),
];

export async function claimDue(db: Connection, input: ClaimInput): Promise<Due[]> {
  const rows = await db.query<DueRow>(input.isTracked ? CLAIM_TRACKED : CLAIM_UNTRACKED, [
    ...dueArguments(input),
    isoTime(input.realNowMs + LEASE_MS),
    input.token,
  ]);
  return rows.map(dueFromRow).sort((a, b) => a.dueAtMs - b.dueAtMs);
}

/** Lists what `claimDue` would claim. */
export async function listDueCodes(db: Database, input: ClaimInput): Promise<string[]> {
  return codesOf(await db.read(selectDue(input.isTracked, ''), dueArguments(input)));
}

type CodeRow = Pick<DueRow, 'retailer_product_code'>;
const codesOf = (rows: readonly CodeRow[]) => rows.map((row) => row.retailer_product_code);

const codeArrays = (codes: readonly string[]) => [plainArray(codes.map(lane)), plainArray(codes)];

/** Locks the entries of products that have one; the products' rows are locked before. */
const LOCK_SCHEDULE_ENTRIES = statement(
  'lock-schedule-entries',
  `select s.retailer_product_code, s.interval_seconds, s.lease_token, s.last_collected_at
     from unnest($1::smallint[], $2::text[]) as n(lane, code)
     join collection_schedule s on s.lane = n.lane and s.retailer_product_code = n.code
      and ${HERE}
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

export type SlotMove = {
  code: string;
  /** When the product was collected. */
  atMs: number;
  nextDueAtMs: number;
};

/**
 * Moves collected products to their next slot. A product that is not due yet stays: an early
 * observation belongs to the slot before.
 */
const MOVE_TO_NEXT_SLOT = statement(
  'move-to-next-slot',
  `update collection_schedule s
      set due_at = n.next_due_at, failures = 0, held_since = null, last_collected_at = n.at,
          lease_until = null, lease_token = null
     from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
            as n(lane, code, at, next_due_at)
    where s.lane = n.lane and s.retailer_product_code = n.code and ${HERE}
      -- An entry that nobody pays for has no next slot.
      and s.due_at is not null
      -- After a failure, due_at is the next attempt and the slot lies before it.
      and (s.due_at <= n.at or s.failures > 0 or s.held_since is not null)`,
);

export async function moveToNextSlot(tx: Transaction, moves: readonly SlotMove[]): Promise<void> {
  if (moves.length === 0) return;
  await tx.query(MOVE_TO_NEXT_SLOT, [
    ...codeArrays(moves.map(({ code }) => code)),
    plainArray(moves.map(({ atMs }) => isoTime(atMs))),
    plainArray(moves.map(({ nextDueAtMs }) => isoTime(nextDueAtMs))),
  ]);
}

export type Postponed = {
  code: string;
  dueAtMs: number;
  failures: number;
  firstHeldAtMs: number | null;
};

/** Locks entries in key order, as `lockScheduleEntries` does; any other order could deadlock. */
const LOCKED = `
  select s.lane, s.retailer_product_code as code
    from unnest($1::smallint[], $2::text[]) as n(lane, code)
    join collection_schedule s on s.lane = n.lane and s.retailer_product_code = n.code
     and ${HERE}
   order by s.lane, s.retailer_product_code
     for no key update of s`;

/** Schedules the next attempt after a failure. The product keeps its slots. */
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
      where s.lane = n.lane and s.retailer_product_code = n.code and s.lease_token = $6 and ${HERE}`,
    [
      ...codeArrays(postponed.map(({ code }) => code)),
      plainArray(postponed.map(({ dueAtMs }) => isoTime(dueAtMs))),
      plainArray(postponed.map(({ failures }) => failures)),
      times(postponed.map(({ firstHeldAtMs }) => firstHeldAtMs)),
      token,
    ],
  );
}

/** Releases leases when a worker stops, so that others can claim the products at once. */
export async function releaseLeases(
  db: Connection,
  token: string,
  codes: readonly string[],
): Promise<void> {
  await readInGroups(db, codes, (part) =>
    db.query(
      `with locked as materialized (${LOCKED})
       update collection_schedule s set lease_until = null, lease_token = null from locked
        where s.lane = locked.lane and s.retailer_product_code = locked.code
          and s.lease_token = $3 and ${HERE}`,
      [...codeArrays(part), token],
    ),
  );
}

/**
 * Creates entries to lock. Without them, two accounts that start to track a product at the same
 * time would not see each other.
 */
export async function ensureScheduleEntries(
  tx: Transaction,
  entries: readonly { code: string; intervalSeconds: number }[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(
    `insert into collection_schedule (lane, retailer_product_code, interval_seconds, is_tracked)
     select lane, code, interval_seconds, true
       from unnest($1::smallint[], $2::text[], $3::integer[]) as n(lane, code, interval_seconds)
      order by lane, code
     on conflict do nothing`,
    [
      ...codeArrays(entries.map(({ code }) => code)),
      plainArray(entries.map(({ intervalSeconds }) => intervalSeconds)),
    ],
  );
}

const times = (values: readonly (number | null)[]) =>
  plainArray(values.map((atMs) => (atMs === null ? 'NULL' : isoTime(atMs))));

/** Makes the entries of products tracked ones; `dueAtMs` null: nobody pays for it now. */
export async function scheduleProducts(
  tx: Transaction,
  entries: readonly {
    code: string;
    intervalSeconds: number;
    dueAtMs: number | null;
    lastCollectedAtMs: number | null;
  }[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(
    `insert into collection_schedule (lane, retailer_product_code, interval_seconds, due_at,
                                      last_collected_at, is_tracked)
     select lane, code, interval_seconds, due_at, last_collected_at, true
       from unnest($1::smallint[], $2::text[], $3::integer[], $4::timestamptz[], $5::timestamptz[])
              as n(lane, code, interval_seconds, due_at, last_collected_at)
      order by lane, code
     on conflict (lane, retailer_product_code) do update
        set interval_seconds = excluded.interval_seconds, due_at = excluded.due_at,
            last_collected_at = excluded.last_collected_at, is_tracked = true`,
    [
      ...codeArrays(entries.map(({ code }) => code)),
      plainArray(entries.map(({ intervalSeconds }) => intervalSeconds)),
      times(entries.map(({ dueAtMs }) => dueAtMs)),
      times(entries.map(({ lastCollectedAtMs }) => lastCollectedAtMs)),
    ],
  );
}

/** Updates the entries of tracked products; they are locked. */
export async function updateScheduleEntries(
  tx: Transaction,
  scheduleEntries: readonly { code: string; intervalSeconds: number; dueAtMs: number | null }[],
): Promise<void> {
  if (scheduleEntries.length === 0) return;
  await tx.query(
    `update collection_schedule s
        set interval_seconds = n.interval_seconds, due_at = n.due_at, is_tracked = true
       from unnest($1::smallint[], $2::text[], $3::integer[], $4::timestamptz[])
              as n(lane, code, interval_seconds, due_at)
      where s.lane = n.lane and s.retailer_product_code = n.code and ${HERE}`,
    [
      ...codeArrays(scheduleEntries.map(({ code }) => code)),
      plainArray(scheduleEntries.map(({ intervalSeconds }) => intervalSeconds)),
      times(scheduleEntries.map(({ dueAtMs }) => dueAtMs)),
    ],
  );
}

/**
 * Schedules untracked products for their sales. An entry whose interval is unchanged keeps its due
 * time; tracked products are not changed.
 */
export async function scheduleUntracked(
  db: Connection,
  scheduleEntries: readonly { code: string; intervalSeconds: number; dueAtMs: number }[],
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
      plainArray(scheduleEntries.map(({ dueAtMs }) => isoTime(dueAtMs))),
    ],
  );
}

export async function listUntracked(db: Database): Promise<string[]> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read<CodeRow>(
      `select s.retailer_product_code from collection_schedule s
        where not s.is_tracked and ${HERE}`,
      [plainArray(lanes)],
    ),
  );
  return codesOf(rows);
}

export async function deleteUntracked(db: Connection, codes: readonly string[]): Promise<void> {
  await db.query(
    `delete from collection_schedule s using unnest($1::smallint[], $2::text[]) as n(lane, code)
      where s.lane = n.lane and s.retailer_product_code = n.code and not s.is_tracked and ${HERE}`,
    codeArrays(codes),
  );
}

/** Deletes the entries of products that nobody tracks any more; they are locked. */
export async function unscheduleProducts(tx: Transaction, codes: readonly string[]) {
  if (codes.length === 0) return;
  await tx.query(
    `delete from collection_schedule s using unnest($1::smallint[], $2::text[]) as n(lane, code)
      where s.lane = n.lane and s.retailer_product_code = n.code and s.is_tracked and ${HERE}`,
    codeArrays(codes),
  );
}

export const readCollectionStatus = async (db: Database, code: string) =>
  (await readCollectionStatuses(db, [code])).get(code);

export async function readCollectionStatuses(
  db: Database,
  codes: readonly string[],
): Promise<Map<string, CollectionStatus>> {
  const rows = await readInGroups(db, codes, (part) =>
    db.read<StatusRow>(
      `select s.retailer_product_code, s.last_collected_at, s.due_at, s.failures
         from unnest($1::smallint[], $2::text[]) as n(lane, code)
         join collection_schedule s on s.lane = n.lane and s.retailer_product_code = n.code and ${HERE}`,
      codeArrays(part),
    ),
  );
  return new Map(rows.map((row) => [row.retailer_product_code, statusFromRow(row)]));
}

/** Samples scheduled products, at most the same number from each lane. */
const SAMPLE = statement(
  'sample-schedule',
  `select sample.retailer_product_code
     from unnest($1::smallint[]) as lanes(lane)
    cross join lateral (
      select s.retailer_product_code from collection_schedule s
       where s.lane = lanes.lane and s.due_at is not null and ${HERE}
       order by s.retailer_product_code limit $2) as sample`,
);

export async function sampleSchedule(db: Database, perLane: number): Promise<string[]> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read<CodeRow>(SAMPLE, [plainArray(lanes), perLane]),
  );
  return codesOf(rows);
}

/** Makes products due before their slot, unless they are leased or about to be retried. */
export async function bringForward(
  db: Connection,
  { codes, dueAtMs }: { codes: readonly string[]; dueAtMs: number },
): Promise<void> {
  await db.query(
    `with locked as materialized (${LOCKED})
     update collection_schedule s set due_at = $3
       from locked
      where s.lane = locked.lane and s.retailer_product_code = locked.code and s.due_at > $3
        and ${HERE}
        and s.lease_token is null and s.failures = 0 and s.held_since is null`,
    [...codeArrays(codes), isoTime(dueAtMs)],
  );
}
