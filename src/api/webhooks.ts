// /retailer/webhooks: the webhooks of an account. All of these endpoints are free.
import { Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import type { Signal } from '../background/signal.ts';
import type { Database } from '../database/database.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { type Clock, realNowMs } from '../foundation/clock.ts';
import { isId, newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { resumeFromCause } from '../webhooks/resume-from-cause.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import type { Subscription, SubscriptionChange } from '../webhooks/subscription-row.ts';
import {
  changeSubscription,
  deleteSubscription,
  findSubscription,
  insertSubscription,
  listSubscriptions,
  REGISTRATIONS_MAX,
  rotateSecret,
} from '../webhooks/subscriptions.ts';
import { type Endpoint, endpoint } from './metered.ts';
import {
  DigestSchema,
  digestOf,
  EventsSchema,
  kindsOf,
  NAME_CHARS_MAX,
  NameSchema,
  NewWebhookRecord,
  QuietHoursSchema,
  quietHoursOf,
  Secret,
  StatusSchema,
  SuccessSchema,
  TagsSchema,
  UrlSchema,
  WebhookRecord,
  webhookRecord,
} from './webhook-record.ts';
import { refuseBadTarget, type TargetDeps } from './webhook-target.ts';

export const WEBHOOKS_PATH = '/retailer/webhooks';

export const WebhookById = Type.Object({
  id: Type.String({ maxLength: 100, description: 'the id of a webhook' }),
});

export type WebhookDeps = TargetDeps & {
  db: Database;
  clock: Clock;
  encryptionKeys: readonly Buffer[];
  /** Raised when a delivery is due, so that it does not wait for the next poll. */
  deliverySignal: Signal;
  /** Covers all tables that hold deliveries. */
  webhookMonths: PartitionKeeper;
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
        digest: Type.Optional(DigestSchema),
        success_status: Type.Optional(SuccessSchema),
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
      const digest = digestOf(body.digest);
      await refuseBadTarget(deps, url);
      const secret = newWebhookSecret();
      const webhook = {
        accountId: caller.account.accountId,
        webhookId: newId(),
        url,
        kinds,
        tags: body.tags,
        quietHours,
        acceptsAny2xx: acceptsAny2xx(body.success_status),
        digest,
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
      'Events of a paused webhook are recorded but not sent; use recover to send them later. When `digest` changes, what was gathered is sent at once. Costs no credits.',
    params: WebhookById,
    body: Type.Object(
      {
        name: Type.Optional(NameSchema),
        url: Type.Optional(UrlSchema),
        events: Type.Optional(EventsSchema),
        tags: Type.Optional(TagsSchema),
        quiet_hours: Type.Optional(QuietHoursSchema),
        digest: Type.Optional(DigestSchema),
        success_status: Type.Optional(SuccessSchema),
        status: Type.Optional(StatusSchema),
      },
      { title: 'WebhookUpdate' },
    ),
    responses: { 200: WebhookRecord },
    errors: [404],
    async respond({ params, body, caller }) {
      const { events, quiet_hours, digest, success_status, ...plain } = body;
      const change: SubscriptionChange = {
        ...plain,
        quietHours: quietHoursOf(quiet_hours),
        digest: digestOf(digest),
        acceptsAny2xx: acceptsAny2xx(success_status),
        ...(events === undefined ? {} : { kinds: kindsOf(events) }),
      };
      const { accountId, webhookId } = await ownWebhook(deps, params.id, caller);
      if (body.url !== undefined) await refuseBadTarget(deps, body.url);
      const now = deps.clock.nowMs();
      await deps.webhookMonths.ready(now);
      const input = { accountId, webhookId, now, ...change };
      const changed = await changeSubscription(deps.db, input);
      if (changed === undefined) throw noSuchWebhook();
      const mayBeDue = quiet_hours !== undefined || digest !== undefined;
      if (body.status === 'Active' || mayBeDue) deps.deliverySignal.raise();
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

const acceptsAny2xx = (statuses: '200_201' | 'any_2xx' | undefined): boolean | undefined =>
  statuses === undefined ? undefined : statuses === 'any_2xx';
