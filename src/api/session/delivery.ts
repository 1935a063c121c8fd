// GET /session/deliveries/{id}: one delivery in full.
import { Type } from 'typebox';
import type { Database } from '../../database/database.ts';
import { findEvent } from '../../events/events.ts';
import { isId } from '../../foundation/id.ts';
import { Problem } from '../../foundation/problem.ts';
import { listAttemptsOf } from '../../webhooks/attempts.ts';
import { readDelivery } from '../../webhooks/deliveries.ts';
import { EventExplanation, eventExplanation } from '../event-explanation.ts';
import { DigestPayload, EventPayload } from '../event-payload.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { AttemptRecord, attemptRecord } from '../webhook-deliveries.ts';
import { nullable } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

type Deps = { db: Database };

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

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
    query: Type.Object({
      explain: Type.Optional(
        Type.Boolean({ description: 'true or false; true adds what led to the event' }),
      ),
    }),
    responses: {
      200: Type.Object(
        {
          delivery_id: Type.String(),
          webhook_id: Type.String(),
          event_id: Type.String(),
          event: Type.String(),
          state: Type.String({ enum: ['pending', 'succeeded', 'failed'] }),
          payload: Type.Union([EventPayload, DigestPayload, Type.Null()]),
          explanation: Type.Optional(nullable(EventExplanation)),
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
    async respond({ params, query, caller }) {
      const { accountId } = caller.account;
      const deliveryId = params.delivery_id.toLowerCase();
      const delivery = isId(deliveryId)
        ? await readDelivery(deps.db, { accountId, deliveryId })
        : undefined;
      if (delivery === undefined) {
        throw new Problem('delivery_not_found', 'No delivery has this id.');
      }
      const { webhookId, eventId, atMs, attemptTimes } = delivery;
      const [attempts, event] = await Promise.all([
        listAttemptsOf(deps.db, {
          accountId,
          webhookId,
          deliveryId,
          sinceAtMs: atMs,
          attemptTimes,
        }),
        findEvent(deps.db, { accountId, atMs, eventId }),
      ]);
      const payload = delivery.payload ?? event?.payload;
      // Tests and digests have no event of their own.
      const explanation = event === undefined ? null : eventExplanation(event);
      return {
        json: {
          delivery_id: deliveryId,
          webhook_id: webhookId,
          event_id: eventId,
          event: delivery.kind,
          state: delivery.state,
          payload: payload === undefined ? null : JSON.parse(payload),
          ...(query.explain === true ? { explanation } : {}),
          attempts: attempts.map((attempt) => ({
            ...attemptRecord(attempt),
            response_body: attempt.responseBody,
          })),
        },
      };
    },
  });
}
