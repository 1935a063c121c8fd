// The `deliveries` table: one row per event and webhook, with its due time and its lease.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { rotationOf } from '../database/lane-groups.ts';
import { monthStartMs } from '../database/partitions.ts';
import { isoTime } from '../foundation/clock.ts';
import {
  type Abandoned,
  type AbandonedRow,
  abandonedFrom,
  COLUMNS,
  COUNT_ATTEMPT,
  countRetry,
  type Delivery,
  type DeliveryKey,
  type DeliveryRow,
  type DigestKey,
  type Due,
  type DueNow,
  fromRow,
  type GatheredRow,
  gatheredFrom,
  KEY_ARRAYS,
  type KeyRow,
  keyArrays,
  keyFrom,
  keyValues,
  type Lease,
  type NewDelivery,
  NO_LEASE,
  noteAttempt,
  OF_KEY,
  type PendingDelivery,
  parameters,
  type Released,
  type RetryState,
  type RetryStateRow,
  type RetryWindow,
  retryStateFrom,
  SAME_KEY,
  type Settled,
  SHOWN_COLUMNS,
  type ShownRow,
  shownFrom,
  type WebhookKey,
  type WebhookRoom,
  webhookValues,
} from './delivery-row.ts';

export const DELIVERIES_TABLE = 'deliveries';

type WithId = Pick<DeliveryRow, 'delivery_id'>;
const idsOf = (rows: readonly WithId[]) => new Set(rows.map((row) => row.delivery_id));

/** Inserts deliveries that do not exist yet and returns their ids. */
const INSERT = statement(
  'insert-deliveries',
  `insert into deliveries as d (lane, account_id, delivery_id, at, webhook_id, event_id, kind,
                                payload, state, due_at, is_manual, digest_id)
   select n.lane, n.account_id, n.delivery_id, n.at, n.webhook_id, n.event_id, n.kind, n.payload,
          case when n.digest_id is null then 'pending' else 'succeeded' end, n.due_at, n.is_manual,
          n.digest_id
     from unnest(${KEY_ARRAYS}, $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::timestamptz[],
                 $10::boolean[], $11::uuid[])
            as n(lane, account_id, delivery_id, at, webhook_id, event_id, kind, payload, due_at,
                 is_manual, digest_id)
   on conflict (lane, account_id, delivery_id, at) do nothing
   returning d.delivery_id`,
);

export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
): Promise<Set<string>> {
  if (deliveries.length === 0) return new Set();
  return idsOf(await tx.query<WithId>(INSERT, parameters.inserted(deliveries)));
}

/** Deliveries never received become due again; attempted ones count as retries. */
const REPEAT = statement(
  'repeat-deliveries',
  `update deliveries d
      set state = 'pending', due_at = n.due_at, attempts_uncounted = d.attempts,
          ${countRetry('d.', { now: '$6::timestamptz', before: '$7::timestamptz' })}
     from unnest(${KEY_ARRAYS}, $5::timestamptz[]) as n(lane, account_id, delivery_id, at, due_at)
    where ${SAME_KEY} and not d.was_received and d.lease_until is null and d.digest_id is null
      and (d.attempts = 0 or d.retries_since is null or d.retries_since <= $7
           or d.retries_in_window < $8)
   returning d.retries_in_window`,
);

/**
 * Inserts deliveries; existing ones that were never received become due with a new schedule.
 * Returns their number, and how many of them were already retried in the window. `retriesMax` 0
 * skips those. The caller holds the webhook's lock. Two statements, because Citus accepts no
 * parameter in the ON CONFLICT clause of an INSERT … SELECT.
 */
export async function repeatDeliveries(
  tx: Transaction,
  { deliveries, ...input }: { deliveries: readonly NewDelivery[]; existing: readonly Due[] },
  window: RetryWindow,
): Promise<{ count: number; repeated: number }> {
  const inserted = await insertDeliveries(tx, deliveries);
  const isOld = ({ deliveryId }: NewDelivery) => !inserted.has(deliveryId);
  const existing = [...deliveries.filter(isOld), ...input.existing];
  if (existing.length === 0) return { count: inserted.size, repeated: 0 };
  const values = parameters.repeated(existing, window);
  const rows = await tx.query<{ retries_in_window: number }>(REPEAT, values);
  const repeated = rows.filter((row) => row.retries_in_window > 1).length;
  return { count: inserted.size + rows.length, repeated };
}

/** The digests that some deliveries went out with, as far as they were closed. */
const DIGESTS_OF = statement(
  'digests-of-deliveries',
  `select distinct g.account_id, g.delivery_id, g.at
     from unnest(${KEY_ARRAYS}) as n(lane, account_id, delivery_id, at)
     join deliveries d on ${SAME_KEY}
     join deliveries g on g.lane = d.lane and g.account_id = d.account_id
      and g.delivery_id = d.digest_id and ${inLanes('g.lane', '$1')}`,
);

export async function readDigestsOf(tx: Transaction, keys: readonly DeliveryKey[]) {
  return (await tx.query<KeyRow>(DIGESTS_OF, keyArrays(keys))).map(keyFrom);
}

/** Of each kind; more are never listed in a digest. */
const NEWEST_PER_KIND = 10;

/** The events of some digests: how many of each kind, and the newest of each. */
const GATHERED = statement(
  'read-gathered-events',
  `select d.account_id, d.digest_id, d.event_id, d.at, d.kind, d.count
     from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as n(lane, account_id, digest_id)
    cross join lateral (
      select m.account_id, m.digest_id, m.event_id, m.at, m.kind,
             count(*) over (partition by m.kind) as count,
             row_number() over (partition by m.kind order by m.at desc, m.event_id) as place
        from deliveries m
       where m.lane = n.lane and m.account_id = n.account_id and m.digest_id = n.digest_id
         and ${inLanes('m.lane', '$1')}) as d
    where d.place <= $4`,
);

export async function readGathered(tx: Connection, digests: readonly DigestKey[]) {
  const values = [...parameters.gathered(digests), NEWEST_PER_KIND];
  return (await tx.query<GatheredRow>(GATHERED, values)).map(gatheredFrom);
}

/**
 * Pending deliveries of some webhooks, earliest first, up to `room` each. Of a paused webhook only
 * those made due by hand: the others are just not held yet.
 */
const READ_PENDING = statement(
  'read-waiting-deliveries',
  `select ${COLUMNS}
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::integer[], $5::boolean[])
            as webhook(lane, account_id, webhook_id, room, is_paused)
    cross join lateral (
      select ${COLUMNS}
        from deliveries d
       where d.lane = webhook.lane and ${inLanes('d.lane', '$1')}
         and d.account_id = webhook.account_id
         and d.webhook_id = webhook.webhook_id and d.state = 'pending' and d.due_at is not null
         and (d.is_manual or not webhook.is_paused) and d.delivery_id <> all($6::uuid[])
       order by d.due_at
       limit webhook.room) as d`,
);

/** The caller holds the locks of the webhooks' health rows, so that nobody else claims these. */
export async function readPending(
  tx: Connection,
  webhooks: readonly WebhookRoom[],
  except: readonly string[] = [],
): Promise<PendingDelivery[]> {
  const values = [...parameters.room(webhooks), plainArray(except)];
  return (await tx.query<DeliveryRow>(READ_PENDING, values)).map(fromRow);
}

/** Begins an attempt: sets its lease and the id and time of its log entry. */
const LEASE = statement(
  'lease-deliveries',
  `update deliveries d
      set due_at = null,
          ${COUNT_ATTEMPT}, ${noteAttempt('$8::timestamptz')},
          lease_until = $6, lease_token = $7,
          attempt_id = n.attempt_id, attempt_at = $8
     from unnest(${KEY_ARRAYS}, $5::uuid[]) as n(lane, account_id, delivery_id, at, attempt_id)
    where ${SAME_KEY}`,
);

export async function leaseDeliveries(
  tx: Transaction,
  begun: readonly (DeliveryKey & { attemptId: string })[],
  lease: Lease,
): Promise<void> {
  await tx.query(LEASE, parameters.leased(begun, lease));
}

/** Saves outcomes of attempts that still have their lease. A received delivery stays received. */
const SETTLE = statement(
  'settle-deliveries',
  `update deliveries d
      set state = case when n.is_pending then 'pending'
                       when n.is_received or d.was_received then 'succeeded' else 'failed' end,
          was_received = d.was_received or n.is_received, due_at = n.due_at, is_manual = false,
          ${NO_LEASE}
     from unnest(${KEY_ARRAYS}, $5::uuid[], $6::boolean[], $7::boolean[], $8::timestamptz[])
            as n(lane, account_id, delivery_id, at, attempt_id, is_received, is_pending, due_at)
    where ${SAME_KEY} and d.attempt_id = n.attempt_id
   returning d.delivery_id`,
);

export async function settleDeliveries(tx: Transaction, settled: readonly Settled[]) {
  return idsOf(await tx.query<WithId>(SETTLE, parameters.settled(settled)));
}

/** Attempts that get no outcome: their lease expired, or their process (`token`) is stopping. */
export async function readAbandoned(
  db: Database,
  input: { realNow: number; token: string | null; limit: number; except?: readonly string[] },
): Promise<Abandoned[]> {
  const except = plainArray(input.except ?? []);
  const rows = await rotationOf(db, 'retry-abandoned')(input.limit, ({ lanes, limit }) =>
    db.query<AbandonedRow>(
      `select ${COLUMNS}, d.attempt_id, d.attempt_at from deliveries d
        where ${inLanes('d.lane', '$1')}
          and d.lease_until is not null and (d.lease_until < $2 or d.lease_token = $3)
          and d.delivery_id <> all($4::uuid[])
        limit $5`,
      [plainArray(lanes), isoTime(input.realNow), input.token, except, limit],
    ),
  );
  return rows.map(abandonedFrom);
}

/** Makes them due again without counting the attempt; returns the ids that were still abandoned. */
export async function releaseAbandoned(tx: Transaction, abandoned: readonly Released[]) {
  const text = `update deliveries d
        set due_at = n.due_at, attempts_uncounted = d.attempts_uncounted + 1,
            ${NO_LEASE}
       from unnest(${KEY_ARRAYS}, $5::uuid[], $6::timestamptz[])
              as n(lane, account_id, delivery_id, at, attempt_id, due_at)
      where ${SAME_KEY} and d.attempt_id = n.attempt_id
      returning d.delivery_id`;
  return idsOf(await tx.query<WithId>(text, parameters.released(abandoned)));
}

/** A delivery for display. */
export async function readDelivery(db: Database, key: Omit<DeliveryKey, 'atMs'>) {
  const [row] = await db.read<ShownRow>(
    `select ${SHOWN_COLUMNS} from deliveries d
      where d.lane = $1 and d.account_id = $2 and d.delivery_id = $3`,
    [lane(key.accountId), key.accountId, key.deliveryId],
  );
  return row && shownFrom(row);
}

/** The webhook of a delivery that goes out by itself, and the start of its retry window. */
export async function findDelivery(
  tx: Transaction,
  key: { accountId: string; deliveryId: string },
): Promise<RetryState | undefined> {
  const [row] = await tx.query<RetryStateRow>(
    `select webhook_id, retries_since from deliveries
      where lane = $1 and account_id = $2 and delivery_id = $3 and digest_id is null`,
    [lane(key.accountId), key.accountId, key.deliveryId],
  );
  return row && retryStateFrom(key, row);
}

/**
 * Makes a delivery due now, unless it was retried too often. A finished delivery gets one more
 * attempt and no retries after it. A delivery in flight stays as it is. Returns whether the retry
 * was counted.
 */
export async function makeDueNow(tx: Transaction, input: DueNow): Promise<boolean> {
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
    parameters.dueNow(input),
  );
  return rows.length > 0;
}

/** Most deliveries to change while holding a webhook's lock: about 0.1 s. */
export const PART = 2_000;

/** Changes up to `PART` pending deliveries of a webhook that meet a condition. */
const changeSome = (change: string, condition: string) =>
  `update deliveries d set ${change}
     from (select p.lane, p.account_id, p.delivery_id, p.at from deliveries p
            where p.lane = $1 and p.account_id = $2 and p.webhook_id = $3 and p.state = 'pending'
              and ${condition}
            limit ${PART}) as part
    where d.lane = $1 and d.lane = part.lane and d.account_id = part.account_id
      and d.delivery_id = part.delivery_id and d.at = part.at
   returning d.delivery_id`;

const HOLD = changeSome('due_at = null, is_manual = false', 'p.due_at is not null');
const HOLD_REST = changeSome('due_at = null', 'p.due_at is not null and not p.is_manual');
const RESUME = changeSome('due_at = $4', 'p.due_at is null and p.lease_until is null');
const END = changeSome(
  `state = 'failed', due_at = null,
   ${NO_LEASE}`,
  'true',
);

/**
 * Holds the pending deliveries of a paused webhook; `exceptManual` skips those made due by hand
 * since. For this and the next two functions, the caller holds the lock.
 */
export async function holdDeliveries(
  tx: Transaction,
  key: WebhookKey,
  { exceptManual }: { exceptManual: boolean },
): Promise<number> {
  return (await tx.query(exceptManual ? HOLD_REST : HOLD, webhookValues(key))).length;
}

/** Makes held deliveries due. */
export async function resumeDeliveries(
  tx: Transaction,
  input: WebhookKey & { now: number },
): Promise<number> {
  return (await tx.query(RESUME, [...webhookValues(input), isoTime(input.now)])).length;
}

/** Ends unfinished deliveries: their webhook is removed. */
export async function endDeliveries(tx: Transaction, key: WebhookKey): Promise<number> {
  return (await tx.query(END, webhookValues(key))).length;
}

/** Ends a delivery that cannot be sent or finished, whoever has its lease. */
export async function endDelivery(tx: Transaction, key: DeliveryKey): Promise<void> {
  await tx.query(
    `update deliveries
        set state = case when was_received then 'succeeded' else 'failed' end, due_at = null,
            ${NO_LEASE}
      where ${OF_KEY}`,
    keyValues(key),
  );
}

/** Makes a delivery pending again with a new schedule; `dueAtMs` null: held. */
export async function reopenDelivery(tx: Transaction, input: Due): Promise<void> {
  await tx.query(
    `update deliveries set state = 'pending', due_at = $5, attempts_uncounted = attempts
      where ${OF_KEY} and lease_until is null`,
    [...keyValues(input), input.dueAtMs === null ? null : isoTime(input.dueAtMs)],
  );
}

/** Unfinished deliveries of the months before that of `beforeMs`, in the lanes of one group. */
export async function readUnfinished(
  db: Connection,
  { lanes, beforeMs, limit }: { lanes: readonly number[]; beforeMs: number; limit: number },
): Promise<Delivery[]> {
  const text = `select ${COLUMNS} from deliveries d
      where ${inLanes('d.lane', '$1')} and d.at < $2 and d.state = 'pending' limit $3`;
  const values = [plainArray(lanes), isoTime(monthStartMs(beforeMs)), limit];
  return (await db.query<DeliveryRow>(text, values)).map(fromRow);
}

/** The number of those in all lanes, up to some. */
export async function countUnfinished(tx: Transaction, beforeMs: number): Promise<number> {
  const text = `select from deliveries where at < $1 and state = 'pending' limit 100`;
  return (await tx.query(text, [isoTime(monthStartMs(beforeMs))])).length;
}

/**
 * Moves deliveries to the month of `now`, each with its payload. The caller holds the locks of the
 * webhooks' health rows, so that nobody begins or finishes an attempt meanwhile.
 */
export async function moveUnfinished(
  tx: Transaction,
  moved: readonly Delivery[],
  now: number,
): Promise<void> {
  await tx.query(
    `update deliveries d set at = $6, payload = n.payload
       from unnest(${KEY_ARRAYS}, $5::text[]) as n(lane, account_id, delivery_id, at, payload)
      where ${SAME_KEY}`,
    parameters.moved(moved, now),
  );
}
