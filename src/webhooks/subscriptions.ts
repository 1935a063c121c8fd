// Where customers want to be told: their registrations, with secrets that nobody can read in the database.
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import type { EventKind } from '../events/kind.ts';
import { isoTime } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { endDeliveries, holdDeliveries, PART, resumeDeliveries } from './deliveries.ts';
import { NOT_PAUSED, type PauseCause } from './endpoint-health.ts';
import {
  type HealthRecord,
  insertHealth,
  keyArrays,
  lockHealth,
  readCollectionStatuses,
  saveHealth,
  setNextDue,
  type WebhookKey,
} from './health-records.ts';
import { openSecret, sealSecret } from './sealed-secret.ts';
import { readSuccessRates } from './success-rates.ts';

export const REGISTRATIONS_MAX = 20;
/** How long the secret before a rotation signs as well, in real time. */
const OLD_SECRET_MS = 24 * 3_600_000;

export type SubscriptionStatus = HealthRecord['status'];

export type Subscription = WebhookKey & {
  name: string;
  url: string;
  /** null: all. */
  kinds: readonly EventKind[] | null;
  status: SubscriptionStatus;
  /** Why the service paused it, in words and for programs; null when the customer did. */
  pausedReason: string | null;
  pauseCause: PauseCause | null;
  createdAtMs: number;
  /** The last attempt. */
  lastDeliveryAtMs: number | null;
  /** In percent, of what was finished in seven days; null when nothing was. */
  successRate: number | null;
};

type Registration = Pick<
  Subscription,
  'accountId' | 'webhookId' | 'name' | 'url' | 'kinds' | 'createdAtMs'
>;

type RegistrationRow = {
  account_id: string;
  webhook_id: string;
  name: string;
  url: string;
  kinds: EventKind[] | null;
  created_at: number;
};

const COLUMNS = 'account_id, webhook_id, name, url, kinds, created_at';

const fromRow = (row: RegistrationRow): Registration => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  name: row.name,
  url: row.url,
  kinds: row.kinds,
  createdAtMs: row.created_at,
});

const keyValues = ({ accountId, webhookId }: WebhookKey) => [lane(accountId), accountId, webhookId];

export type NewSubscription = WebhookKey & {
  name: string;
  url: string;
  kinds: readonly EventKind[] | null;
  status?: SubscriptionStatus | undefined;
  /** As the customer is shown it. */
  secret: string;
  encryptionKeys: readonly Buffer[];
  now: number;
};

/** Adds a registration; the twenty-first is refused. */
export async function insertSubscription(
  tx: Transaction,
  input: NewSubscription,
): Promise<Subscription> {
  const { name, url, kinds, status = 'Active' } = input;
  for (;;) {
    const place = await freeSlot(tx, input.accountId);
    // Nothing comes back when another request has just taken the place: the next one is tried.
    const [row] = await tx.query<RegistrationRow>(
      `insert into webhooks (lane, account_id, webhook_id, place, name, url, kinds, created_at, secret)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (lane, account_id, place) do nothing
       returning ${COLUMNS}`,
      [
        ...[...keyValues(input), place, name, url, kinds],
        ...[isoTime(input.now), sealSecret(input, input.secret)],
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
  const rows = await tx.query<{ place: number }>(
    'select place from webhooks where lane = $1 and account_id = $2',
    [lane(accountId), accountId],
  );
  const taken = new Set(rows.map((row) => row.place));
  for (let place = 1; place <= REGISTRATIONS_MAX; place++) if (!taken.has(place)) return place;
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

/** The newest first. */
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
  const healthRecords = await readCollectionStatuses(db, input.accountId);
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

export type SubscriptionChange = {
  name?: string | undefined;
  url?: string | undefined;
  kinds?: readonly EventKind[] | null | undefined;
  status?: SubscriptionStatus | undefined;
};

/** Changes what is given. Paused, what waits is held; active again, it is due at once and the past forgotten. */
export async function changeSubscription(
  db: Database,
  input: WebhookKey & SubscriptionChange & { now: number },
): Promise<Subscription | undefined> {
  // What becomes due while it is still paused waits all the same (readWaiting); killed in between, nothing is lost.
  if (input.status === 'Active') await inParts(db, input, (tx) => resumeDeliveries(tx, input));
  const changed = await db.transaction((tx) => updateSubscription(tx, input));
  if (input.status === 'Paused') await holdWhilePaused(db, input);
  return changed;
}

/**
 * What waits for a paused registration is held; made active again in between, nobody would resume what is held now.
 * Killed between two parts, the rest is not sent either, and held when its next turn finds it.
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

/** Much may wait for a registration, and others for its lock: it is let go after each part. */
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
  await tx.query(
    `update webhooks
        set name = coalesce($4, name), url = coalesce($5, url),
            kinds = case when $6 then $7::text[] else kinds end
      where lane = $1 and account_id = $2 and webhook_id = $3`,
    [
      ...[...keyValues(input), input.name ?? null, input.url ?? null],
      ...[input.kinds !== undefined, input.kinds ?? null],
    ],
  );
  const { status = health.status, now } = input;
  if (status !== health.status) {
    const fresh = { ...NOT_PAUSED, firstFailureAtMs: null, attemptsSinceSuccess: 0 };
    const pausedAtMs = status === 'Paused' ? now : null;
    await saveHealth(tx, [{ ...health, ...fresh, status, pausedAtMs }]);
    const dueAtMs = status === 'Active' ? now : null;
    // Due for nothing is found out at its turn.
    await setNextDue(tx, [{ ...input, dueAtMs }], now);
    // What has come meanwhile: nothing is left held that nobody would resume.
    if (status === 'Active') while ((await resumeDeliveries(tx, input)) === PART);
  }
  return findSubscription(tx, input);
}

/** Removes it; what waits to be sent to it ends. */
export async function deleteSubscription(db: Database, key: WebhookKey): Promise<boolean> {
  await inParts(db, key, (tx) => endDeliveries(tx, key));
  return db.transaction(async (tx) => {
    // Like whoever adds or finishes deliveries of it, so that none is added behind its back.
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

/** A new secret; the one before it signs as well for 24 hours more of real time, if it can. */
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
      ...[...keyValues(input), sealSecret(input, input.secret)],
      ...(isReadable ? [row.secret, isoTime(input.realNow + OLD_SECRET_MS)] : [null, null]),
    ],
  );
  return true;
}

/** A registration's secrets as they are kept. */
export type Sealed = WebhookKey & {
  secret: Buffer;
  oldSecret: Buffer | null;
  oldSecretExpiresAtMs: number | null;
};

/** Some of all registrations, in key order after a given one. */
export async function listSealed(
  db: Database,
  { after, limit }: { after: WebhookKey | null; limit: number },
): Promise<Sealed[]> {
  const rows = await db.read<TargetRow & { old_secret_until: number | null }>(
    `select account_id, webhook_id, url, secret, old_secret, old_secret_until from webhooks
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

/** Writes secrets that were sealed anew, unless they were changed since they were read. */
export async function saveSealed(
  db: Database,
  read: Sealed,
  anew: Pick<Sealed, 'secret' | 'oldSecret'>,
): Promise<boolean> {
  const rows = await db.query(
    `update webhooks
        set secret = $4, old_secret = $5::bytea,
            old_secret_until = case when $5::bytea is not null then old_secret_until end
      where lane = $1 and account_id = $2 and webhook_id = $3
        and secret = $6 and old_secret is not distinct from $7
     returning webhook_id`,
    [...keyValues(read), anew.secret, anew.oldSecret, read.secret, read.oldSecret],
  );
  return rows.length > 0;
}

/** Where to send and what to sign with: the newest secret first, and the one before it while it signs. */
export type Target = WebhookKey & { url: string; secrets: readonly string[] };

const READ_TARGETS = statement(
  'read-webhook-targets',
  `select w.account_id, w.webhook_id, w.url, w.secret,
          case when w.old_secret_until > $4 then w.old_secret end as old_secret
     from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as listed(lane, account_id, webhook_id)
     join webhooks w using (lane, account_id, webhook_id)`,
);

type TargetRow = {
  account_id: string;
  webhook_id: string;
  url: string;
  secret: Buffer;
  old_secret: Buffer | null;
};

/** By webhook id; null: its secret cannot be opened. A secret before it that cannot be is left out. */
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
      return [row.webhook_id, { ...key, url: row.url, secrets: opened }];
    }),
  );
}

/** Which kinds some registrations want, by webhook id; null: all. */
export async function readKinds(
  tx: Transaction,
  keys: readonly WebhookKey[],
): Promise<Map<string, readonly EventKind[] | null>> {
  const rows = await tx.query<Pick<RegistrationRow, 'webhook_id' | 'kinds'>>(
    `select w.webhook_id, w.kinds
       from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as listed(lane, account_id, webhook_id)
       join webhooks w using (lane, account_id, webhook_id)`,
    keyArrays(keys),
  );
  return new Map(rows.map((row) => [row.webhook_id, row.kinds]));
}
