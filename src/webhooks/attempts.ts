// The `delivery_attempts` table: written before a request goes out, completed with its outcome.
import { plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  heavyStatement,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { markedPages } from '../database/marked-pages.ts';
import { chooseMarkers, type MarkerMemory } from '../database/markers.ts';
import { isoTime } from '../foundation/clock.ts';
import { ATTEMPTS_LISTED_MAX } from './delivery-row.ts';

export const ATTEMPTS_TABLE = 'delivery_attempts';

export type AttemptOutcome = 'pending' | 'success' | 'failed';

export type Attempt = {
  attemptId: string;
  accountId: string;
  webhookId: string;
  deliveryId: string;
  eventId: string;
  atMs: number;
  endpoint: string;
  /** An event kind, or `webhook.test`. */
  kind: string;
  /** 1 for the first attempt of a delivery. */
  attempt: number;
  payloadBytes: number;
};

/** An attempt with its outcome. */
export type LoggedAttempt = Attempt & {
  outcome: AttemptOutcome;
  /** null without a response. */
  status: number | null;
  durationMs: number | null;
  /** Why it failed, in words. */
  reason: string | null;
  responseBody: string | null;
};

type AttemptRow = {
  attempt_id: string;
  account_id: string;
  webhook_id: string;
  delivery_id: string;
  event_id: string;
  at: number;
  endpoint: string;
  kind: string;
  attempt: number;
  payload_bytes: number;
  outcome: AttemptOutcome;
  status: number | null;
  duration_ms: number | null;
  reason: string | null;
  response_body: string | null;
};

const fromRow = (row: AttemptRow): LoggedAttempt => ({
  attemptId: row.attempt_id,
  accountId: row.account_id,
  webhookId: row.webhook_id,
  deliveryId: row.delivery_id,
  eventId: row.event_id,
  atMs: row.at,
  endpoint: row.endpoint,
  kind: row.kind,
  attempt: row.attempt,
  payloadBytes: row.payload_bytes,
  outcome: row.outcome,
  status: row.status,
  durationMs: row.duration_ms,
  reason: row.reason,
  responseBody: row.response_body,
});

/** `attempt` is a smallint; larger numbers are in `attempt_number`. */
const COLUMNS = `attempt_id, account_id, webhook_id, delivery_id, event_id, at, endpoint, kind,
  coalesce(attempt_number, attempt::integer) as attempt, payload_bytes, outcome, status,
  duration_ms, reason, response_body`;

type AttemptKey = Pick<Attempt, 'accountId' | 'webhookId' | 'atMs' | 'attemptId'>;

const KEY_ARRAYS = '$1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::uuid[]';
const keyArrays = (keys: readonly AttemptKey[]) => [
  plainArray(keys.map(({ accountId }) => lane(accountId))),
  plainArray(keys.map(({ accountId }) => accountId)),
  plainArray(keys.map(({ webhookId }) => webhookId)),
  plainArray(keys.map(({ atMs }) => isoTime(atMs))),
  plainArray(keys.map(({ attemptId }) => attemptId)),
];

/** Logs attempts that are about to be made. */
const INSERT = statement(
  'insert-delivery-attempts',
  `insert into delivery_attempts (lane, account_id, webhook_id, at, attempt_id, delivery_id,
                                  event_id, attempt, attempt_number, payload_bytes, kind, endpoint,
                                  outcome, is_marker)
   select n.lane, n.account_id, n.webhook_id, n.at, n.attempt_id, n.delivery_id, n.event_id,
          least(n.attempt, 32767), case when n.attempt > 32767 then n.attempt end, n.payload_bytes,
          n.kind, n.endpoint, 'pending', n.is_marker
     from unnest(${KEY_ARRAYS}, $6::uuid[], $7::uuid[], $8::integer[], $9::integer[], $10::text[],
                 $11::text[], $12::boolean[])
            as n(lane, account_id, webhook_id, at, attempt_id, delivery_id, event_id, attempt,
                 payload_bytes, kind, endpoint, is_marker)`,
);

/** An attempt as a marker, or as what one covers (database/markers.ts). */
export const markedAttempt = (attempt: Pick<Attempt, 'webhookId' | 'kind' | 'atMs'>) => ({
  key: `${attempt.webhookId} ${attempt.kind}`,
  atMs: attempt.atMs,
});

export async function insertAttempts(
  tx: Transaction,
  attempts: readonly Attempt[],
  markers?: MarkerMemory,
): Promise<void> {
  const areMarkers = chooseMarkers(attempts.map(markedAttempt), markers);
  await tx.query(INSERT, [
    ...keyArrays(attempts),
    plainArray(attempts.map(({ deliveryId }) => deliveryId)),
    plainArray(attempts.map(({ eventId }) => eventId)),
    plainArray(attempts.map(({ attempt }) => attempt)),
    plainArray(attempts.map(({ payloadBytes }) => payloadBytes)),
    plainArray(attempts.map(({ kind }) => kind)),
    textArray(attempts.map(({ endpoint }) => endpoint)),
    plainArray(areMarkers.map((isMarker) => (isMarker ? 't' : 'f'))),
  ]);
}

export type AttemptResult = AttemptKey &
  Pick<LoggedAttempt, 'status' | 'durationMs' | 'reason' | 'responseBody'>;

/** Completes attempts with their outcomes. */
const COMPLETE = statement(
  'complete-delivery-attempts',
  `update delivery_attempts a
      set outcome = case when n.reason is null then 'success' else 'failed' end, status = n.status,
          duration_ms = n.duration_ms, reason = n.reason, response_body = n.response_body
     from unnest(${KEY_ARRAYS}, $6::smallint[], $7::integer[], $8::text[], $9::text[])
            as n(lane, account_id, webhook_id, at, attempt_id, status, duration_ms, reason,
                 response_body)
    where a.lane = n.lane and a.account_id = n.account_id and a.webhook_id = n.webhook_id
      and a.at = n.at and a.attempt_id = n.attempt_id and ${inLanes('a.lane', '$1')}`,
);

/** An attempt with a reason has failed. */
export async function completeAttempts(
  tx: Transaction,
  results: readonly AttemptResult[],
): Promise<void> {
  if (results.length === 0) return;
  await tx.query(COMPLETE, [
    ...keyArrays(results),
    plainArray(results.map(({ status }) => status ?? 'NULL')),
    plainArray(results.map(({ durationMs }) => durationMs ?? 'NULL')),
    textArray(results.map(({ reason }) => reason)),
    textArray(results.map(({ responseBody }) => responseBody)),
  ]);
}

/**
 * Every attempt of one delivery, oldest first, found by the times at which they began. Without
 * these all later attempts of the webhook are read; `sinceAtMs` skips the partitions before the
 * event.
 */
export async function listAttemptsOf(
  db: Database,
  input: {
    accountId: string;
    webhookId: string;
    deliveryId: string;
    sinceAtMs: number;
    attemptTimes: readonly string[] | null;
  },
): Promise<LoggedAttempt[]> {
  const { accountId, attemptTimes } = input;
  const rows = await db.read<AttemptRow>(
    `select ${COLUMNS} from delivery_attempts
      where lane = $1 and account_id = $2 and webhook_id = $3 and delivery_id = $4
        and at ${attemptTimes === null ? '>= $5' : '= any($5::timestamptz[])'}
      order by at, attempt_id limit ${ATTEMPTS_LISTED_MAX}`,
    [
      lane(accountId),
      accountId,
      input.webhookId,
      input.deliveryId,
      attemptTimes === null ? isoTime(input.sinceAtMs) : attemptTimes,
    ],
  );
  return rows.map(fromRow);
}

export type AttemptPosition = { atMs: number; attemptId: string };

const NEWEST: AttemptPosition = {
  atMs: Date.UTC(9999, 0),
  attemptId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/**
 * Statements for all attempts and for the failed ones, whose condition is literal so that
 * PostgreSQL uses their partial index. An event kind is found by its markers; the other outcomes
 * have no index and are read in slices.
 */
const statementsFor = (name: string, among: string) => ({
  page: heavyStatement(
    `list-${name}`,
    `select ${COLUMNS} from delivery_attempts
      where lane = $1 and account_id = $2 and webhook_id = $3
        and (at, attempt_id) < ($4::timestamptz, $5::uuid) ${among}
      order by at desc, attempt_id desc limit $6`,
  ),
  marked: markedPages<AttemptRow>({
    name,
    table: ATTEMPTS_TABLE,
    owner: { lane: 'smallint', account_id: 'uuid', webhook_id: 'uuid' },
    id: 'attempt_id',
    columns: COLUMNS,
    keys: ['kind'],
    filter: (first) =>
      `($${first}::text is null or kind = $${first})
        and ($${first + 1}::text is null or outcome = $${first + 1})`,
    among,
  }),
});

const ALL = statementsFor('delivery-attempts', '');
const FAILED = statementsFor('failed-attempts', `and outcome = 'failed'`);

export async function listAttempts(
  db: Connection,
  input: {
    accountId: string;
    webhookId: string;
    before?: AttemptPosition | undefined;
    limit: number;
    kind?: string | undefined;
    outcome?: AttemptOutcome | undefined;
  },
): Promise<LoggedAttempt[]> {
  const { accountId, webhookId, before = NEWEST, limit, kind, outcome } = input;
  const owner = [lane(accountId), accountId, webhookId];
  const { page, marked } = outcome === 'failed' ? FAILED : ALL;
  if (kind === undefined && (outcome === undefined || outcome === 'failed')) {
    const values = [...owner, isoTime(before.atMs), before.attemptId, limit];
    return (await db.query<AttemptRow>(page, values)).map(fromRow);
  }
  const rows = await marked.read(db, {
    owner,
    before: { atMs: before.atMs, id: before.attemptId },
    limit,
    filter: [kind ?? null, outcome ?? null],
    keys: kind === undefined ? undefined : async () => [[kind]],
  });
  return rows.map(fromRow);
}
