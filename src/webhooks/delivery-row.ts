// A delivery as a row of its table: its columns, what they are read into, and its key as parameters.
import { plainArray } from '../database/array-parameter.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';

export type WebhookKey = { accountId: string; webhookId: string };

export type Delivery = WebhookKey & {
  /** Goes out as webhook-id: the same at every attempt. */
  deliveryId: string;
  eventId: string;
  /** Of the event. */
  at: number;
  kind: string;
  /** null: the event's own. */
  payload: string | null;
};

/** `attemptsBefore`: what was taken off both counters before they reached the end of their type. */
export type Waiting = Delivery & {
  attempts: number;
  attemptsUncounted: number;
  attemptsBefore: number;
  dueAt: number;
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
  at: row.at,
  kind: row.kind,
  payload: row.payload,
  attempts: row.attempts,
  attemptsUncounted: row.attempts_uncounted,
  attemptsBefore: row.attempts_before,
  dueAt: row.due_at,
  isManual: row.is_manual,
});

export type DeliveryKey = { accountId: string; deliveryId: string; at: number };

export const KEY_ARRAYS = '$1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[]';
export const keyArrays = (keys: readonly DeliveryKey[]) => [
  plainArray(keys.map(({ accountId }) => lane(accountId))),
  plainArray(keys.map(({ accountId }) => accountId)),
  plainArray(keys.map(({ deliveryId }) => deliveryId)),
  plainArray(keys.map(({ at }) => isoTime(at))),
];
export const webhookValues = (key: WebhookKey) => [
  lane(key.accountId),
  key.accountId,
  key.webhookId,
];
export const timeArray = (times: readonly (number | null)[]) =>
  plainArray(times.map((at) => (at === null ? 'NULL' : isoTime(at))));
