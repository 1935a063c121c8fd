// Encrypts every webhook secret with the first key of ENCRYPTION_KEY, in batches beside a running
// service, and counts the secrets per key: an older key can be removed once no secret uses it.
import type { Database } from '../database/database.ts';
import { listPausedFor, type WebhookKey } from './health-records.ts';
import { resumeFromCause } from './resume-from-cause.ts';
import { isSealedWithCurrentKey, openSecret, sealSecret } from './sealed-secret.ts';
import type { Sealed } from './subscription-row.ts';
import { listSealed, saveSealed } from './subscriptions.ts';

const BATCH = 500;
/** A secret that is rotated meanwhile is read again; nobody rotates this often. */
const PASSES_MAX = 5;

type Keys = { encryptionKeys: readonly Buffer[] };

export type SecretSurvey = {
  webhooks: number;
  /** Secrets under the first key and under another available key; includes old secrets. */
  current: number;
  older: number;
  /** Webhooks whose secret no key decrypts. */
  unreadable: WebhookKey[];
};

export async function surveySecrets(db: Database, keys: Keys): Promise<SecretSurvey> {
  const survey: SecretSurvey = { webhooks: 0, current: 0, older: 0, unreadable: [] };
  for await (const row of allSealed(db)) {
    survey.webhooks += 1;
    const owner = { ...row, ...keys };
    for (const sealed of [row.secret, row.oldSecret]) {
      if (sealed === null) continue;
      if (openSecret(owner, sealed) === null) {
        if (sealed === row.secret) survey.unreadable.push(keyOf(row));
      } else if (isSealedWithCurrentKey(keys, sealed)) survey.current += 1;
      else survey.older += 1;
    }
  }
  return survey;
}

export type Resealed = {
  resealed: number;
  /** Webhooks that were paused because their secret was unreadable, and now is readable. */
  resumed: number;
};

/** Can be interrupted and restarted: secrets under the first key are not touched. */
export async function resealSecrets(
  db: Database,
  input: Keys & { realNow: number; now: number },
): Promise<Resealed> {
  let resealed = 0;
  for (let pass = 0, missed = 1; missed > 0 && pass < PASSES_MAX; pass++) {
    missed = 0;
    for await (const row of allSealed(db)) {
      const secrets = reseal(row, input);
      if (secrets === null) continue;
      // A secret that was rotated since it was read keeps what the rotation wrote.
      if (await saveSealed(db, row, secrets)) resealed += 1;
      else missed += 1;
    }
  }
  return { resealed, resumed: await resumeReadable(db, input) };
}

/** Returns the secrets to write, null for no change. An expired old secret is removed. */
function reseal(
  row: Sealed,
  input: Keys & { realNow: number },
): Pick<Sealed, 'secret' | 'oldSecret'> | null {
  const owner = { ...row, ...input };
  const again = (sealed: Buffer): Buffer | null => {
    if (isSealedWithCurrentKey(input, sealed)) return sealed;
    const opened = openSecret(owner, sealed);
    return opened === null ? null : sealSecret(owner, opened);
  };
  const isOldExpired =
    row.oldSecretExpiresAtMs === null || row.oldSecretExpiresAtMs <= input.realNow;
  const oldSecret = row.oldSecret === null || isOldExpired ? null : again(row.oldSecret);
  // A secret that cannot be decrypted stays: its key may be configured again.
  const secret = again(row.secret) ?? row.secret;
  return secret === row.secret && oldSecret === row.oldSecret ? null : { secret, oldSecret };
}

async function resumeReadable(db: Database, input: Keys & { now: number }): Promise<number> {
  const paused = await listPausedFor(db, 'secret_unreadable');
  if (paused.length === 0) return 0;
  const { unreadable } = await surveySecrets(db, input);
  const still = new Set(unreadable.map(({ webhookId }) => webhookId));
  let resumed = 0;
  for (const key of paused) {
    if (still.has(key.webhookId)) continue;
    const ended = { cause: 'secret_unreadable', now: input.now } as const;
    if (await resumeFromCause(db, key, ended)) resumed += 1;
  }
  return resumed;
}

async function* allSealed(db: Database): AsyncGenerator<Sealed> {
  let after: WebhookKey | null = null;
  do {
    const batch: Sealed[] = await listSealed(db, { after, limit: BATCH });
    yield* batch;
    after = batch.length < BATCH ? null : keyOf(batch.at(-1) as Sealed);
  } while (after !== null);
}

const keyOf = ({ accountId, webhookId }: WebhookKey): WebhookKey => ({ accountId, webhookId });
