// The `webhook_health` table: the health of each webhook's endpoint, and when the webhook is due.
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  type Statement,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { ClaimFilter, EndpointReliability } from './concurrency-limiter.ts';
import type { EndpointHealth, PauseCause } from './endpoint-health.ts';

export type WebhookKey = { accountId: string; webhookId: string };

export type HealthRecord = WebhookKey & EndpointHealth & { lastDeliveryAtMs: number | null };

type HealthRow = {
  account_id: string;
  webhook_id: string;
  status: EndpointHealth['status'];
  paused_reason: string | null;
  pause_cause: EndpointHealth['pauseCause'];
  paused_at: number | null;
  failing_since: number | null;
  attempts_since_success: number;
  last_delivery_at: number | null;
};

const COLUMNS = `s.account_id, s.webhook_id, s.status, s.paused_reason, s.pause_cause, s.paused_at,
  s.failing_since, s.attempts_since_success, s.last_delivery_at`;

const fromRow = (row: HealthRow): HealthRecord => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  status: row.status,
  pausedReason: row.paused_reason,
  // A release without this column resumes a webhook without clearing the cause.
  pauseCause: row.paused_reason === null ? null : row.pause_cause,
  pausedAtMs: row.status === 'Paused' ? row.paused_at : null,
  firstFailureAtMs: row.failing_since,
  attemptsSinceSuccess: row.attempts_since_success,
  lastDeliveryAtMs: row.last_delivery_at,
});

/** Joins health records `s` to keys `n`, whose lanes are $1. */
const SAME_KEY = `s.lane = n.lane and s.account_id = n.account_id
      and s.webhook_id = n.webhook_id and ${inLanes('s.lane', '$1')}`;

export const keyArrays = (keys: readonly WebhookKey[]): string[] => [
  plainArray(keys.map(({ accountId }) => lane(accountId))),
  plainArray(keys.map(({ accountId }) => accountId)),
  plainArray(keys.map(({ webhookId }) => webhookId)),
];
const timeArray = (times: readonly (number | null)[]) =>
  plainArray(times.map((atMs) => (atMs === null ? 'NULL' : isoTime(atMs))));

export async function insertHealth(
  tx: Transaction,
  input: WebhookKey & { status: EndpointHealth['status'] },
): Promise<void> {
  await tx.query(
    `insert into webhook_health (lane, account_id, webhook_id, status) values ($1, $2, $3, $4)`,
    [lane(input.accountId), input.accountId, input.webhookId, input.status],
  );
}

/** Health of all webhooks of an account, by webhook id. */
export async function readHealthOf(
  db: Connection,
  accountId: string,
): Promise<Map<string, HealthRecord>> {
  const rows = await db.query<HealthRow>(
    `select ${COLUMNS} from webhook_health s where s.lane = $1 and s.account_id = $2`,
    [lane(accountId), accountId],
  );
  return new Map(rows.map((row) => [row.webhook_id, fromRow(row)]));
}

/** Locks the rows of some webhooks, as far as they exist, in key order. */
const LOCK = statement(
  'lock-webhook-health',
  `select ${COLUMNS}
     from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as listed(lane, account_id, webhook_id)
     join webhook_health s on s.lane = listed.lane and s.account_id = listed.account_id
      and s.webhook_id = listed.webhook_id and ${inLanes('s.lane', '$1')}
    order by s.lane, s.account_id, s.webhook_id
      for no key update of s`,
);

export async function lockHealth(
  tx: Transaction,
  keys: readonly WebhookKey[],
): Promise<HealthRecord[]> {
  const rows = await tx.query<HealthRow>(LOCK, keyArrays(keys));
  return rows.map(fromRow);
}

/** The same, skipping rows that others hold. */
const LOCK_FREE = statement('lock-free-webhook-health', `${LOCK.text} skip locked`);

export async function lockFreeHealth(
  tx: Transaction,
  keys: readonly WebhookKey[],
): Promise<HealthRecord[]> {
  const rows = await tx.query<HealthRow>(LOCK_FREE, keyArrays(keys));
  return rows.map(fromRow);
}

/** Locks the active webhooks of some accounts in key order. */
const LOCK_ACTIVE = statement(
  'lock-active-webhooks',
  `select s.account_id, s.webhook_id
     from unnest($1::smallint[], $2::uuid[]) as listed(lane, account_id)
     join webhook_health s on s.lane = listed.lane and s.account_id = listed.account_id
      and ${inLanes('s.lane', '$1')}
    where s.status = 'Active'
    order by s.lane, s.account_id, s.webhook_id
      for no key update of s`,
);

/**
 * Taken before adding deliveries: otherwise a concurrent claim that does not see them yet would
 * record that nothing is due.
 */
export async function lockActive(
  tx: Transaction,
  accountIds: readonly string[],
): Promise<WebhookKey[]> {
  const rows = await tx.query<{ account_id: string; webhook_id: string }>(LOCK_ACTIVE, [
    plainArray(accountIds.map(lane)),
    plainArray(accountIds),
  ]);
  return rows.map((row) => ({ accountId: row.account_id, webhookId: row.webhook_id }));
}

/** Locks all webhooks of an account in key order. */
export async function lockAll(tx: Transaction, accountId: string): Promise<HealthRecord[]> {
  const rows = await tx.query<HealthRow>(
    `select ${COLUMNS} from webhook_health s where s.lane = $1 and s.account_id = $2
      order by s.webhook_id for no key update`,
    [lane(accountId), accountId],
  );
  return rows.map(fromRow);
}

/** Makes webhooks due no later than given. */
const WAKE = statement(
  'wake-webhooks',
  `update webhook_health s
      set due_at = least(s.due_at, n.due_at), claimable_at = least(s.claimable_at, n.due_at)
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[])
            as n(lane, account_id, webhook_id, due_at)
    where ${SAME_KEY}`,
);

/** The rows are locked. */
export async function wake(
  tx: Transaction,
  due: readonly (WebhookKey & { dueAtMs: number })[],
): Promise<void> {
  if (due.length === 0) return;
  await tx.query(WAKE, [...keyArrays(due), timeArray(due.map(({ dueAtMs }) => dueAtMs))]);
}

export type DueWebhook = HealthRecord & { reliability: EndpointReliability };

const reliabilityOf = ({
  lastDeliveryAtMs,
  attemptsSinceSuccess,
}: HealthRecord): EndpointReliability => {
  if (lastDeliveryAtMs === null) return 'untried';
  return attemptsSinceSuccess === 0 ? 'received' : 'failing';
};
const dueWebhookFrom = (row: HealthRow): DueWebhook => {
  const health = fromRow(row);
  return { ...health, reliability: reliabilityOf(health) };
};

/**
 * Due webhooks, longest waiting first, without those that the filter excludes. The claim locks them
 * until the transaction ends and skips rows that others hold.
 */
const DUE_TEXT = `select ${COLUMNS}
     from webhook_health s
    where ${inLanes('s.lane', '$1')} and s.claimable_at <= $2
      and s.webhook_id <> all($3::uuid[]) and s.account_id <> all($4::uuid[])
      and (s.last_delivery_at is not null or $5 and s.account_id <> all($6::uuid[]))
      and (s.attempts_since_success = 0 or s.webhook_id = any($9::uuid[])
           or $7 and s.account_id <> all($8::uuid[]))
    order by s.claimable_at
    limit $10`;

const CLAIM_DUE = statement('claim-due-webhooks', `${DUE_TEXT} for no key update skip locked`);
const READ_DUE = statement('read-due-webhooks', DUE_TEXT);

/** Claims listed webhooks if they are still due and nobody holds them. */
const CLAIM_LISTED = statement(
  'claim-listed-webhooks',
  `${LOCK.text.replace('order by', 'where s.claimable_at <= $4 order by')} skip locked`,
);

type DueInput = { lanes: readonly number[]; now: number; limit: number; filter: ClaimFilter };

export const claimDueWebhooks = (tx: Transaction, input: DueInput) =>
  dueWebhooks(tx, CLAIM_DUE, input);

/** The same without locks. */
export const readDueWebhooks = (db: Connection, input: DueInput) =>
  dueWebhooks(db, READ_DUE, input);

export async function claimListedWebhooks(
  tx: Transaction,
  keys: readonly WebhookKey[],
  now: number,
): Promise<DueWebhook[]> {
  const rows = await tx.query<HealthRow>(CLAIM_LISTED, [...keyArrays(keys), isoTime(now)]);
  return rows.map(dueWebhookFrom);
}

async function dueWebhooks(
  db: Connection,
  which: Statement,
  { lanes, now, limit, filter }: DueInput,
): Promise<DueWebhook[]> {
  const rows = await db.query<HealthRow>(which, [
    plainArray(lanes),
    isoTime(now),
    plainArray(filter.fullWebhooks),
    plainArray(filter.fullAccounts),
    filter.admitsUntried,
    plainArray(filter.untriedFull),
    filter.admitsFailing,
    plainArray(filter.failingFull),
    plainArray(filter.failingButFast),
    limit,
  ]);
  return rows.map(dueWebhookFrom);
}

/** Sets when the earliest waiting delivery is due, and when the webhook can be claimed next. */
const SET_NEXT_DUE = statement(
  'set-webhooks-next-due',
  `update webhook_health s set due_at = n.due_at, claimable_at = greatest(n.due_at, n.not_before)
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[])
            as n(lane, account_id, webhook_id, due_at, not_before)
    where ${SAME_KEY}`,
);

/** After a claim; `dueAtMs` null when nothing waits. The rows are locked. */
export async function setNextDue(
  tx: Transaction,
  dueWebhooks: readonly (WebhookKey & { dueAtMs: number | null })[],
  now: number,
): Promise<void> {
  if (dueWebhooks.length === 0) return;
  await tx.query(SET_NEXT_DUE, [
    ...keyArrays(dueWebhooks),
    timeArray(dueWebhooks.map(({ dueAtMs }) => dueAtMs)),
    timeArray(dueWebhooks.map(({ dueAtMs }) => (dueAtMs === null ? null : now))),
  ]);
}

/** Saves health. */
const SAVE = statement(
  'save-webhook-health',
  `update webhook_health s
      set status = n.status, paused_reason = n.paused_reason, pause_cause = n.pause_cause,
          paused_at = n.paused_at, failing_since = n.failing_since,
          attempts_since_success = n.attempts, last_delivery_at = n.last_delivery_at
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[],
                 $7::integer[], $8::timestamptz[], $9::text[], $10::timestamptz[])
            as n(lane, account_id, webhook_id, status, paused_reason, failing_since, attempts,
                 last_delivery_at, pause_cause, paused_at)
    where ${SAME_KEY}`,
);

/** The rows are locked. */
export async function saveHealth(
  tx: Transaction,
  healthRecords: readonly HealthRecord[],
): Promise<void> {
  if (healthRecords.length === 0) return;
  await tx.query(SAVE, [
    ...keyArrays(healthRecords),
    plainArray(healthRecords.map(({ status }) => status)),
    textArray(healthRecords.map(({ pausedReason }) => pausedReason)),
    timeArray(healthRecords.map(({ firstFailureAtMs }) => firstFailureAtMs)),
    plainArray(healthRecords.map(({ attemptsSinceSuccess }) => attemptsSinceSuccess)),
    timeArray(healthRecords.map(({ lastDeliveryAtMs }) => lastDeliveryAtMs)),
    textArray(healthRecords.map(({ pauseCause }) => pauseCause)),
    timeArray(healthRecords.map(({ pausedAtMs }) => pausedAtMs)),
  ]);
}

/** A text that changes whenever an account's webhooks change or send something. */
export async function readHealthMark(db: Database, accountId: string): Promise<string> {
  const [row] = await db.read<{ mark: string | null }>(
    `select string_agg(concat_ws(' ', webhook_id, status, attempts_since_success, last_delivery_at,
                                 due_at),
                       ',' order by webhook_id) as mark
       from webhook_health where lane = $1 and account_id = $2`,
    [lane(accountId), accountId],
  );
  return row?.mark ?? '';
}

/** Webhooks that the service paused for a cause. */
export async function listPausedFor(db: Database, cause: PauseCause): Promise<WebhookKey[]> {
  const rows = await db.read<{ account_id: string; webhook_id: string }>(
    `select account_id, webhook_id from webhook_health
      where status = 'Paused' and paused_reason is not null and pause_cause = $1
      order by lane, account_id, webhook_id`,
    [cause],
  );
  return rows.map((row) => ({ accountId: row.account_id, webhookId: row.webhook_id }));
}

/** When the longest waiting delivery became due; null when none waits. */
export async function oldestDueAtMs(db: Connection): Promise<number | null> {
  const [row] = await db.query<{ due_at: number | null }>(
    'select min(due_at) as due_at from webhook_health where claimable_at is not null',
  );
  return row?.due_at ?? null;
}
