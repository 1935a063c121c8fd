// Deliveries: one for each event and registration, when it is due, and who is at it.
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { monthStartMs } from '../database/partitions.ts';
import { isoTime } from '../foundation/clock.ts';
import {
  COLUMNS,
  countRetry,
  type Delivery,
  type DeliveryKey,
  type DeliveryRow,
  fromRow,
  KEY_ARRAYS,
  keyArrays,
  keyValues,
  type NewDelivery,
  newValues,
  OF_KEY,
  type RetryWindow,
  timeArray,
  type Waiting,
  type WebhookKey,
  webhookValues,
} from './delivery-row.ts';

export const DELIVERIES_TABLE = 'deliveries';

/** Adds deliveries; of those that are there already it may change some. */
const insertText = (conflict: string) =>
  `insert into deliveries as d (lane, account_id, delivery_id, at, webhook_id, event_id, kind, payload,
                                state, due_at, is_manual)
   select n.lane, n.account_id, n.delivery_id, n.at, n.webhook_id, n.event_id, n.kind, n.payload,
          'pending', n.due_at, n.is_manual
     from unnest(${KEY_ARRAYS}, $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::timestamptz[],
                 $10::boolean[])
            as n(lane, account_id, delivery_id, at, webhook_id, event_id, kind, payload, due_at, is_manual)
   on conflict (lane, account_id, delivery_id, at) do ${conflict}
   returning d.delivery_id, d.retries_in_window`;

const INSERT = statement('insert-deliveries', insertText('nothing'));

export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length > 0) await tx.query(INSERT, newValues(deliveries));
}

/** What is there and was never received is due again. What was tried before counts as a retry by hand. */
const INSERT_OR_REPEAT = statement(
  'insert-or-repeat-deliveries',
  insertText(`update
      set state = 'pending', due_at = excluded.due_at, attempts_uncounted = d.attempts,
          ${countRetry('d.', { now: '$11::timestamptz', before: '$12::timestamptz' })}
    where not d.was_received and d.lease_until is null
      and (d.attempts = 0 or d.retries_since is null or d.retries_since <= $12 or d.retries_in_window < $13)`),
);

/**
 * Adds deliveries, and makes those due that are there and were never received, with a new schedule. Returns how many,
 * and how many of them had been retried by hand in the same window. `retriesMax` 0: those are left as they are.
 */
export async function repeatDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  { realNow, windowMs, retriesMax }: RetryWindow,
): Promise<{ count: number; repeated: number }> {
  if (deliveries.length === 0) return { count: 0, repeated: 0 };
  const rows = await tx.query<{ retries_in_window: number }>(INSERT_OR_REPEAT, [
    ...newValues(deliveries),
    ...[isoTime(realNow), isoTime(realNow - windowMs), retriesMax],
  ]);
  const repeated = rows.filter((row) => row.retries_in_window > 1).length;
  return { count: rows.length, repeated };
}

/**
 * What waits for some registrations, the earliest first, of each only so many; of a paused one what was made due by
 * hand, because the rest may only not have been held yet.
 */
const READ_WAITING = statement(
  'read-waiting-deliveries',
  `select ${COLUMNS}
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::integer[], $5::boolean[])
            as due_webhook(lane, account_id, webhook_id, room, is_paused)
    cross join lateral (
      select ${COLUMNS}
        from deliveries d
       where d.lane = due_webhook.lane and d.account_id = due_webhook.account_id
         and d.webhook_id = due_webhook.webhook_id and d.state = 'pending' and d.due_at is not null
         and (d.is_manual or not due_webhook.is_paused) and d.delivery_id <> all($6::uuid[])
       order by d.due_at
       limit due_webhook.room) as d`,
);

/** The registrations' standings are locked, so that nobody else takes these. */
export async function readWaiting(
  tx: Connection,
  dueWebhooks: readonly (WebhookKey & { room: number; isPaused: boolean })[],
  except: readonly string[] = [],
): Promise<Waiting[]> {
  const rows = await tx.query<DeliveryRow>(READ_WAITING, [
    plainArray(dueWebhooks.map(({ accountId }) => lane(accountId))),
    plainArray(dueWebhooks.map(({ accountId }) => accountId)),
    plainArray(dueWebhooks.map(({ webhookId }) => webhookId)),
    plainArray(dueWebhooks.map(({ room }) => room)),
    plainArray(dueWebhooks.map(({ isPaused }) => String(isPaused))),
    plainArray(except),
  ]);
  return rows.map(fromRow);
}

/** Both counters are smallint: far from their end this much is taken off both and kept beside them. */
const REBASED = 16_384;
const isRebased = `d.attempts >= ${REBASED} + 8`;

/** An attempt begins: until when it is whose, and where it is logged. */
const LEASE = statement(
  'lease-deliveries',
  `update deliveries d
      set due_at = null,
          attempts = d.attempts + 1 - case when ${isRebased} then ${REBASED} else 0 end,
          attempts_uncounted = d.attempts_uncounted - case when ${isRebased} then ${REBASED} else 0 end,
          attempts_before = d.attempts_before + case when ${isRebased} then ${REBASED} else 0 end,
          lease_until = $6, lease_token = $7,
          attempt_id = n.attempt_id, attempt_at = $8
     from unnest(${KEY_ARRAYS}, $5::uuid[]) as n(lane, account_id, delivery_id, at, attempt_id)
    where d.lane = n.lane and d.account_id = n.account_id and d.delivery_id = n.delivery_id
      and d.at = n.at`,
);

export async function leaseDeliveries(
  tx: Transaction,
  begun: readonly (DeliveryKey & { attemptId: string })[],
  lease: { until: number; token: string; attemptAtMs: number },
): Promise<void> {
  await tx.query(LEASE, [
    ...keyArrays(begun),
    plainArray(begun.map(({ attemptId }) => attemptId)),
    ...[isoTime(lease.until), lease.token, isoTime(lease.attemptAtMs)],
  ]);
}

export type Settled = DeliveryKey & {
  attemptId: string;
  isReceived: boolean;
  /** null: of a failed one, no further attempt; or held, when it stays pending. */
  dueAtMs: number | null;
  isPending: boolean;
};

/** What came of attempts that are still theirs; one that was received once stays received. */
const SETTLE = statement(
  'settle-deliveries',
  `update deliveries d
      set state = case when n.is_pending then 'pending'
                       when n.is_received or d.was_received then 'succeeded' else 'failed' end,
          was_received = d.was_received or n.is_received, due_at = n.due_at, is_manual = false,
          lease_until = null, lease_token = null, attempt_id = null, attempt_at = null
     from unnest(${KEY_ARRAYS}, $5::uuid[], $6::boolean[], $7::boolean[], $8::timestamptz[])
            as n(lane, account_id, delivery_id, at, attempt_id, is_received, is_pending, due_at)
    where d.lane = n.lane and d.account_id = n.account_id and d.delivery_id = n.delivery_id
      and d.at = n.at and d.attempt_id = n.attempt_id
   returning d.delivery_id`,
);

export async function settleDeliveries(
  tx: Transaction,
  settled: readonly Settled[],
): Promise<Set<string>> {
  const rows = await tx.query<{ delivery_id: string }>(SETTLE, [
    ...keyArrays(settled),
    plainArray(settled.map(({ attemptId }) => attemptId)),
    plainArray(settled.map(({ isReceived }) => String(isReceived))),
    plainArray(settled.map(({ isPending }) => String(isPending))),
    timeArray(settled.map(({ dueAtMs }) => dueAtMs)),
  ]);
  return new Set(rows.map((row) => row.delivery_id));
}

export type Abandoned = DeliveryKey & WebhookKey & { attemptId: string; attemptAtMs: number };

/** Attempts whose outcome nobody will write: their lease is over, or they are those of one who stops. */
export async function readAbandoned(
  db: Connection,
  input: { realNow: number; token: string | null; limit: number; except?: readonly string[] },
): Promise<Abandoned[]> {
  const rows = await db.query<DeliveryRow & { attempt_id: string; attempt_at: number }>(
    `select ${COLUMNS}, d.attempt_id, d.attempt_at from deliveries d
      where d.lease_until is not null and (d.lease_until < $1 or d.lease_token = $2)
        and d.delivery_id <> all($4::uuid[])
      limit $3`,
    [isoTime(input.realNow), input.token, input.limit, plainArray(input.except ?? [])],
  );
  return rows.map((row) => ({
    ...fromRow(row),
    ...{ attemptId: row.attempt_id, attemptAtMs: row.attempt_at },
  }));
}

/** They are due again and the attempt does not count in the schedule; answers which were still abandoned. */
export async function repeatAbandoned(
  tx: Transaction,
  abandoned: readonly (Abandoned & { dueAtMs: number | null })[],
): Promise<Set<string>> {
  const rows = await tx.query<{ delivery_id: string }>(
    `update deliveries d
        set due_at = n.due_at, attempts_uncounted = d.attempts_uncounted + 1,
            lease_until = null, lease_token = null, attempt_id = null, attempt_at = null
       from unnest(${KEY_ARRAYS}, $5::uuid[], $6::timestamptz[])
              as n(lane, account_id, delivery_id, at, attempt_id, due_at)
      where d.lane = n.lane and d.account_id = n.account_id and d.delivery_id = n.delivery_id
        and d.at = n.at and d.attempt_id = n.attempt_id
      returning d.delivery_id`,
    [
      ...keyArrays(abandoned),
      plainArray(abandoned.map(({ attemptId }) => attemptId)),
      timeArray(abandoned.map(({ dueAtMs }) => dueAtMs)),
    ],
  );
  return new Set(rows.map((row) => row.delivery_id));
}

export type DeliveryState = 'pending' | 'succeeded' | 'failed';

/** A delivery as a customer looks at it. */
export async function readDelivery(
  db: Database,
  key: { accountId: string; deliveryId: string },
): Promise<(Delivery & { state: DeliveryState }) | undefined> {
  const [row] = await db.read<{
    webhook_id: string;
    event_id: string;
    at: number;
    kind: string;
    payload: string | null;
    state: DeliveryState;
  }>(
    `select webhook_id, event_id, at, kind, payload, state from deliveries
      where lane = $1 and account_id = $2 and delivery_id = $3`,
    [lane(key.accountId), key.accountId, key.deliveryId],
  );
  if (row === undefined) return undefined;
  const { webhook_id: webhookId, event_id: eventId, at: atMs, kind, payload, state } = row;
  return { ...key, webhookId, eventId, atMs, kind, payload, state };
}

/** Whose delivery it is, and since when its retries by hand are counted. */
export async function findDelivery(
  tx: Transaction,
  key: { accountId: string; deliveryId: string },
): Promise<(WebhookKey & { retriesSinceAtMs: number | null }) | undefined> {
  const [row] = await tx.query<{ webhook_id: string; retries_since: number | null }>(
    `select webhook_id, retries_since from deliveries
      where lane = $1 and account_id = $2 and delivery_id = $3`,
    [lane(key.accountId), key.accountId, key.deliveryId],
  );
  if (row === undefined) return undefined;
  return {
    accountId: key.accountId,
    webhookId: row.webhook_id,
    retriesSinceAtMs: row.retries_since,
  };
}

/**
 * Due now, unless it was retried too often. Of one that is finished this is one attempt more, without a schedule behind
 * it: all others of the eight count as made. One that is under way stays as it is. Returns whether it was counted.
 */
export async function makeDueNow(
  tx: Transaction,
  input: RetryWindow & { accountId: string; deliveryId: string; now: number; attemptsMax: number },
): Promise<boolean> {
  const { accountId, realNow, windowMs } = input;
  const rows = await tx.query(
    `update deliveries
        set due_at = case when lease_until is null then $4::timestamptz end, state = 'pending',
            is_manual = lease_until is null,
            attempts_uncounted = case when state = 'pending' then attempts_uncounted
                                      else attempts - ($5 - 1) end,
            ${countRetry('', { now: '$6::timestamptz', before: '$7::timestamptz' })}
      where lane = $1 and account_id = $2 and delivery_id = $3
        and (retries_since is null or retries_since <= $7 or retries_in_window < $8)
      returning delivery_id`,
    [
      ...[lane(accountId), accountId, input.deliveryId, isoTime(input.now), input.attemptsMax],
      ...[isoTime(realNow), isoTime(realNow - windowMs), input.retriesMax],
    ],
  );
  return rows.length > 0;
}

/** So many at most are changed at once for a registration whose lock others wait for: about 0.1 s. */
export const PART = 2_000;

/** Changes some of what is pending for a registration, of those that a condition names; answers how many. */
const changeSome = (change: string, condition: string) =>
  `update deliveries d set ${change}
     from (select lane, account_id, delivery_id, at from deliveries
            where lane = $1 and account_id = $2 and webhook_id = $3 and state = 'pending'
              and ${condition}
            limit ${PART}) as part
    where d.lane = part.lane and d.account_id = part.account_id
      and d.delivery_id = part.delivery_id and d.at = part.at
   returning d.delivery_id`;

const HOLD = changeSome('due_at = null, is_manual = false', 'due_at is not null');
const HOLD_REST = changeSome('due_at = null', 'due_at is not null and not is_manual');
const RESUME = changeSome('due_at = $4', 'due_at is null and lease_until is null');
const END = changeSome(
  `state = 'failed', due_at = null,
   lease_until = null, lease_token = null, attempt_id = null, attempt_at = null`,
  'true',
);

/**
 * What waits for a paused registration waits until it is active again; `exceptManual` leaves out what was made due by
 * hand since. Of all three: the lock is held.
 */
export async function holdDeliveries(
  tx: Transaction,
  key: WebhookKey,
  { exceptManual }: { exceptManual: boolean },
): Promise<number> {
  return (await tx.query(exceptManual ? HOLD_REST : HOLD, webhookValues(key))).length;
}

/** What was held is due at once. */
export async function resumeDeliveries(
  tx: Transaction,
  input: WebhookKey & { now: number },
): Promise<number> {
  return (await tx.query(RESUME, [...webhookValues(input), isoTime(input.now)])).length;
}

/** What is not finished ends: nobody is there to receive it. */
export async function endDeliveries(tx: Transaction, key: WebhookKey): Promise<number> {
  return (await tx.query(END, webhookValues(key))).length;
}

/** One that cannot be sent or finished is over, whoever is at it. */
export async function endDelivery(tx: Transaction, key: DeliveryKey): Promise<void> {
  await tx.query(
    `update deliveries
        set state = case when was_received then 'succeeded' else 'failed' end, due_at = null,
            lease_until = null, lease_token = null, attempt_id = null, attempt_at = null
      where ${OF_KEY}`,
    keyValues(key),
  );
}

/** Waits again, with a new schedule; `dueAt` null: held. */
export async function reopenDelivery(
  tx: Transaction,
  input: DeliveryKey & { dueAtMs: number | null },
): Promise<void> {
  const dueAtMs = input.dueAtMs === null ? null : isoTime(input.dueAtMs);
  await tx.query(
    `update deliveries set state = 'pending', due_at = $5, attempts_uncounted = attempts
      where ${OF_KEY} and lease_until is null`,
    [...keyValues(input), dueAtMs],
  );
}

/** What is not finished of the months before the one that holds an instant. */
export async function readUnfinished(
  tx: Transaction,
  input: { beforeMs: number; limit: number },
): Promise<Delivery[]> {
  const rows = await tx.query<DeliveryRow>(
    `select ${COLUMNS} from deliveries d where d.at < $1 and d.state = 'pending' limit $2`,
    [isoTime(monthStartMs(input.beforeMs)), input.limit],
  );
  return rows.map(fromRow);
}

/** Moves deliveries to the month that holds `now`, each with its body. */
export async function keepUnfinished(
  tx: Transaction,
  kept: readonly Delivery[],
  now: number,
): Promise<void> {
  await tx.query(
    `update deliveries d set at = $6, payload = n.payload
       from unnest(${KEY_ARRAYS}, $5::text[]) as n(lane, account_id, delivery_id, at, payload)
      where d.lane = n.lane and d.account_id = n.account_id and d.delivery_id = n.delivery_id
        and d.at = n.at`,
    [...keyArrays(kept), textArray(kept.map(({ payload }) => payload)), isoTime(now)],
  );
}
