// Webhook deliveries: the log of attempts, test deliveries, retries and recovery.
import { Type } from 'typebox';
import { EVENTS_KEPT_MS } from '../events/events.ts';
import { ALL_KINDS } from '../events/kind.ts';
import { realNowMs } from '../foundation/clock.ts';
import { isId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import {
  type AttemptOutcome,
  type AttemptPosition,
  type LoggedAttempt,
  listAttempts,
} from '../webhooks/attempts.ts';
import { DIGEST_KIND } from '../webhooks/digest-payload.ts';
import { spendQuota } from '../webhooks/quotas.ts';
import { recoverDeliveries, retryDelivery, sendTest, TEST_KIND } from '../webhooks/resend.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { firstPage, nextPage, PAGE_LIMIT_DEFAULT, PageQuery, readCursor } from './paging.ts';
import { ownWebhook, WEBHOOKS_PATH, WebhookById, type WebhookDeps } from './webhooks.ts';
import { boundOf, DateTime, isoTime, nullable } from './wire.ts';

const OUTCOMES: readonly AttemptOutcome[] = ['success', 'failed', 'pending'];
const TYPES: readonly string[] = [...ALL_KINDS, DIGEST_KIND, TEST_KIND];

const OutcomeSchema = Type.Unsafe<AttemptOutcome>({
  type: 'string',
  enum: [...OUTCOMES],
  description: OUTCOMES.join(', '),
});

export const AttemptRecord = Type.Object(
  {
    id: Type.String(),
    delivery_id: Type.String({ description: 'The `webhook-id`, the same for every attempt.' }),
    event_id: Type.String(),
    timestamp: DateTime('When the attempt was made'),
    endpoint: Type.String({ description: 'The URL that was called.' }),
    event: Type.String({ enum: [...TYPES] }),
    status: nullable(
      Type.Integer({ description: 'The HTTP status of the response; null if there was none.' }),
    ),
    outcome: OutcomeSchema,
    duration_ms: nullable(Type.Integer({ minimum: 0 })),
    payload_bytes: Type.Integer({ minimum: 0 }),
    attempt: Type.Integer({ minimum: 1 }),
    reason: nullable(Type.String({ description: 'Why the attempt failed, as a sentence.' })),
  },
  { title: 'DeliveryAttempt' },
);

type Deps = WebhookDeps;

export function webhookDeliveryEndpoints(deps: Deps): Endpoint[] {
  return [logEndpoint(deps), testEndpoint(deps), recoverEndpoint(deps), retryEndpoint(deps)];
}

const common = { tag: 'Webhooks', bucket: 'account' } as const;

const logEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'GET',
    path: `${WEBHOOKS_PATH}/:id/deliveries`,
    operation: 'webhook-deliveries',
    operationId: 'webhooks.listDeliveries',
    summary: 'List the attempts of the last 30 days, newest first',
    params: WebhookById,
    query: Type.Object({
      ...PageQuery,
      event: Type.Optional(
        Type.String({ enum: [...TYPES], description: `one of ${TYPES.join(', ')}` }),
      ),
      outcome: Type.Optional(OutcomeSchema),
    }),
    responses: { 200: Type.Array(AttemptRecord) },
    list: { record: AttemptRecord },
    errors: [404],
    async respond({ params, query, caller }) {
      const { event, outcome, limit = PAGE_LIMIT_DEFAULT } = query;
      const before = query.after === undefined ? undefined : readPosition(query.after);
      const { accountId, webhookId } = await ownWebhook(deps, params.id, caller);
      const rows = await listAttempts(deps.db, {
        accountId,
        webhookId,
        before,
        limit: limit + 1,
        kind: event,
        outcome,
      });
      // Older attempts may still be stored: they are dropped with their monthly partition.
      const oldestAtMs = deps.clock.nowMs() - EVENTS_KEPT_MS;
      const attempts = rows.filter(({ atMs }) => atMs >= oldestAtMs);
      const first = firstPage(attempts, limit);
      return {
        json: first.page.map(attemptRecord),
        ...nextPage(first, {
          path: `${WEBHOOKS_PATH}/${webhookId}/deliveries`,
          limit,
          filters: { event, outcome },
          positionOf: ({ atMs, attemptId }) => ({ atMs, id: attemptId }),
        }),
      };
    },
  });

const testEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: `${WEBHOOKS_PATH}/:id/test`,
    operation: 'webhook-test',
    operationId: 'webhooks.sendTest',
    summary: 'Send a test event',
    description: `Sends an event of type \`${TEST_KIND}\` with every member that an event has, even while the webhook is paused. At most 60 per hour and account. Costs no credits.`,
    params: WebhookById,
    responses: {
      202: Type.Object(
        { delivery_id: Type.String(), event_id: Type.String() },
        { title: 'TestDelivery' },
      ),
    },
    errors: [404],
    async respond({ params, caller }) {
      const subscription = await ownWebhook(deps, params.id, caller);
      const now = deps.clock.nowMs();
      await deps.webhookMonths.ready(now);
      const sent = await deps.db.transaction((tx) => sendTest(tx, { subscription, now }));
      deps.deliverySignal.raise();
      return { status: 202, json: { delivery_id: sent.deliveryId, event_id: sent.eventId } };
    },
  });

const recoverEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: `${WEBHOOKS_PATH}/:id/recover`,
    operation: 'webhook-recover',
    operationId: 'webhooks.recover',
    summary: 'Send missed events',
    description:
      'Sends every event since `since` that the webhook subscribes to and has not received, attempted or not; to a webhook with digests in the next one. A paused webhook receives them once it is active again. At most 60 calls per hour and account; deliveries recovered or retried within the last day count as retries. Costs no credits.',
    params: WebhookById,
    body: Type.Object(
      {
        since: Type.String({
          format: 'date-time',
          maxLength: 40,
          description: 'a time with its offset, such as 2026-11-14T12:00:00Z',
        }),
      },
      { title: 'RecoverRequest' },
    ),
    responses: {
      202: Type.Object(
        {
          deliveries: Type.Integer({
            minimum: 0,
            description: 'The number of deliveries to be sent, and of events for the next digest.',
          }),
        },
        { title: 'RecoveredDeliveries' },
      ),
    },
    errors: [404],
    async respond({ params, body, caller }) {
      const { accountId, webhookId } = await ownWebhook(deps, params.id, caller);
      const now = deps.clock.nowMs();
      const since = Math.max(boundOf(body.since, 'Body member since'), now - EVENTS_KEPT_MS);
      await deps.webhookMonths.ready(now);
      const realNow = realNowMs();
      await deps.db.transaction((tx) => spendQuota(tx, { accountId, quota: 'recover', realNow }));
      const deliveries = await recoverDeliveries(deps.db, { accountId, webhookId, since, now });
      deps.deliverySignal.raise();
      return { status: 202, json: { deliveries } };
    },
  });

const retryEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: `${WEBHOOKS_PATH}/deliveries/:delivery_id/retry`,
    operation: 'webhook-retry',
    operationId: 'webhooks.retryDelivery',
    summary: 'Retry a delivery now',
    description:
      'Sends the delivery again with the same `webhook-id`, whatever its outcome. At most 20 per day and delivery, and 1,000 per hour and account. Costs no credits.',
    params: Type.Object({
      delivery_id: Type.String({ maxLength: 100, description: 'the id of a delivery' }),
    }),
    responses: { 202: Type.Object({ delivery_id: Type.String() }, { title: 'RetriedDelivery' }) },
    errors: [404],
    async respond({ params, caller }) {
      const { accountId } = caller.account;
      const deliveryId = params.delivery_id.toLowerCase();
      const input = { accountId, deliveryId, now: deps.clock.nowMs() };
      const isDue =
        isId(deliveryId) && (await deps.db.transaction((tx) => retryDelivery(tx, input)));
      if (!isDue) {
        throw new Problem('delivery_not_found', 'No delivery with this id can be sent.');
      }
      deps.deliverySignal.raise();
      return { status: 202, json: { delivery_id: deliveryId } };
    },
  });

export function attemptRecord(attempt: LoggedAttempt): Record<string, unknown> {
  return {
    id: attempt.attemptId,
    delivery_id: attempt.deliveryId,
    event_id: attempt.eventId,
    timestamp: isoTime(attempt.atMs),
    endpoint: attempt.endpoint,
    event: attempt.kind,
    status: attempt.status,
    outcome: attempt.outcome,
    duration_ms: attempt.durationMs,
    payload_bytes: attempt.payloadBytes,
    attempt: attempt.attempt,
    reason: attempt.reason,
  };
}

function readPosition(cursor: string): AttemptPosition {
  const { atMs, id } = readCursor(cursor);
  return { atMs, attemptId: id };
}
