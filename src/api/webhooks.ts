// /retailer/webhooks: the webhooks of an account. All of these endpoints are free.
import { type Static, Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import type { Signal } from '../background/signal.ts';
import type { Database } from '../database/database.ts';
import {
  ALL_KINDS,
  EVENT_KINDS,
  type EventKind,
  isDetectedKind,
  NAMED_KINDS,
} from '../events/kind.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, realNowMs } from '../foundation/clock.ts';
import { isId, newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { PAUSE_CAUSES, type PauseCause } from '../webhooks/endpoint-health.ts';
import { isTimeZone, type QuietHours } from '../webhooks/quiet-hours.ts';
import { resumeFromCause } from '../webhooks/resume-from-cause.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import {
  changeSubscription,
  deleteSubscription,
  findSubscription,
  insertSubscription,
  listSubscriptions,
  REGISTRATIONS_MAX,
  rotateSecret,
  type Subscription,
  type SubscriptionChange,
} from '../webhooks/subscriptions.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { TagSchema } from './tracked-record.ts';
import { refuseBadTarget, type TargetDeps } from './webhook-target.ts';
import { DateTime, isoTime, nullable, TEXT_PATTERN } from './wire.ts';

export const WEBHOOKS_PATH = '/retailer/webhooks';
const NAME_CHARS_MAX = 200;
const EVERYTHING = '*';
const STATUSES = ['Active', 'Paused'] as const;

const NameSchema = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  pattern: `^(?=[\\s\\S]*\\S)${TEXT_PATTERN.slice(1)}`,
  description: `a name of 1 to ${NAME_CHARS_MAX} characters, not only spaces`,
});
const UrlSchema = Type.String({
  // URL parsing drops these characters, so a different URL would be called than the one sent.
  pattern: '^[^\\s\\p{Cc}\\p{Cs}]+$',
  description: 'a URL that starts with https://, without spaces',
});
const EventsSchema = Type.Array(
  Type.Unsafe<EventKind | typeof EVERYTHING>({
    type: 'string',
    enum: [...ALL_KINDS, EVERYTHING],
    description: `one of ${ALL_KINDS.join(', ')}, or ${EVERYTHING} for all but ${NAMED_KINDS.join(' and ')}`,
  }),
  {
    minItems: 1,
    maxItems: 100,
    description: `a list of one or more event types, or ["*"] for all; ${NAMED_KINDS.join(' and ')} must be named, also beside "*"`,
  },
);
const TagsSchema = nullable(
  Type.Array(TagSchema, {
    minItems: 1,
    maxItems: bounds.tagsMax,
    uniqueItems: true,
    description: `a list of 1 to ${bounds.tagsMax} tags, or null for the events of all products`,
  }),
);
const LocalTime = Type.String({
  pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$',
  description: 'a time of day from 00:00 to 23:59',
});
const QuietHoursSchema = nullable(
  Type.Object(
    {
      from: LocalTime,
      to: LocalTime,
      time_zone: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'the name of a time zone, such as Europe/Berlin',
      }),
    },
    {
      title: 'QuietHours',
      description:
        'an object of from, to (exclusive) and time_zone between which deliveries are held and sent afterwards, or null for none',
    },
  ),
);
const StatusSchema = Type.Unsafe<Subscription['status']>({
  type: 'string',
  enum: [...STATUSES],
  description: STATUSES.join(' or '),
});

const WebhookRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    method: Type.Literal('POST'),
    url: Type.String(),
    events: EventsSchema,
    tags: TagsSchema,
    quiet_hours: QuietHoursSchema,
    status: StatusSchema,
    paused_reason: nullable(
      Type.String({ description: 'Why the service paused the webhook; null if it did not.' }),
    ),
    paused_cause: nullable(
      Type.Unsafe<PauseCause>({
        type: 'string',
        enum: [...PAUSE_CAUSES],
        description: 'A stable code for `paused_reason`; null if the service did not pause it.',
      }),
    ),
    created_at: DateTime('When the webhook was registered'),
    last_delivery_at: nullable(DateTime('When the last attempt was made')),
    success_rate: nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'Percentage of deliveries finished in the last 7 days that succeeded; null if none finished.',
      }),
    ),
  },
  { title: 'Webhook' },
);

const SECRET_WORDS =
  'Signs deliveries according to Standard Webhooks. Shown only at registration and rotation.';
const Secret = Type.String({ description: SECRET_WORDS });
const NewWebhookRecord = Type.Object(
  { ...WebhookRecord.properties, secret: Secret },
  { title: 'CreatedWebhook' },
);

export const WebhookById = Type.Object({
  id: Type.String({ maxLength: 100, description: 'the id of a webhook' }),
});

export type WebhookDeps = TargetDeps & {
  db: Database;
  clock: Clock;
  encryptionKeys: readonly Buffer[];
  /** Raised when a delivery is due, so that it does not wait for the next poll. */
  deliverySignal: Signal;
};

export function webhookEndpoints(deps: WebhookDeps): Endpoint[] {
  return [
    addEndpoint(deps),
    listEndpoint(deps),
    getEndpoint(deps),
    changeEndpoint(deps),
    removeEndpoint(deps),
    rotateEndpoint(deps),
  ];
}

const common = { tag: 'Webhooks', bucket: 'account' } as const;

const addEndpoint = (deps: WebhookDeps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: WEBHOOKS_PATH,
    operation: 'webhook-add',
    operationId: 'webhooks.create',
    summary: 'Register a webhook',
    description: `At most ${REGISTRATIONS_MAX} per account. The URL and every address its name resolves to are checked now and at each delivery. Costs no credits.`,
    body: Type.Object(
      {
        name: Type.Optional(NameSchema),
        url: UrlSchema,
        events: EventsSchema,
        tags: Type.Optional(TagsSchema),
        quiet_hours: Type.Optional(QuietHoursSchema),
        status: Type.Optional(StatusSchema),
      },
      { title: 'NewWebhook' },
    ),
    responses: { 201: NewWebhookRecord },
    errors: [409],
    async respond({ body, caller }) {
      const { url, status = 'Active' } = body;
      const kinds = kindsOf(body.events);
      const quietHours = quietHoursOf(body.quiet_hours);
      await refuseBadTarget(deps, url);
      const secret = newWebhookSecret();
      const webhook = {
        accountId: caller.account.accountId,
        webhookId: newId(),
        url,
        kinds,
        tags: body.tags,
        quietHours,
        status,
        secret,
        name: body.name ?? new URL(url).host.slice(0, NAME_CHARS_MAX),
        encryptionKeys: deps.encryptionKeys,
        now: deps.clock.nowMs(),
      };
      const added = await deps.db.transaction((tx) => insertSubscription(tx, webhook));
      return { status: 201, json: { ...webhookRecord(added), secret } };
    },
  });

const listEndpoint = (deps: WebhookDeps) =>
  endpoint({
    ...common,
    method: 'GET',
    path: WEBHOOKS_PATH,
    operation: 'webhook-list',
    operationId: 'webhooks.list',
    summary: 'List webhooks, newest first',
    responses: { 200: Type.Array(WebhookRecord) },
    list: { record: WebhookRecord },
    async respond({ caller }) {
      const input = { accountId: caller.account.accountId, now: deps.clock.nowMs() };
      return { json: (await listSubscriptions(deps.db, input)).map(webhookRecord) };
    },
  });

const getEndpoint = (deps: WebhookDeps) =>
  endpoint({
    ...common,
    method: 'GET',
    path: `${WEBHOOKS_PATH}/:id`,
    operation: 'webhook-get',
    operationId: 'webhooks.get',
    summary: 'Get a webhook',
    params: WebhookById,
    responses: { 200: WebhookRecord },
    errors: [404],
    async respond({ params, caller }) {
      return { json: webhookRecord(await ownWebhook(deps, params.id, caller)) };
    },
  });

const changeEndpoint = (deps: WebhookDeps) =>
  endpoint({
    ...common,
    method: 'PATCH',
    path: `${WEBHOOKS_PATH}/:id`,
    operation: 'webhook-change',
    operationId: 'webhooks.update',
    summary: 'Change, pause or resume a webhook',
    description:
      'Events of a paused webhook are recorded but not sent; use recover to send them later. Costs no credits.',
    params: WebhookById,
    body: Type.Object(
      {
        name: Type.Optional(NameSchema),
        url: Type.Optional(UrlSchema),
        events: Type.Optional(EventsSchema),
        tags: Type.Optional(TagsSchema),
        quiet_hours: Type.Optional(QuietHoursSchema),
        status: Type.Optional(StatusSchema),
      },
      { title: 'WebhookUpdate' },
    ),
    responses: { 200: WebhookRecord },
    errors: [404],
    async respond({ params, body, caller }) {
      const { events, quiet_hours, ...plain } = body;
      const change: SubscriptionChange = {
        ...plain,
        quietHours: quietHoursOf(quiet_hours),
        ...(events === undefined ? {} : { kinds: kindsOf(events) }),
      };
      const { accountId, webhookId } = await ownWebhook(deps, params.id, caller);
      if (body.url !== undefined) await refuseBadTarget(deps, body.url);
      const input = { accountId, webhookId, now: deps.clock.nowMs(), ...change };
      const changed = await changeSubscription(deps.db, input);
      if (changed === undefined) throw noSuchWebhook();
      if (body.status === 'Active' || quiet_hours !== undefined) deps.deliverySignal.raise();
      return { json: webhookRecord(changed) };
    },
  });

const removeEndpoint = (deps: WebhookDeps) =>
  endpoint({
    ...common,
    method: 'DELETE',
    path: `${WEBHOOKS_PATH}/:id`,
    operation: 'webhook-remove',
    operationId: 'webhooks.delete',
    summary: 'Remove a webhook',
    params: WebhookById,
    responses: { 204: Type.Null({ description: 'Removed.' }) },
    errors: [404],
    async respond({ params, caller }) {
      const key = ownKey(params.id, caller);
      const removed = await deleteSubscription(deps.db, key);
      if (!removed) throw noSuchWebhook();
      return { json: undefined };
    },
  });

const rotateEndpoint = (deps: WebhookDeps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: `${WEBHOOKS_PATH}/:id/rotate-secret`,
    operation: 'webhook-rotate-secret',
    operationId: 'webhooks.rotateSecret',
    summary: 'Rotate the secret',
    description:
      'For 24 hours deliveries are signed with both the new and the previous secret. A webhook that was paused because its secret could not be read becomes active again and receives the events it missed. Costs no credits.',
    params: WebhookById,
    responses: {
      200: Type.Object({ id: Type.String(), secret: Secret }, { title: 'WebhookSecret' }),
    },
    errors: [404],
    async respond({ params, caller }) {
      const key = ownKey(params.id, caller);
      const secret = newWebhookSecret();
      const input = { ...key, secret, encryptionKeys: deps.encryptionKeys, realNow: realNowMs() };
      const rotated = await deps.db.transaction((tx) => rotateSecret(tx, input));
      if (!rotated) throw noSuchWebhook();
      const ended = { cause: 'secret_unreadable', now: deps.clock.nowMs() } as const;
      if (await resumeFromCause(deps.db, key, ended)) deps.deliverySignal.raise();
      return { json: { id: key.webhookId, secret } };
    },
  });

const noSuchWebhook = () => new Problem('webhook_not_found', 'No webhook has this id.');

/** The key of a webhook. It includes the caller's account, so no other account's one matches. */
function ownKey(id: string, caller: Caller): { accountId: string; webhookId: string } {
  const webhookId = id.toLowerCase();
  if (!isId(webhookId)) throw noSuchWebhook();
  return { accountId: caller.account.accountId, webhookId };
}

export async function ownWebhook(
  deps: Pick<WebhookDeps, 'db' | 'clock'>,
  id: string,
  caller: Caller,
): Promise<Subscription> {
  const key = ownKey(id, caller);
  const webhook = await findSubscription(deps.db, { ...key, now: deps.clock.nowMs() });
  if (webhook === undefined) throw noSuchWebhook();
  return webhook;
}

/** Returns null for all event types. */
function kindsOf(events: readonly (EventKind | typeof EVERYTHING)[]): EventKind[] | null {
  const kinds = events.filter((event) => event !== EVERYTHING);
  if (kinds.length === events.length) return [...new Set(kinds)];
  if (kinds.length === 0) return null;
  // Beside the wildcard only kinds that it does not include.
  if (!kinds.some(isDetectedKind)) return [...new Set([...EVENT_KINDS, ...kinds])];
  throw new Problem(
    'webhook_events_invalid',
    'Body member events must be a list of event types, or ["*"] alone for all of them.',
    { field: 'events' },
  );
}

/** Throws for an unknown time zone, and for quiet hours that are empty. */
function quietHoursOf(
  body: Static<typeof QuietHoursSchema> | undefined,
): QuietHours | null | undefined {
  if (body === null || body === undefined) return body;
  const { from, to, time_zone: timeZone } = body;
  if (from !== to && isTimeZone(timeZone)) return { from, to, timeZone };
  const [field, rule] =
    from === to ? ['to', 'another time than from'] : ['time_zone', 'a time zone'];
  throw new Problem('parameter_invalid', `Body member quiet_hours.${field} must be ${rule}.`, {
    field: `quiet_hours.${field}`,
  });
}

const quietRecord = (quiet: QuietHours | null) =>
  quiet && { from: quiet.from, to: quiet.to, time_zone: quiet.timeZone };

function webhookRecord(webhook: Subscription): Record<string, unknown> {
  return {
    id: webhook.webhookId,
    name: webhook.name,
    method: 'POST',
    url: webhook.url,
    events: webhook.kinds ?? [EVERYTHING],
    tags: webhook.tags,
    quiet_hours: quietRecord(webhook.quietHours),
    status: webhook.status,
    paused_reason: webhook.pausedReason,
    paused_cause: webhook.pauseCause,
    created_at: isoTime(webhook.createdAtMs),
    last_delivery_at: webhook.lastDeliveryAtMs === null ? null : isoTime(webhook.lastDeliveryAtMs),
    success_rate: webhook.successRate,
  };
}
