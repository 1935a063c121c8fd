// Sealing every secret with the first key of ENCRYPTION_KEY, in parts and beside a running service, and counting which
// key each is sealed with: an older key may go when nothing is sealed with it any more.
import type { Database } from '../database/database.ts';
import { listPausedFor, type WebhookKey } from './health-records.ts';
import { resumeFromCause } from './resume-from-cause.ts';
import { isSealedAnew, openSecret, sealSecret } from './sealed-secret.ts';
import { listSealed, type Sealed, saveSealed } from './subscriptions.ts';

const PART = 500;
/** A secret that is rotated just then is looked at again: nobody rotates as often as this. */
const PASSES_MAX = 5;

type Keys = { encryptionKeys: readonly Buffer[] };

export type SecretSurvey = {
  webhooks: number;
  /** Sealed with the first key, and with another of those at hand; the secrets before a rotation included. */
  current: number;
  older: number;
  /** Registrations whose secret none of the keys opens. */
  unreadable: WebhookKey[];
};

export async function surveySecrets(db: Database, keys: Keys): Promise<SecretSurvey> {
  const survey: SecretSurvey = { webhooks: 0, current: 0, older: 0, unreadable: [] };
  for await (const row of everySealed(db)) {
    survey.webhooks += 1;
    const owner = { ...row, ...keys };
    for (const sealed of [row.secret, row.oldSecret]) {
      if (sealed === null) continue;
      if (openSecret(owner, sealed) === null) {
        if (sealed === row.secret) survey.unreadable.push(keyOf(row));
      } else if (isSealedAnew(keys, sealed)) survey.current += 1;
      else survey.older += 1;
    }
  }
  return survey;
}

export type Resealed = {
  resealed: number;
  /** Registrations that had been paused because their secret could not be read, and now can. */
  resumed: number;
};

/** May be interrupted and started again: what is sealed with the first key already is left as it is. */
export async function resealSecrets(
  db: Database,
  input: Keys & { realNow: number; now: number },
): Promise<Resealed> {
  let resealed = 0;
  for (let pass = 0, missed = 1; missed > 0 && pass < PASSES_MAX; pass++) {
    missed = 0;
    for await (const row of everySealed(db)) {
      const anew = sealedAnew(row, input);
      if (anew === null) continue;
      // A secret that was rotated since it was read keeps what the rotation wrote.
      if (await saveSealed(db, row, anew)) resealed += 1;
      else missed += 1;
    }
  }
  return { resealed, resumed: await resumeReadable(db, input) };
}

/** What is to be written; null: nothing. A secret before a rotation that signs nothing any more is removed. */
function sealedAnew(
  row: Sealed,
  input: Keys & { realNow: number },
): Pick<Sealed, 'secret' | 'oldSecret'> | null {
  const owner = { ...row, ...input };
  const again = (sealed: Buffer): Buffer | null => {
    if (isSealedAnew(input, sealed)) return sealed;
    const opened = openSecret(owner, sealed);
    return opened === null ? null : sealSecret(owner, opened);
  };
  const isOldOver = row.oldSecretExpiresAtMs === null || row.oldSecretExpiresAtMs <= input.realNow;
  const oldSecret = row.oldSecret === null || isOldOver ? null : again(row.oldSecret);
  // One that cannot be opened stays: the key it was sealed with may come back.
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

async function* everySealed(db: Database): AsyncGenerator<Sealed> {
  let after: WebhookKey | null = null;
  do {
    const part: Sealed[] = await listSealed(db, { after, limit: PART });
    yield* part;
    after = part.length < PART ? null : keyOf(part.at(-1) as Sealed);
  } while (after !== null);
}

const keyOf = ({ accountId, webhookId }: WebhookKey): WebhookKey => ({ accountId, webhookId });
