// GET /retailer/events: the event feed of an account, for clients that poll or missed deliveries.
import { Type } from 'typebox';
import type { Database } from '../database/database.ts';
import { EVENTS_KEPT_MS, type EventPosition, listEvents, type NewEvent } from '../events/events.ts';
import { ALL_KINDS } from '../events/kind.ts';
import type { Clock } from '../foundation/clock.ts';
import { cursorOf, type Position } from '../foundation/cursor.ts';
import { EventExplanation, eventExplanation } from './event-explanation.ts';
import { EventData } from './event-payload.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { firstPage, nextPage, PAGE_LIMIT_DEFAULT, PageQuery, readCursor } from './paging.ts';
import { DateTime } from './wire.ts';

const PATH = '/retailer/events';
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export const EventRecord = Type.Object(
  {
    id: Type.String({ description: 'The event_id of its deliveries.' }),
    type: Type.String({ enum: [...ALL_KINDS] }),
    timestamp: DateTime('When it happened'),
    data: EventData,
    cursor: Type.String({ description: 'Pass it as `after` to get later events.' }),
    explanation: Type.Optional(EventExplanation),
  },
  { title: 'Event' },
);

type Deps = { db: Database; clock: Clock };

export function eventFeed(deps: Deps): Endpoint {
  return endpoint({
    tag: 'Webhooks',
    bucket: 'account',
    method: 'GET',
    path: PATH,
    operation: 'events',
    operationId: 'events.list',
    summary: 'Events of the last 30 days',
    description:
      'Oldest first, whether or not a webhook received them. To poll, pass the `cursor` of the last event as `after`. Costs no credits.',
    query: Type.Object({
      ...PageQuery,
      until: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'a cursor; events after it are omitted, as in the events_url of a digest',
        }),
      ),
      explain: Type.Optional(
        Type.Boolean({
          description: 'true or false; true adds what led to each event, at no cost',
        }),
      ),
    }),
    responses: { 200: Type.Array(EventRecord) },
    list: { record: EventRecord },
    async respond({ query, caller }) {
      const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
      const { accountId } = caller.account;
      // Older events may still be stored: they are dropped with their monthly partition.
      const oldest = { recordedAtMs: deps.clock.nowMs() - EVENTS_KEPT_MS, eventId: FIRST_ID };
      const start = query.after === undefined ? oldest : positionOf(readCursor(query.after));
      const after = start.recordedAtMs < oldest.recordedAtMs ? oldest : start;
      const until = query.until === undefined ? undefined : readCursor(query.until, 'until');
      const events = await listEvents(deps.db, {
        accountId,
        after,
        until: until && positionOf(until),
        limit: limit + 1,
      });
      const first = firstPage(events, limit);
      return {
        json: first.page.map((event) =>
          query.explain === true
            ? { ...eventRecord(event), explanation: eventExplanation(event) }
            : eventRecord(event),
        ),
        ...nextPage(first, {
          path: PATH,
          limit,
          filters: { until: query.until, explain: query.explain === true ? 'true' : undefined },
          positionOf: recordedAt,
        }),
      };
    },
  });
}

function eventRecord(event: NewEvent): Record<string, unknown> {
  const { type, timestamp, data } = JSON.parse(event.payload);
  return { id: event.eventId, type, timestamp, data, cursor: cursorOf(recordedAt(event)) };
}

/** Events are listed in the order in which they were recorded. */
const recordedAt = ({ atMs, recordedAtMs, eventId }: NewEvent): Position => ({
  atMs: recordedAtMs ?? atMs,
  id: eventId,
});

const positionOf = ({ atMs, id }: Position): EventPosition => ({ recordedAtMs: atMs, eventId: id });
