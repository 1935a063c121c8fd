// A delivery as a row of its table: its columns, what they are read into, and its key as parameters.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';

export type WebhookKey = { accountId: string; webhookId: string };

export type Delivery = WebhookKey & {
  /** Goes out as webhook-id: the same at every attempt. */
  deliveryId: string;
  eventId: string;
  /** Of the event. */
  atMs: number;
  kind: string;
  /** null: the event's own. */
  payload: string | null;
};

/** `attemptsBefore`: what was taken off both counters before they reached the end of their type. */
export type Waiting = Delivery & {
  attempts: number;
  attemptsUncounted: number;
  attemptsBefore: number;
  dueAtMs: number;
  isManual: boolean;
};

export type DeliveryRow = {
  account_id: string;
  webhook_id: string;
  delivery_id: string;
  event_id: string;
  at: number;
  kind: string;
  payload: string | null;
  attempts: number;
  attempts_uncounted: number;
  attempts_before: number;
  due_at: number;
  is_manual: boolean;
};

export const COLUMNS = `d.account_id, d.webhook_id, d.delivery_id, d.event_id, d.at, d.kind, d.payload,
  d.attempts, d.attempts_uncounted, d.attempts_before, d.due_at, d.is_manual`;

export const fromRow = (row: DeliveryRow): Waiting => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  deliveryId: row.delivery_id,
  eventId: row.event_id,
  atMs: row.at,
  kind: row.kind,
  payload: row.payload,
  attempts: row.attempts,
  attemptsUncounted: row.attempts_uncounted,
  attemptsBefore: row.attempts_before,
  dueAtMs: row.due_at,
  isManual: row.is_manual,
});

export type DeliveryKey = { accountId: string; deliveryId: string; atMs: number };

export const KEY_ARRAYS = '$1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[]';
export const keyArrays = (keys: readonly DeliveryKey[]) => [
  plainArray(keys.map(({ accountId }) => lane(accountId))),
  plainArray(keys.map(({ accountId }) => accountId)),
  plainArray(keys.map(({ deliveryId }) => deliveryId)),
  plainArray(keys.map(({ atMs }) => isoTime(atMs))),
];
export const webhookValues = (key: WebhookKey) => [
  lane(key.accountId),
  key.accountId,
  key.webhookId,
];
export const timeArray = (times: readonly (number | null)[]) =>
  plainArray(times.map((atMs) => (atMs === null ? 'NULL' : isoTime(atMs))));

/** One delivery, and its values. */
export const OF_KEY = 'lane = $1 and account_id = $2 and delivery_id = $3 and at = $4';
export const keyValues = ({ accountId, deliveryId, atMs }: DeliveryKey) => [
  ...[lane(accountId), accountId, deliveryId, isoTime(atMs)],
];

/** `dueAt` null: held until the registration is active again. */
export type NewDelivery = Delivery & { dueAtMs: number | null; isManual?: boolean };

/** A new one's values, in the order of its insert. */
export const newValues = (deliveries: readonly NewDelivery[]) => [
  ...keyArrays(deliveries),
  plainArray(deliveries.map(({ webhookId }) => webhookId)),
  plainArray(deliveries.map(({ eventId }) => eventId)),
  plainArray(deliveries.map(({ kind }) => kind)),
  textArray(deliveries.map(({ payload }) => payload)),
  timeArray(deliveries.map(({ dueAtMs }) => dueAtMs)),
  plainArray(deliveries.map(({ isManual = false }) => String(isManual))),
];

/** How often a delivery may be retried by hand: in a window of real time that the first retry opens. */
export type RetryWindow = { realNow: number; windowMs: number; retriesMax: number };

/**
 * One more in the window, or the first of a new one; what was never tried is not retried. `before`: a window that began
 * earlier is closed.
 */
export const countRetry = (of: string, { now, before }: { now: string; before: string }) =>
  `retries_in_window = case when ${of}attempts = 0 then 0
                            when ${of}retries_since > ${before} then ${of}retries_in_window + 1 else 1 end,
   retries_since = case when ${of}retries_since > ${before} then ${of}retries_since else ${now} end`;
