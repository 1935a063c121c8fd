// A row of the `deliveries` table: its columns, the types it is read into, and its key as
// parameters.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { inLanes } from '../database/database.ts';
import { lane } from '../database/families.ts';
import type { NewEvent } from '../events/events.ts';
import { isoTime } from '../foundation/clock.ts';
import { idFrom } from '../foundation/id.ts';

export type WebhookKey = { accountId: string; webhookId: string };

export type Delivery = WebhookKey & {
  /** Sent as `webhook-id`: the same in every attempt. */
  deliveryId: string;
  eventId: string;
  /** Time of the event. */
  atMs: number;
  kind: string;
  /** null: that of the event. */
  payload: string | null;
};

/** The id is derived: an event always has the same delivery to a webhook. */
export function deliveryOf(
  { accountId, eventId, atMs, kind }: NewEvent,
  webhookId: string,
): Delivery {
  const deliveryId = idFrom('delivery', webhookId, eventId);
  return { accountId, webhookId, deliveryId, eventId, atMs, kind, payload: null };
}

/** `attemptsBefore`: attempts subtracted from both counters before they would exceed smallint. */
export type PendingDelivery = Delivery & {
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

export const COLUMNS = `d.account_id, d.webhook_id, d.delivery_id, d.event_id, d.at, d.kind,
  d.payload, d.attempts, d.attempts_uncounted, d.attempts_before, d.due_at, d.is_manual`;

export const fromRow = (row: DeliveryRow): PendingDelivery => ({
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

/** `attemptTimes` is null where they were not noted. */
export type ShownDelivery = Delivery & { state: DeliveryState; attemptTimes: string[] | null };

export type ShownRow = DeliveryRow & { state: DeliveryState; attempt_times: string[] | null };

export const SHOWN_COLUMNS = `${COLUMNS}, d.state, to_json(d.attempt_times) as attempt_times`;

export const shownFrom = (row: ShownRow): ShownDelivery => ({
  ...fromRow(row),
  state: row.state,
  attemptTimes: row.attempt_times,
});

export type DeliveryKey = { accountId: string; deliveryId: string; atMs: number };

export type KeyRow = Pick<DeliveryRow, 'account_id' | 'delivery_id' | 'at'>;

export const keyFrom = (row: KeyRow): DeliveryKey => ({
  accountId: row.account_id,
  deliveryId: row.delivery_id,
  atMs: row.at,
});

/** `dueAtMs` null: held until the webhook is active again. */
export type Due = DeliveryKey & { dueAtMs: number | null };

export type DeliveryState = 'pending' | 'succeeded' | 'failed';

export type Settled = DeliveryKey & {
  attemptId: string;
  isReceived: boolean;
  /** null: no further attempt; or held, if `isPending`. */
  dueAtMs: number | null;
  isPending: boolean;
};

export type Abandoned = DeliveryKey & WebhookKey & { attemptId: string; attemptAtMs: number };

export type AbandonedRow = DeliveryRow & { attempt_id: string; attempt_at: number };

export const abandonedFrom = (row: AbandonedRow): Abandoned => ({
  ...fromRow(row),
  attemptId: row.attempt_id,
  attemptAtMs: row.attempt_at,
});

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

/** How many pending deliveries of a webhook to read. */
export type WebhookRoom = WebhookKey & { room: number; isPaused: boolean };

const roomArrays = (webhooks: readonly WebhookRoom[]) => [
  plainArray(webhooks.map(({ accountId }) => lane(accountId))),
  plainArray(webhooks.map(({ accountId }) => accountId)),
  plainArray(webhooks.map(({ webhookId }) => webhookId)),
  plainArray(webhooks.map(({ room }) => room)),
  plainArray(webhooks.map(({ isPaused }) => String(isPaused))),
];

export const timeArray = (times: readonly (number | null)[]) =>
  plainArray(times.map((atMs) => (atMs === null ? 'NULL' : isoTime(atMs))));

/** Joins deliveries `d` to the keys `n` of KEY_ARRAYS. */
export const SAME_KEY = `d.lane = n.lane and d.account_id = n.account_id
      and d.delivery_id = n.delivery_id and d.at = n.at and ${inLanes('d.lane', '$1')}`;
/** Releases the lease of a delivery. */
export const NO_LEASE = `lease_until = null, lease_token = null, attempt_id = null,
      attempt_at = null`;

/** Both counters are smallint: near the limit this much moves from both to `attempts_before`. */
const REBASED = 16_384;
const rebasedBy = `case when d.attempts >= ${REBASED} + 8 then ${REBASED} else 0 end`;
/** Counts an attempt that begins. */
export const COUNT_ATTEMPT = `attempts = d.attempts + 1 - ${rebasedBy},
          attempts_uncounted = d.attempts_uncounted - ${rebasedBy},
          attempts_before = d.attempts_before + ${rebasedBy}`;

/** Attempts whose times a delivery keeps; nobody reads on. */
export const ATTEMPTS_LISTED_MAX = 100;
/**
 * Notes when an attempt begins, by which it is found. A delivery that was attempted before times
 * were noted has none.
 */
export const noteAttempt = (at: string) =>
  `attempt_times = case when d.attempt_times is null and d.attempts > 0
                          or cardinality(d.attempt_times) >= ${ATTEMPTS_LISTED_MAX}
                        then d.attempt_times else d.attempt_times || ${at} end`;

/** The condition for one delivery; `keyValues` are its parameters. */
export const OF_KEY = 'lane = $1 and account_id = $2 and delivery_id = $3 and at = $4';
export const keyValues = ({ accountId, deliveryId, atMs }: DeliveryKey) => [
  lane(accountId),
  accountId,
  deliveryId,
  isoTime(atMs),
];

/**
 * `dueAtMs` null: held until the webhook is active again. With `digestId` it goes out within that
 * digest and is never due itself.
 */
export type NewDelivery = Delivery & {
  dueAtMs: number | null;
  isManual?: boolean;
  digestId?: string;
};

const newValues = (deliveries: readonly NewDelivery[]) => [
  ...keyArrays(deliveries),
  plainArray(deliveries.map(({ webhookId }) => webhookId)),
  plainArray(deliveries.map(({ eventId }) => eventId)),
  plainArray(deliveries.map(({ kind }) => kind)),
  textArray(deliveries.map(({ payload }) => payload)),
  timeArray(deliveries.map(({ dueAtMs }) => dueAtMs)),
  plainArray(deliveries.map(({ isManual = false }) => String(isManual))),
  plainArray(deliveries.map(({ digestId }) => digestId ?? 'NULL')),
];

export type DigestKey = { accountId: string; digestId: string };

/** An event that was gathered for a digest; `count` is that of its kind in the digest. */
export type Gathered = DigestKey & {
  eventId: string;
  atMs: number;
  kind: string;
  count: number;
};

export type GatheredRow = Pick<DeliveryRow, 'account_id' | 'event_id' | 'at' | 'kind'> & {
  digest_id: string;
  count: number;
};

export const gatheredFrom = (row: GatheredRow): Gathered => ({
  digestId: row.digest_id,
  accountId: row.account_id,
  eventId: row.event_id,
  atMs: row.at,
  kind: row.kind,
  count: row.count,
});

/** The webhook of a delivery, and the start of its retry window. */
export type RetryState = WebhookKey & { retriesSinceAtMs: number | null };

export type RetryStateRow = { webhook_id: string; retries_since: number | null };

export const retryStateFrom = (
  { accountId }: { accountId: string },
  row: RetryStateRow,
): RetryState => ({ accountId, webhookId: row.webhook_id, retriesSinceAtMs: row.retries_since });

/** Limit on manual retries of a delivery, in a window of real time that the first retry opens. */
export type RetryWindow = { realNow: number; windowMs: number; retriesMax: number };

const repeatValues = (
  deliveries: readonly Due[],
  { realNow, windowMs, retriesMax }: RetryWindow,
) => [
  ...keyArrays(deliveries),
  timeArray(deliveries.map(({ dueAtMs }) => dueAtMs)),
  isoTime(realNow),
  isoTime(realNow - windowMs),
  retriesMax,
];

export type DueNow = RetryWindow & {
  accountId: string;
  deliveryId: string;
  now: number;
  attemptsMax: number;
};

const dueNowValues = ({ accountId, realNow, windowMs, ...input }: DueNow) => [
  lane(accountId),
  accountId,
  input.deliveryId,
  isoTime(input.now),
  input.attemptsMax,
  isoTime(realNow),
  isoTime(realNow - windowMs),
  input.retriesMax,
];

const settledValues = (settled: readonly Settled[]) => [
  ...keyArrays(settled),
  plainArray(settled.map(({ attemptId }) => attemptId)),
  plainArray(settled.map(({ isReceived }) => String(isReceived))),
  plainArray(settled.map(({ isPending }) => String(isPending))),
  timeArray(settled.map(({ dueAtMs }) => dueAtMs)),
];

export type Lease = { until: number; token: string; attemptAtMs: number };

const leaseValues = (begun: readonly (DeliveryKey & { attemptId: string })[], lease: Lease) => [
  ...keyArrays(begun),
  plainArray(begun.map(({ attemptId }) => attemptId)),
  isoTime(lease.until),
  lease.token,
  isoTime(lease.attemptAtMs),
];

/**
 * Counts a manual retry in the open window, or opens a new one. A delivery that was never attempted
 * is not a retry. A window that began before `before` is closed.
 */
export const countRetry = (of: string, { now, before }: { now: string; before: string }) =>
  `retries_in_window = case when ${of}attempts = 0 then 0
                            when ${of}retries_since > ${before} then ${of}retries_in_window + 1
                            else 1 end,
   retries_since = case when ${of}retries_since > ${before} then ${of}retries_since
                        else ${now} end`;

export type Released = Due & { attemptId: string };

const releasedValues = (released: readonly Released[]) => [
  ...keyArrays(released),
  plainArray(released.map(({ attemptId }) => attemptId)),
  timeArray(released.map(({ dueAtMs }) => dueAtMs)),
];

const movedValues = (moved: readonly Delivery[], now: number) => [
  ...keyArrays(moved),
  textArray(moved.map(({ payload }) => payload)),
  isoTime(now),
];

const gatheredValues = (digests: readonly DigestKey[]) => [
  plainArray(digests.map(({ accountId }) => lane(accountId))),
  plainArray(digests.map(({ accountId }) => accountId)),
  plainArray(digests.map(({ digestId }) => digestId)),
];

/** The parameters of each statement, in its order. */
export const parameters = {
  inserted: newValues,
  repeated: repeatValues,
  room: roomArrays,
  leased: leaseValues,
  settled: settledValues,
  released: releasedValues,
  dueNow: dueNowValues,
  moved: movedValues,
  gathered: gatheredValues,
};
