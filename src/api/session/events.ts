// GET /session/events (newest first) and GET /session/deliveries/{id} (one delivery in full).
import { Type } from 'typebox';
import type { Database } from '../../database/database.ts';
import {
  EVENTS_KEPT_MS,
  listNewestEvents,
  type NewEvent,
  readPayloads,
} from '../../events/events.ts';
import { EVENT_KINDS } from '../../events/kind.ts';
import type { Clock } from '../../foundation/clock.ts';
import { isId } from '../../foundation/id.ts';
import { Problem } from '../../foundation/problem.ts';
import { listAttemptsOf } from '../../webhooks/attempts.ts';
import { readDelivery } from '../../webhooks/deliveries.ts';
import { EventPayload } from '../event-payload.ts';
import { EventRecord } from '../events.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import {
  cursorOf,
  firstPage,
  nextPage,
  PAGE_LIMIT_DEFAULT,
  PageQuery,
  type Position,
  readCursor,
} from '../paging.ts';
import { AttemptRecord, attemptRecord } from '../webhook-deliveries.ts';
import { nullable } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

const EVENTS_PATH = `${SESSION_PATH}/events`;

type Deps = { db: Database; clock: Clock };

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

export function recentEventsEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: EVENTS_PATH,
    operation: 'session-events',
    operationId: 'session.listEvents',
    summary: 'Events of the last 30 days, newest first',
    query: Type.Object({
      ...PageQuery,
      type: Type.Optional(
        Type.String({ enum: [...EVENT_KINDS], description: `one of ${EVENT_KINDS.join(', ')}` }),
      ),
      retailer_product_code: Type.Optional(
        Type.String({ pattern: '^\\d{1,20}$', description: 'a product code of 1 to 20 digits' }),
      ),
    }),
    responses: { 200: Type.Array(EventRecord) },
    list: { record: EventRecord },
    async respond({ query, caller }) {
      const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
      const { type, retailer_product_code: code } = query;
      const events = await listNewestEvents(deps.db, {
        accountId: caller.account.accountId,
        before: query.after === undefined ? undefined : readMoment(query.after),
        // Older events may still be stored: they are dropped with their monthly partition.
        oldestAtMs: deps.clock.nowMs() - EVENTS_KEPT_MS,
        kind: type,
        code,
        limit: limit + 1,
      });
      const first = firstPage(events, limit);
      return {
        json: first.page.map(recordOf),
        ...nextPage(first, {
          path: EVENTS_PATH,
          limit,
          filters: { type, retailer_product_code: code },
          positionOf: happenedAt,
        }),
      };
    },
  });
}

function recordOf(event: NewEvent): unknown {
  const { type, timestamp, data } = JSON.parse(event.payload);
  return { id: event.eventId, type, timestamp, data, cursor: cursorOf(happenedAt(event)) };
}

const happenedAt = ({ atMs, eventId }: NewEvent): Position => ({ atMs, id: eventId });

function readMoment(cursor: string) {
  const { atMs, id } = readCursor(cursor);
  return { atMs, eventId: id };
}

export function deliveryEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${SESSION_PATH}/deliveries/:delivery_id`,
    operation: 'session-delivery',
    operationId: 'session.getDelivery',
    summary: 'A delivery with its payload and every response',
    params: Type.Object({
      delivery_id: Type.String({ maxLength: 100, description: 'the id of a delivery' }),
    }),
    responses: {
      200: Type.Object(
        {
          delivery_id: Type.String(),
          webhook_id: Type.String(),
          event_id: Type.String(),
          event: Type.String(),
          state: Type.String({ enum: ['pending', 'succeeded', 'failed'] }),
          payload: nullable(EventPayload),
          attempts: Type.Array(
            Type.Object(
              {
                ...AttemptRecord.properties,
                response_body: nullable(Type.String({ description: 'The first 2 KB.' })),
              },
              { title: 'DeliveryAttemptDetails' },
            ),
          ),
        },
        { title: 'DeliveryDetails' },
      ),
    },
    errors: [404],
    async respond({ params, caller }) {
      const { accountId } = caller.account;
      const deliveryId = params.delivery_id.toLowerCase();
      const delivery = isId(deliveryId)
        ? await readDelivery(deps.db, { accountId, deliveryId })
        : undefined;
      if (delivery === undefined) {
        throw new Problem('delivery_not_found', 'No delivery has this id.');
      }
      const { webhookId, eventId, atMs, attemptTimes } = delivery;
      const [attempts, payloads] = await Promise.all([
        listAttemptsOf(deps.db, {
          accountId,
          webhookId,
          deliveryId,
          sinceAtMs: atMs,
          attemptTimes,
        }),
        readPayloads(deps.db, [{ accountId, atMs, eventId }]),
      ]);
      const payload = delivery.payload ?? payloads.get(eventId);
      return {
        json: {
          delivery_id: deliveryId,
          webhook_id: webhookId,
          event_id: eventId,
          event: delivery.kind,
          state: delivery.state,
          payload: payload === undefined ? null : JSON.parse(payload),
          attempts: attempts.map((attempt) => ({
            ...attemptRecord(attempt),
            response_body: attempt.responseBody,
          })),
        },
      };
    },
  });
}
