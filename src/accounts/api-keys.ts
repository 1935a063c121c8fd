// API keys: several per account, named, shown once, stored as SHA-256, revocable.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { inEachGroup } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import { isId, newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { newSecret, secretHash, secretHint } from '../foundation/secret.ts';
import { lockAccount } from './accounts.ts';

export type ApiKey = {
  keyId: string;
  accountId: string;
  name: string;
  hint: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
};

type ApiKeyRow = {
  key_id: string;
  account_id: string;
  name: string;
  hint: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
};

const fromRow = (row: ApiKeyRow): ApiKey => ({
  keyId: row.key_id,
  accountId: row.account_id,
  name: row.name,
  hint: row.hint,
  createdAtMs: row.created_at,
  lastUsedAtMs: row.last_used_at,
  revokedAtMs: row.revoked_at,
});

const COLUMNS = 'key_id, account_id, name, hint, created_at, last_used_at, revoked_at';
const NAME_CHARS_MAX = 100;
/** Per account, without revoked keys. */
const KEYS_MAX = 100;

/** The lane of a hash is its first byte, which is evenly distributed. */
export const hashLane = (keyHash: Buffer) => keyHash[0] as number;

/** Creates a key and returns it: the only time that it can be read. */
export async function createApiKey(
  db: Database,
  input: { accountId: string; name: string; now: number },
): Promise<{ keyId: string; apiKey: string }> {
  const name = input.name.trim();
  if (name.length < 1 || name.length > NAME_CHARS_MAX || /\p{Cc}/u.test(name)) {
    throw new Problem(
      'api_key_name_invalid',
      `The name of an API key must have 1 to ${NAME_CHARS_MAX} characters, without control characters.`,
      { field: 'name' },
    );
  }
  const apiKey = newSecret('ovs_');
  const keyId = newId();
  const keyHash = secretHash(apiKey);
  // The record first, then the look-up row: after a crash in between, the key does not work and is
  // listed.
  await db.transaction(async (tx) => {
    await lockAccount(tx, input.accountId);
    if ((await countLive(tx, input.accountId)) >= KEYS_MAX) {
      throw new Problem(
        'api_key_limit_reached',
        `An account can have at most ${KEYS_MAX} API keys. Revoke one first.`,
      );
    }
    await tx.query(
      `insert into api_keys (lane, account_id, key_id, name, hint, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [lane(input.accountId), input.accountId, keyId, name, secretHint(apiKey), isoTime(input.now)],
    );
  });
  await db.query(
    'insert into api_key_hashes (lane, key_hash, account_id, key_id) values ($1, $2, $3, $4)',
    [hashLane(keyHash), keyHash, input.accountId, keyId],
  );
  return { keyId, apiKey };
}

async function countLive(tx: Transaction, accountId: string): Promise<number> {
  const [row] = await tx.query<{ live: number }>(
    `select count(*) as live from api_keys
      where lane = $1 and account_id = $2 and revoked_at is null`,
    [lane(accountId), accountId],
  );
  return row?.live ?? 0;
}

export async function listApiKeys(db: Database, accountId: string): Promise<ApiKey[]> {
  const rows = await db.read<ApiKeyRow>(
    `select ${COLUMNS} from api_keys where lane = $1 and account_id = $2
      order by created_at, key_id`,
    [lane(accountId), accountId],
  );
  return rows.map(fromRow);
}

/** Whether a key belongs to this account. */
export async function isKeyOfAccount(
  db: Database,
  input: { accountId: string; keyId: string },
): Promise<boolean> {
  const rows = await db.read(
    'select 1 from api_keys where lane = $1 and account_id = $2 and key_id = $3',
    [lane(input.accountId), input.accountId, input.keyId],
  );
  return rows.length > 0;
}

/** The account of a key that an operator names by its id. */
export async function accountIdOfKey(db: Database, keyId: string): Promise<string> {
  const [row] = isId(keyId)
    ? await db.read<Pick<ApiKeyRow, 'account_id'>>(
        'select account_id from api_keys where key_id = $1',
        [keyId],
      )
    : [];
  if (row === undefined) throw notFound(keyId);
  return row.account_id;
}

const notFound = (keyId: string) => new Problem('api_key_not_found', `There is no key ${keyId}.`);

/** Revokes a key. The record takes effect at once; the look-up row is only cleaned up. */
export async function revokeApiKey(
  db: Database,
  { accountId, keyId, now }: { accountId: string; keyId: string; now: number },
): Promise<ApiKey> {
  const [revoked] = await db.query<ApiKeyRow>(
    `update api_keys set revoked_at = coalesce(revoked_at, $4)
      where lane = $1 and account_id = $2 and key_id = $3
      returning ${COLUMNS}`,
    [lane(accountId), accountId, keyId, isoTime(now)],
  );
  if (revoked === undefined) throw notFound(keyId);
  // The lane of the hash is not known here.
  await inEachGroup(db, (lanes) =>
    db.query(
      `delete from api_key_hashes h
        where ${inLanes('h.lane', '$1')} and h.account_id = $2 and h.key_id = $3`,
      [plainArray(lanes), accountId, keyId],
    ),
  );
  return fromRow(revoked);
}

/** Key and account by hash. */
const FIND_HASHES = statement(
  'find-api-key-hashes',
  `select h.key_hash, h.account_id, h.key_id
     from unnest($1::smallint[], $2::bytea[]) as input(lane, key_hash)
     join api_key_hashes h on h.lane = input.lane and h.key_hash = input.key_hash
      and ${inLanes('h.lane', '$1')}`,
);

export type KeyOwner = { accountId: string; keyId: string };

/** Returns owners by the hash in hex. The hashes are in one lane group. */
export async function findKeyOwners(
  db: Database,
  hashes: readonly Buffer[],
): Promise<Map<string, KeyOwner>> {
  const rows = await db.read<{ key_hash: Buffer; account_id: string; key_id: string }>(
    FIND_HASHES,
    [plainArray(hashes.map(hashLane)), hashes],
  );
  return new Map(
    rows.map((row) => [
      row.key_hash.toString('hex'),
      { accountId: row.account_id, keyId: row.key_id },
    ]),
  );
}

/** Keys that are not revoked. */
const LIVE_KEYS = statement(
  'live-api-keys',
  `select k.key_id
     from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as input(lane, account_id, key_id)
     join api_keys k on k.lane = input.lane and k.account_id = input.account_id
      and k.key_id = input.key_id and ${inLanes('k.lane', '$1')}
    where k.revoked_at is null`,
);

/** The accounts are in one lane group. */
export async function findLiveKeys(
  db: Database,
  owners: readonly KeyOwner[],
): Promise<Set<string>> {
  const rows = await db.read<{ key_id: string }>(LIVE_KEYS, ownerArrays(owners));
  return new Set(rows.map((row) => row.key_id));
}

/** Updates when keys were last used; never moves a time backwards. */
const TOUCH_KEYS = statement(
  'touch-api-keys',
  `update api_keys k set last_used_at = input.used_at
     from (select * from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[])
             as a(lane, account_id, key_id, used_at) order by 1, 2, 3) as input
    where k.lane = input.lane and k.account_id = input.account_id and k.key_id = input.key_id
      and ${inLanes('k.lane', '$1')}
      and (k.last_used_at is null or k.last_used_at < input.used_at)`,
);

/** The accounts are in one lane group. */
export async function touchApiKeys(
  db: Connection,
  uses: readonly (KeyOwner & { usedAtMs: number })[],
): Promise<void> {
  if (uses.length === 0) return;
  await db.query(TOUCH_KEYS, [...ownerArrays(uses), uses.map((use) => isoTime(use.usedAtMs))]);
}

const ownerArrays = (owners: readonly KeyOwner[]) => [
  plainArray(owners.map((owner) => lane(owner.accountId))),
  plainArray(owners.map((owner) => owner.accountId)),
  plainArray(owners.map((owner) => owner.keyId)),
];
