// A webhook as the API shows and accepts it: schemas, and what they become inside.
import { type Static, Type } from 'typebox';
import {
  ALL_KINDS,
  EVENT_KINDS,
  type EventKind,
  isDetectedKind,
  NAMED_KINDS,
} from '../events/kind.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import type { Digest } from '../webhooks/digest-period.ts';
import { PAUSE_CAUSES, type PauseCause } from '../webhooks/endpoint-health.ts';
import { isTimeZone } from '../webhooks/local-time.ts';
import type { QuietHours } from '../webhooks/quiet-hours.ts';
import type { Subscription } from '../webhooks/subscription-row.ts';
import { TagSchema } from './tracked-record.ts';
import { DateTime, isoTime, nullable, TEXT_PATTERN } from './wire.ts';

export const NAME_CHARS_MAX = 200;
const EVERYTHING = '*';
const STATUSES = ['Active', 'Paused'] as const;

export const NameSchema = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  pattern: `^(?=[\\s\\S]*\\S)${TEXT_PATTERN.slice(1)}`,
  description: `a name of 1 to ${NAME_CHARS_MAX} characters, not only spaces`,
});
export const UrlSchema = Type.String({
  // URL parsing drops these characters, so a different URL would be called than the one sent.
  pattern: '^[^\\s\\p{Cc}\\p{Cs}]+$',
  description: 'a URL that starts with https://, without spaces',
});
export const EventsSchema = Type.Array(
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
export const TagsSchema = nullable(
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
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'the name of a time zone, such as Europe/Berlin',
});
export const QuietHoursSchema = nullable(
  Type.Object(
    {
      from: LocalTime,
      to: LocalTime,
      time_zone: TimeZone,
    },
    {
      title: 'QuietHours',
      description:
        'an object of from, to (exclusive) and time_zone between which deliveries are held and sent afterwards, or null for none',
    },
  ),
);
export const DigestSchema = nullable(
  Type.Object(
    {
      every: Type.Unsafe<Digest['every']>({
        type: 'string',
        enum: ['hour', 'day'],
        description: 'hour or day',
      }),
      time_zone: Type.Optional(TimeZone),
    },
    {
      title: 'Digest',
      description:
        'an object of every (hour or day) and time_zone (UTC unless given) for one delivery per local hour or day that has events, or null for one per event',
    },
  ),
);
export const SuccessSchema = Type.Unsafe<'200_201' | 'any_2xx'>({
  type: 'string',
  enum: ['200_201', 'any_2xx'],
  description: '200_201 or any_2xx: the statuses that count as received',
});
export const StatusSchema = Type.Unsafe<Subscription['status']>({
  type: 'string',
  enum: [...STATUSES],
  description: STATUSES.join(' or '),
});

export const WebhookRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    method: Type.Literal('POST'),
    url: Type.String(),
    events: EventsSchema,
    tags: TagsSchema,
    quiet_hours: QuietHoursSchema,
    digest: DigestSchema,
    success_status: SuccessSchema,
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
export const Secret = Type.String({ description: SECRET_WORDS });
export const NewWebhookRecord = Type.Object(
  { ...WebhookRecord.properties, secret: Secret },
  { title: 'CreatedWebhook' },
);

/** Returns null for all event types. */
export function kindsOf(events: readonly (EventKind | typeof EVERYTHING)[]): EventKind[] | null {
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
export function quietHoursOf(
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

/** Throws for an unknown time zone. */
export function digestOf(body: Static<typeof DigestSchema> | undefined): Digest | null | undefined {
  if (body === null || body === undefined) return body;
  const { every, time_zone: timeZone = 'UTC' } = body;
  if (isTimeZone(timeZone)) return { every, timeZone };
  const field = 'digest.time_zone';
  throw new Problem('parameter_invalid', `Body member ${field} must be a time zone.`, { field });
}

const digestRecord = (digest: Digest | null) =>
  digest && { every: digest.every, time_zone: digest.timeZone };

const quietRecord = (quiet: QuietHours | null) =>
  quiet && { from: quiet.from, to: quiet.to, time_zone: quiet.timeZone };

export function webhookRecord(webhook: Subscription): Record<string, unknown> {
  return {
    id: webhook.webhookId,
    name: webhook.name,
    method: 'POST',
    url: webhook.url,
    events: webhook.kinds ?? [EVERYTHING],
    tags: webhook.tags,
    quiet_hours: quietRecord(webhook.quietHours),
    digest: digestRecord(webhook.digest),
    success_status: webhook.acceptsAny2xx ? 'any_2xx' : '200_201',
    status: webhook.status,
    paused_reason: webhook.pausedReason,
    paused_cause: webhook.pauseCause,
    created_at: isoTime(webhook.createdAtMs),
    last_delivery_at: webhook.lastDeliveryAtMs === null ? null : isoTime(webhook.lastDeliveryAtMs),
    success_rate: webhook.successRate,
  };
}
