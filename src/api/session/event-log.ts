// GET /session/events, /session/events.csv and /session/moves: an account's events by filters,
// newest first, as CSV, and its largest changes of the last day.
import { Type } from 'typebox';
import type { Database } from '../../database/database.ts';
import { readBigMoves } from '../../events/big-moves.ts';
import { type EventSearch, searchEvents } from '../../events/event-search.ts';
import { EVENTS_KEPT_MS, type EventTimePosition, type NewEvent } from '../../events/events.ts';
import { ALL_KINDS } from '../../events/kind.ts';
import type { Clock } from '../../foundation/clock.ts';
import { cursorOf } from '../../foundation/cursor.ts';
import { DAY_MS } from '../../foundation/time.ts';
import { EventRecord } from '../events.ts';
import type { Parts } from '../heavy-requests.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { nextLink, PAGE_LIMIT_DEFAULT, PageQuery, readCursor } from '../paging.ts';
import { csvCell } from '../table-response.ts';
import { instantOf, nullable, TEXT_PATTERN } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

const EVENTS_PATH = `${SESSION_PATH}/events`;

type Deps = { db: Database; clock: Clock };

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

const Filters = {
  type: Type.Optional(
    Type.String({ enum: [...ALL_KINDS], description: `one of ${ALL_KINDS.join(', ')}` }),
  ),
  retailer_product_code: Type.Optional(
    Type.String({ pattern: '^\\d{1,20}$', description: 'a product code of 1 to 20 digits' }),
  ),
  tag: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: TEXT_PATTERN,
      description: 'a tag of the products',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: TEXT_PATTERN,
      description: 'words of the product, the seller or the reason',
    }),
  ),
  from: Type.Optional(Instant('start of the range, inclusive')),
  to: Type.Optional(Instant('end of the range, exclusive')),
};

function Instant(what: string) {
  return Type.String({ format: 'date-time', maxLength: 40, description: `a time: ${what}` });
}

type FilterQuery = {
  type?: string;
  retailer_product_code?: string;
  tag?: string;
  q?: string;
  from?: string;
  to?: string;
};

export function recentEventsEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: EVENTS_PATH,
    operation: 'session-events',
    operationId: 'session.listEvents',
    summary: 'Events of the last 30 days, newest first',
    description:
      'With `tag` or `q` a page may be short or empty though the Link header names a next one: so many events were compared.',
    query: Type.Object({ ...PageQuery, ...Filters }),
    responses: { 200: Type.Array(EventRecord) },
    list: { record: EventRecord },
    heavy: ({ tag, q }) => tag !== undefined || q !== undefined,
    async respond({ query, caller }) {
      const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
      const search = searchOf(deps, caller.account.accountId, query);
      const before = query.after === undefined ? search.before : readMoment(query.after);
      const { events, next } = await searchEvents(deps.db, { ...search, before }, limit);
      const { type, retailer_product_code, tag, q, from, to } = query;
      return {
        json: events.map(recordOf),
        ...nextLink(next === null ? null : { atMs: next.atMs, id: next.eventId }, {
          path: EVENTS_PATH,
          limit,
          filters: { type, retailer_product_code, tag, q, from, to },
        }),
      };
    },
  });
}

function searchOf(deps: Deps, accountId: string, query: FilterQuery): EventSearch {
  const { type, retailer_product_code: code, tag, q, from, to } = query;
  // Older events may still be stored: they are dropped with their monthly partition.
  const keptAtMs = deps.clock.nowMs() - EVENTS_KEPT_MS;
  const fromAtMs = from === undefined ? keptAtMs : instantOf(from, 'Query parameter from');
  return {
    accountId,
    before: to === undefined ? undefined : firstAt(instantOf(to, 'Query parameter to')),
    oldestAtMs: Math.max(keptAtMs, fromAtMs),
    kind: type,
    code,
    tag,
    words: q,
  };
}

/** `to` is exclusive: before the first event of that instant. */
const firstAt = (atMs: number): EventTimePosition => ({
  atMs,
  eventId: '00000000-0000-0000-0000-000000000000',
});

function recordOf(event: NewEvent) {
  const { type, timestamp, data } = JSON.parse(event.payload);
  const cursor = cursorOf({ atMs: event.atMs, id: event.eventId });
  return { id: event.eventId, type, timestamp, data, cursor };
}

function readMoment(cursor: string): EventTimePosition {
  const { atMs, id } = readCursor(cursor);
  return { atMs, eventId: id };
}

const CSV_PAGE = 500;
const CSV_ROWS_MAX = 100_000;

export function eventsCsvEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${EVENTS_PATH}.csv`,
    operation: 'session-events-csv',
    operationId: 'session.downloadEvents',
    summary: 'Events as CSV',
    query: Type.Object(Filters),
    responses: { 200: Type.String() },
    mediaType: 'text/csv',
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const search = searchOf(deps, caller.account.accountId, query);
      return {
        parts: csvParts(
          (before) => takeTurn(() => searchEvents(deps.db, { ...search, before }, CSV_PAGE)),
          search.before,
        ),
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="oversight-events.csv"',
        },
      };
    },
  });
}

async function* csvParts(
  readPage: (
    before: EventTimePosition | undefined,
  ) => Promise<{ events: NewEvent[]; next: EventTimePosition | null }>,
  start: EventTimePosition | undefined,
): Parts {
  yield 'timestamp,type,retailer_product_code,product_name,before,after,seller_name,reason,tags,id\r\n';
  let before = start;
  for (let rows = 0; rows < CSV_ROWS_MAX; ) {
    const { events, next } = await readPage(before);
    yield events.map((event) => `${csvLine(event)}\r\n`).join('');
    if (next === null) return;
    rows += events.length;
    before = next;
  }
  yield `,"truncated after ${CSV_ROWS_MAX} events: choose a shorter range",,,,,,,,\r\n`;
}

function csvLine(event: NewEvent): string {
  const { type, timestamp, data, id } = recordOf(event);
  return [
    timestamp,
    type,
    data.retailer_product_code,
    data.product_name,
    data.before?.value,
    data.after?.value,
    data.seller_name,
    data.reason,
    (data.tags ?? []).join(' '),
    id,
  ]
    .map(csvCell)
    .join(',');
}

const MOVES_MAX = 20;

const MoveRecord = Type.Object(
  {
    ...EventRecord.properties,
    change: nullable(
      Type.Number({ description: '-0.53: fell by 53 %. null: the buybox was lost.' }),
    ),
  },
  { title: 'Move' },
);

export function movesEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${SESSION_PATH}/moves`,
    operation: 'session-moves',
    operationId: 'session.listMoves',
    summary: 'The largest price changes and lost buyboxes of the last 24 hours, one per product',
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MOVES_MAX,
          default: 5,
          description: `a whole number from 1 to ${MOVES_MAX}`,
        }),
      ),
    }),
    responses: { 200: Type.Array(MoveRecord) },
    list: { record: MoveRecord },
    heavy: () => true,
    async respond({ query, caller }) {
      const moves = await readBigMoves(deps.db, {
        accountId: caller.account.accountId,
        sinceAtMs: deps.clock.nowMs() - DAY_MS,
        limit: query.limit ?? 5,
      });
      return { json: moves.map(({ event, change }) => ({ ...recordOf(event), change })) };
    },
  });
}
