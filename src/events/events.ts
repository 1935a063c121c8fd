// The `events` table: an account's events, each with the payload of its deliveries; kept for 30
// days.
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  heavyStatement,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { EventKind } from './kind.ts';

export const EVENTS_TABLE = 'events';
export const EVENTS_KEPT_MS = 30 * DAY_MS;

export type NewEvent = {
  /** Derived from what happened, so that the same event is recorded once. */
  eventId: string;
  accountId: string;
  atMs: number;
  /**
   * Later than every event recorded for the account before (under the account's lock), so that a
   * reader who continues from a cursor misses nothing. Defaults to `atMs`.
   */
  recordedAtMs?: number;
  kind: EventKind;
  trackedId: string;
  code: string;
  /** Exactly the body of its deliveries. */
  payload: string;
  /** What led to it (explanation.ts), as JSON; absent for older events. */
  explanation?: string | null | undefined;
};

type EventRow = {
  event_id: string;
  account_id: string;
  at: number;
  recorded_at: number;
  kind: EventKind;
  tracked_id: string;
  retailer_product_code: string;
  payload: string;
  explanation: string | null;
};

const fromRow = (row: EventRow): NewEvent => ({
  eventId: row.event_id,
  accountId: row.account_id,
  atMs: row.at,
  recordedAtMs: row.recorded_at,
  kind: row.kind,
  trackedId: row.tracked_id,
  code: row.retailer_product_code,
  payload: row.payload,
  explanation: row.explanation,
});

const COLUMNS = `event_id, account_id, at, recorded_at, kind, tracked_id, retailer_product_code,
  payload, explanation`;

/** Inserts events that do not exist yet and returns their ids. */
const INSERT = statement(
  'insert-events',
  `insert into events (lane, event_id, account_id, at, kind, tracked_id, retailer_product_code,
                       payload, recorded_at, explanation)
   select * from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[],
                        $6::uuid[], $7::text[], $8::text[], $9::timestamptz[], $10::text[])
   on conflict do nothing
   returning event_id`,
);

/** Returns the events that are new. The partitions of their months must exist. */
export async function insertEvents(
  tx: Transaction,
  events: readonly NewEvent[],
): Promise<NewEvent[]> {
  if (events.length === 0) return [];
  const rows = await tx.query<{ event_id: string }>(INSERT, [
    plainArray(events.map(({ accountId }) => lane(accountId))),
    plainArray(events.map(({ eventId }) => eventId)),
    plainArray(events.map(({ accountId }) => accountId)),
    plainArray(events.map(({ atMs }) => isoTime(atMs))),
    plainArray(events.map(({ kind }) => kind)),
    plainArray(events.map(({ trackedId }) => trackedId)),
    plainArray(events.map(({ code }) => code)),
    textArray(events.map(({ payload }) => payload)),
    plainArray(events.map(({ atMs, recordedAtMs }) => isoTime(recordedAtMs ?? atMs))),
    textArray(events.map(({ explanation }) => explanation ?? null)),
  ]);
  const fresh = new Set(rows.map((row) => row.event_id));
  // An event that occurs twice in the input is returned once.
  return events.filter(({ eventId }) => fresh.delete(eventId));
}

export type EventPosition = { recordedAtMs: number; eventId: string };

const BEFORE_ALL: EventPosition = {
  recordedAtMs: 0,
  eventId: '00000000-0000-0000-0000-000000000000',
};

const UNTIL_ALL: EventPosition = {
  recordedAtMs: Date.UTC(9999, 0),
  eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** A page of an account's events in the order they were recorded, after a position. */
const LIST = heavyStatement(
  'list-events',
  `select ${COLUMNS} from events
    where lane = $1 and account_id = $2 and (recorded_at, event_id) > ($3::timestamptz, $4::uuid)
      and (recorded_at, event_id) <= ($5::timestamptz, $6::uuid)
    order by recorded_at, event_id
    limit $7`,
);

export async function listEvents(
  db: Connection,
  input: {
    accountId: string;
    after?: EventPosition | undefined;
    /** Inclusive. */
    until?: EventPosition | undefined;
    limit: number;
  },
): Promise<NewEvent[]> {
  const { accountId, after = BEFORE_ALL, until = UNTIL_ALL, limit } = input;
  const rows = await db.query<EventRow>(LIST, [
    lane(accountId),
    accountId,
    isoTime(after.recordedAtMs),
    after.eventId,
    isoTime(until.recordedAtMs),
    until.eventId,
    limit,
  ]);
  return rows.map(fromRow);
}

export type EventTimePosition = { atMs: number; eventId: string };

const AFTER_ALL: EventTimePosition = {
  atMs: Date.UTC(9999, 0),
  eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/**
 * A page of an account's events, newest first, before a position. One statement for each filter, so
 * that each has a plan for its own index.
 */
const newest = (name: string, filter: string) =>
  heavyStatement(
    `list-newest-events${name}`,
    `select ${COLUMNS} from events
      where lane = $1 and account_id = $2 and (at, event_id) < ($3::timestamptz, $4::uuid)
        and at >= $5 ${filter}
      order by at desc, event_id desc
      limit $6`,
  );

const LIST_NEWEST = {
  all: newest('', ''),
  byKind: newest('-by-kind', 'and kind = $7'),
  byCode: newest('-by-code', 'and retailer_product_code = $7'),
  // The events of a product are few: of these the kind is only compared.
  byCodeAndKind: newest('-by-code-and-kind', `and retailer_product_code = $7 and kind || '' = $8`),
};

export async function listNewestEvents(
  db: Database,
  input: {
    accountId: string;
    before?: EventTimePosition | undefined;
    oldestAtMs: number;
    kind?: string | undefined;
    code?: string | undefined;
    limit: number;
  },
): Promise<NewEvent[]> {
  const { accountId, before = AFTER_ALL, kind, code } = input;
  const byCode = kind === undefined ? LIST_NEWEST.byCode : LIST_NEWEST.byCodeAndKind;
  const withoutCode = kind === undefined ? LIST_NEWEST.all : LIST_NEWEST.byKind;
  const rows = await db.read<EventRow>(code === undefined ? withoutCode : byCode, [
    lane(accountId),
    accountId,
    isoTime(before.atMs),
    before.eventId,
    isoTime(input.oldestAtMs),
    input.limit,
    ...(code === undefined ? [] : [code]),
    ...(kind === undefined ? [] : [kind]),
  ]);
  return rows.map(fromRow);
}

/** When the last event of each account was recorded. */
const LAST_RECORDED = statement(
  'last-recorded-events',
  `select listed.account_id, last.recorded_at
     from unnest($1::smallint[], $2::uuid[]) as listed(lane, account_id)
    cross join lateral (
      select e.recorded_at from events e
       where e.lane = listed.lane and e.account_id = listed.account_id
         and ${inLanes('e.lane', '$1')}
       order by e.recorded_at desc, e.event_id desc limit 1) as last`,
);

export async function readLastRecordedAtMs(
  db: Connection,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.query<Pick<EventRow, 'account_id' | 'recorded_at'>>(LAST_RECORDED, [
    plainArray(accountIds.map(lane)),
    plainArray(accountIds),
  ]);
  return new Map(rows.map((row) => [row.account_id, row.recorded_at]));
}

/** When an account's last event was recorded; null if it has none. */
export async function lastRecordedAtMs(db: Database, accountId: string): Promise<number | null> {
  return (await readLastRecordedAtMs({ query: db.read }, [accountId])).get(accountId) ?? null;
}

/** One event by its key. */
export async function findEvent(
  db: Database,
  { accountId, atMs, eventId }: { accountId: string; atMs: number; eventId: string },
): Promise<NewEvent | undefined> {
  const [row] = await db.read<EventRow>(
    `select ${COLUMNS} from events where lane = $1 and account_id = $2 and at = $3 and event_id = $4`,
    [lane(accountId), accountId, isoTime(atMs), eventId],
  );
  return row && fromRow(row);
}

/** Payloads of some events. */
const READ_PAYLOADS = statement(
  'read-event-payloads',
  `select e.event_id, e.payload
     from unnest($1::smallint[], $2::uuid[], $3::timestamptz[], $4::uuid[])
            as listed(lane, account_id, at, event_id)
     join events e on e.lane = listed.lane and e.account_id = listed.account_id
      and e.at = listed.at and e.event_id = listed.event_id and ${inLanes('e.lane', '$1')}`,
);

/** Returns payloads by event id. */
export async function readPayloads(
  db: Connection,
  events: readonly { accountId: string; atMs: number; eventId: string }[],
): Promise<Map<string, string>> {
  if (events.length === 0) return new Map();
  const rows = await db.query<{ event_id: string; payload: string }>(READ_PAYLOADS, [
    plainArray(events.map(({ accountId }) => lane(accountId))),
    plainArray(events.map(({ accountId }) => accountId)),
    plainArray(events.map(({ atMs }) => isoTime(atMs))),
    plainArray(events.map(({ eventId }) => eventId)),
  ]);
  return new Map(rows.map((row) => [row.event_id, row.payload]));
}
