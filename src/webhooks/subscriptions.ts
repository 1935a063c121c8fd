// The `webhooks` table: the webhooks that customers registered, with their encrypted secrets.
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { DAY_MS } from '../foundation/time.ts';
import { closeDigestEarly } from './close-digests.ts';
import { endDeliveries, holdDeliveries, PART, resumeDeliveries } from './deliveries.ts';
import { NOT_PAUSED } from './endpoint-health.ts';
import {
  type HealthRecord,
  insertHealth,
  keyArrays,
  lockHealth,
  readHealthOf,
  saveHealth,
  setNextDue,
  type WebhookKey,
} from './health-records.ts';
import { openSecret, sealSecret } from './sealed-secret.ts';
import type { SubscriptionFilter } from './subscription-filter.ts';
import {
  COLUMNS,
  fromRow,
  keyValues,
  type NewSubscription,
  type Registration,
  type RegistrationRow,
  type Sealed,
  type Subscription,
  type SubscriptionChange,
  settingJson,
  type Target,
  type TargetRow,
} from './subscription-row.ts';
import { readSuccessRates } from './success-rates.ts';

export const REGISTRATIONS_MAX = 20;
/** How long the old secret still signs after a rotation, in real time. */
const OLD_SECRET_MS = DAY_MS;

/** Adds a webhook; the twenty-first is refused. */
export async function insertSubscription(
  tx: Transaction,
  input: NewSubscription,
): Promise<Subscription> {
  const { name, url, kinds, status = 'Active' } = input;
  for (;;) {
    const slot = await freeSlot(tx, input.accountId);
    // No row is returned when another request has just taken the slot: try the next one.
    const [row] = await tx.query<RegistrationRow>(
      `insert into webhooks (lane, account_id, webhook_id, place, name, url, kinds, created_at,
                             secret, tags, quiet_hours, digest, any_2xx)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12::jsonb, $13)
       on conflict (lane, account_id, place) do nothing
       returning ${COLUMNS}`,
      [
        ...keyValues(input),
        slot,
        name,
        url,
        kinds,
        isoTime(input.now),
        sealSecret(input, input.secret),
        input.tags ?? null,
        settingJson(input.quietHours),
        settingJson(input.digest),
        input.acceptsAny2xx ?? false,
      ],
    );
    if (row === undefined) continue;
    await insertHealth(tx, { ...input, status });
    const nothingYet = {
      pausedReason: null,
      pauseCause: null,
      lastDeliveryAtMs: null,
      successRate: null,
    };
    return { ...fromRow(row), status, ...nothingYet };
  }
}

async function freeSlot(tx: Transaction, accountId: string): Promise<number> {
  const rows = await tx.query<{ slot: number }>(
    'select place as slot from webhooks where lane = $1 and account_id = $2',
    [lane(accountId), accountId],
  );
  const usedSlots = new Set(rows.map((row) => row.slot));
  for (let slot = 1; slot <= REGISTRATIONS_MAX; slot++) if (!usedSlots.has(slot)) return slot;
  throw new Problem(
    'webhook_limit_reached',
    `An account has at most ${REGISTRATIONS_MAX} webhooks: remove one first.`,
  );
}

export async function findSubscription(
  db: Connection,
  input: WebhookKey & { now: number },
): Promise<Subscription | undefined> {
  const rows = await db.query<RegistrationRow>(
    `select ${COLUMNS} from webhooks where lane = $1 and account_id = $2 and webhook_id = $3`,
    keyValues(input),
  );
  return (await withHealth(db, rows.map(fromRow), input))[0];
}

/** Newest first. */
export async function listSubscriptions(
  db: Connection,
  input: { accountId: string; now: number },
): Promise<Subscription[]> {
  const rows = await db.query<RegistrationRow>(
    `select ${COLUMNS} from webhooks where lane = $1 and account_id = $2
      order by created_at desc, webhook_id desc`,
    [lane(input.accountId), input.accountId],
  );
  return withHealth(db, rows.map(fromRow), input);
}

async function withHealth(
  db: Connection,
  registrations: readonly Registration[],
  input: { accountId: string; now: number },
): Promise<Subscription[]> {
  if (registrations.length === 0) return [];
  const healthRecords = await readHealthOf(db, input.accountId);
  const rates = await readSuccessRates(db, input);
  return registrations.flatMap((registration) => {
    const { webhookId } = registration;
    const health = healthRecords.get(webhookId);
    if (health === undefined) return []; // removed just now
    const { status, pausedReason, pauseCause, lastDeliveryAtMs } = health;
    const successRate = rates.get(webhookId) ?? null;
    return [{ ...registration, status, pausedReason, pauseCause, lastDeliveryAtMs, successRate }];
  });
}

/**
 * Changes the members that are present. Pausing holds pending deliveries; activating makes them due
 * and clears the failures.
 */
export async function changeSubscription(
  db: Database,
  input: WebhookKey & SubscriptionChange & { now: number },
): Promise<Subscription | undefined> {
  // Deliveries that become due while it is still paused are not sent (`readPending`), so a crash in
  // between loses nothing.
  if (input.status === 'Active') await inParts(db, input, (tx) => resumeDeliveries(tx, input));
  const changed = await db.transaction((tx) => updateSubscription(tx, input));
  if (input.status === 'Paused') await holdWhilePaused(db, input);
  return changed;
}

/**
 * Holds the pending deliveries of a paused webhook. Checks the status in each part, because nothing
 * would resume deliveries held after an activation. After a crash between two parts the rest is not
 * sent either, and held by the next claim.
 */
export function holdWhilePaused(
  db: Database,
  key: WebhookKey,
  options: { exceptManual: boolean } = { exceptManual: false },
): Promise<void> {
  return inParts(db, key, async (tx, { status }) =>
    status === 'Paused' ? holdDeliveries(tx, key, options) : 0,
  );
}

/**
 * Releases the lock after each part: many deliveries may wait for a webhook, and others for its
 * lock.
 */
async function inParts(
  db: Database,
  key: WebhookKey,
  change: (tx: Transaction, health: HealthRecord) => Promise<number>,
): Promise<void> {
  const some = async (tx: Transaction) => {
    const [health] = await lockHealth(tx, [key]);
    return health === undefined ? 0 : change(tx, health);
  };
  while ((await db.transaction(some)) === PART);
}

async function updateSubscription(
  tx: Transaction,
  input: WebhookKey & SubscriptionChange & { now: number },
): Promise<Subscription | undefined> {
  const [health] = await lockHealth(tx, [input]);
  if (health === undefined) return undefined;
  await endDigestIfChanged(tx, input, health);
  await tx.query(
    `update webhooks
        set name = coalesce($4, name), url = coalesce($5, url),
            kinds = case when $6 then $7::text[] else kinds end,
            tags = case when $8 then $9::text[] else tags end,
            quiet_hours = case when $10 then $11::jsonb else quiet_hours end,
            digest = case when $12 then $13::jsonb else digest end,
            any_2xx = coalesce($14, any_2xx)
      where lane = $1 and account_id = $2 and webhook_id = $3`,
    [
      ...keyValues(input),
      input.name ?? null,
      input.url ?? null,
      input.kinds !== undefined,
      input.kinds ?? null,
      input.tags !== undefined,
      input.tags ?? null,
      input.quietHours !== undefined,
      settingJson(input.quietHours),
      input.digest !== undefined,
      settingJson(input.digest),
      input.acceptsAny2xx ?? null,
    ],
  );
  // What the quiet hours held, or the digest, may be due now: the next claim decides.
  const mayBeDue = input.quietHours !== undefined || input.digest !== undefined;
  if (mayBeDue && health.status === 'Active') {
    await setNextDue(tx, [{ ...input, dueAtMs: input.now }], input.now);
  }
  const { status = health.status, now } = input;
  if (status !== health.status) {
    const fresh = { ...NOT_PAUSED, firstFailureAtMs: null, attemptsSinceSuccess: 0 };
    const pausedAtMs = status === 'Paused' ? now : null;
    await saveHealth(tx, [{ ...health, ...fresh, status, pausedAtMs }]);
    const dueAtMs = status === 'Active' ? now : null;
    // The next claim clears the due time if nothing waits.
    await setNextDue(tx, [{ ...input, dueAtMs }], now);
    // Deliveries that were held meanwhile: nothing else would resume them.
    if (status === 'Active') while ((await resumeDeliveries(tx, input)) === PART);
  }
  return findSubscription(tx, input);
}

/** What was gathered under another choice goes out now, in a last digest. */
async function endDigestIfChanged(
  tx: Transaction,
  { digest, now, ...input }: WebhookKey & SubscriptionChange & { now: number },
  { status }: HealthRecord,
): Promise<void> {
  if (digest === undefined) return;
  const before = (await readFilters(tx, [input])).get(input.webhookId)?.digest;
  const isSame = before?.every === digest?.every && before?.timeZone === digest?.timeZone;
  if (isSame) return;
  await closeDigestEarly(tx, input, { now, dueAtMs: status === 'Active' ? now : null });
}

/** Removes a webhook and ends its pending deliveries. */
export async function deleteSubscription(db: Database, key: WebhookKey): Promise<boolean> {
  await inParts(db, key, (tx) => endDeliveries(tx, key));
  return db.transaction(async (tx) => {
    // The same lock as for adding and finishing deliveries, so that none is added meanwhile.
    await lockHealth(tx, [key]);
    const rows = await tx.query(
      `delete from webhooks where lane = $1 and account_id = $2 and webhook_id = $3
       returning webhook_id`,
      keyValues(key),
    );
    if (rows.length > 0) while ((await endDeliveries(tx, key)) === PART);
    return rows.length > 0;
  });
}

/** Sets a new secret; the old one, if readable, also signs for 24 more hours of real time. */
export async function rotateSecret(
  tx: Transaction,
  input: WebhookKey & { secret: string; encryptionKeys: readonly Buffer[]; realNow: number },
): Promise<boolean> {
  const [row] = await tx.query<{ secret: Buffer }>(
    `select secret from webhooks where lane = $1 and account_id = $2 and webhook_id = $3
        for no key update`,
    keyValues(input),
  );
  if (row === undefined) return false;
  const isReadable = openSecret(input, row.secret) !== null;
  await tx.query(
    `update webhooks set secret = $4, old_secret = $5, old_secret_until = $6
      where lane = $1 and account_id = $2 and webhook_id = $3`,
    [
      ...keyValues(input),
      sealSecret(input, input.secret),
      ...(isReadable ? [row.secret, isoTime(input.realNow + OLD_SECRET_MS)] : [null, null]),
    ],
  );
  return true;
}

/** A page of all webhooks in key order, after a key. */
export async function listSealed(
  db: Database,
  { after, limit }: { after: WebhookKey | null; limit: number },
): Promise<Sealed[]> {
  const rows = await db.read<TargetRow & { old_secret_until: number | null }>(
    `select account_id, webhook_id, url, secret, any_2xx, old_secret, old_secret_until from webhooks
      where (lane, account_id, webhook_id) > ($1::smallint, $2::uuid, $3::uuid)
      order by lane, account_id, webhook_id limit $4`,
    [...(after === null ? [-1, NIL_ID, NIL_ID] : keyValues(after)), limit],
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    webhookId: row.webhook_id,
    secret: row.secret,
    oldSecret: row.old_secret,
    oldSecretExpiresAtMs: row.old_secret_until,
  }));
}

const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Writes resealed secrets, unless they were changed since they were read. */
export async function saveSealed(
  db: Database,
  read: Sealed,
  resealed: Pick<Sealed, 'secret' | 'oldSecret'>,
): Promise<boolean> {
  const rows = await db.query(
    `update webhooks
        set secret = $4, old_secret = $5::bytea,
            old_secret_until = case when $5::bytea is not null then old_secret_until end
      where lane = $1 and account_id = $2 and webhook_id = $3
        and secret = $6 and old_secret is not distinct from $7
     returning webhook_id`,
    [...keyValues(read), resealed.secret, resealed.oldSecret, read.secret, read.oldSecret],
  );
  return rows.length > 0;
}

/** Joins webhooks `w` to the keys of some, whose lanes are $1. */
const LISTED = `w.lane = listed.lane and w.account_id = listed.account_id
      and w.webhook_id = listed.webhook_id and ${inLanes('w.lane', '$1')}`;

const READ_TARGETS = statement(
  'read-webhook-targets',
  `select w.account_id, w.webhook_id, w.url, w.secret, w.any_2xx,
          case when w.old_secret_until > $4 then w.old_secret end as old_secret
     from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as listed(lane, account_id, webhook_id)
     join webhooks w on ${LISTED}`,
);

/** By webhook id; null if the secret is unreadable. An unreadable old secret is omitted. */
export async function readTargets(
  db: Connection,
  keys: readonly WebhookKey[],
  secrets: { encryptionKeys: readonly Buffer[]; realNow: number },
): Promise<Map<string, Target | null>> {
  const rows = await db.query<TargetRow>(READ_TARGETS, [
    ...keyArrays(keys),
    isoTime(secrets.realNow),
  ]);
  return new Map(
    rows.map((row) => {
      const key = { accountId: row.account_id, webhookId: row.webhook_id };
      const owner = { ...key, encryptionKeys: secrets.encryptionKeys };
      const secret = openSecret(owner, row.secret);
      if (secret === null) return [row.webhook_id, null];
      const before = row.old_secret === null ? null : openSecret(owner, row.old_secret);
      const opened = before === null ? [secret] : [secret, before];
      return [
        row.webhook_id,
        { ...key, url: row.url, secrets: opened, acceptsAny2xx: row.any_2xx },
      ];
    }),
  );
}

/** Which events some webhooks receive, by webhook id. */
export async function readFilters(
  tx: Transaction,
  keys: readonly WebhookKey[],
): Promise<Map<string, SubscriptionFilter>> {
  const rows = await tx.query<RegistrationRow>(
    `select w.webhook_id, w.kinds, w.tags, w.quiet_hours, w.digest
       from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as listed(lane, account_id, webhook_id)
       join webhooks w on ${LISTED}`,
    keyArrays(keys),
  );
  return new Map(
    rows.map(({ webhook_id, kinds, tags, quiet_hours: quietHours, digest }) => [
      webhook_id,
      { kinds, tags, quietHours, digest },
    ]),
  );
}
