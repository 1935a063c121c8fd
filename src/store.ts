// Opens the database, embedded or at DATABASE_URL, and the secrets that belong to it.
import { join, resolve } from 'node:path';
import { refuseMissingSecrets, type Settings } from './config.ts';
import {
  type ConnectionSettings,
  type Database,
  openDatabase,
  type Pooler,
  type PoolSizes,
} from './database/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './database/embedded.ts';
import { DatabaseAway, isRefusedForGood } from './database/failure.ts';
import { readLaneGroups } from './database/lane-groups.ts';
import { migrate } from './database/migrate.ts';
import { poolSizes } from './database/pool-size.ts';
import { setRoleDefaults, verifyPooledSettings } from './database/pooled-session.ts';
import { refuseHiddenPooler } from './database/refuse-hidden-pooler.ts';
import { noteFactOnce, readFact, writeFact } from './database/service-facts.ts';
import { verifySettings } from './database/session.ts';
import { realNowMs } from './foundation/clock.ts';
import { newId } from './foundation/id.ts';
import { keepText } from './foundation/kept-text.ts';
import type { Log } from './foundation/log.ts';
import {
  decrypt,
  encrypt,
  isSealedWith,
  newEncryptionKey,
  newToken,
  parseEncryptionKeys,
} from './foundation/secret.ts';

export type Store = {
  db: Database;
  /** The server itself when DATABASE_URL names a pooler: migrations need a session of their own. */
  direct: Database;
  pooler: Pooler;
  /** How child processes reach the embedded database; null for another one. */
  embeddedUrl: string | null;
  /** Location of the embedded cluster when it is outside DATA_DIR. */
  clusterElsewhere: string | null;
  close(): Promise<void>;
};

export async function openStore(
  settings: Settings,
  log: Log,
  purpose: 'service' | 'command',
): Promise<Store> {
  // A command may copy for hours; a request must not wait for a server that no longer responds.
  const timeouts =
    purpose === 'command' ? { query_timeout: 0, application_name: 'oversight-command' } : {};
  const role = purpose === 'command' ? 'all' : settings.ROLE;
  const sizes = poolSizes(role, settings.DATABASE_CONNECTIONS);
  if (settings.DATABASE_URL !== null) {
    return openRemote(settings, log, { isCommand: purpose === 'command', timeouts, sizes });
  }
  const dataDir = resolve(settings.DATA_DIR);
  const connectionsMax = embeddedConnections(settings);
  const embedded = await startEmbeddedPostgres({ dataDir, purpose, log, connectionsMax });
  const db = openDatabase({ ...embedded.connection, ...timeouts }, log, { sizes });
  return {
    db,
    direct: db,
    pooler: 'none',
    embeddedUrl: urlOf(embedded.connection),
    clusterElsewhere: embedded.location.startsWith(dataDir) ? null : embedded.location,
    async close() {
      await db.close();
      await embedded.stop();
    },
  };
}

/** Enough for all processes of this machine, the parent and some commands. */
const embeddedConnections = ({ PROCESSES, DATABASE_CONNECTIONS }: Settings) =>
  Math.max(100, (PROCESSES + 2) * DATABASE_CONNECTIONS);

const urlOf = ({ user, password, database, host, port }: EmbeddedPostgres['connection']) =>
  `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;

const NOT_EMBEDDED = { embeddedUrl: null, clusterElsewhere: null };

function openRemote(
  settings: Settings,
  log: Log,
  options: { isCommand: boolean; timeouts: ConnectionSettings; sizes: PoolSizes },
): Store {
  const { DATABASE_URL, DATABASE_DIRECT_URL: directUrl, DATABASE_POOLER } = settings;
  const { sizes, timeouts } = options;
  const open = (url: string | null, pooler: Pooler) =>
    openDatabase({ connectionString: url ?? '', ...timeouts }, log, { sizes, pooler });
  const direct = directUrl === null ? null : open(directUrl, 'none');
  // A command may use sessions: it copies tables for hours.
  if (direct !== null && options.isCommand) {
    const { close } = direct;
    return { db: direct, direct, pooler: 'none', ...NOT_EMBEDDED, close };
  }
  const db = open(DATABASE_URL, DATABASE_POOLER);
  return {
    db,
    direct: direct ?? db,
    pooler: DATABASE_POOLER,
    ...NOT_EMBEDDED,
    async close() {
      await Promise.all([db.close(), direct?.close()]);
    },
  };
}

const DATABASE_ID = 'database-id';

/**
 * Migrates, checks that the encryption key matches the database, and returns the secrets and id.
 */
export async function prepareStore(
  store: Store,
  settings: Settings,
  log?: Log,
): Promise<{ encryptionKeys: Buffer[]; authSecret: string; databaseId: string }> {
  refuseMissingSecrets(settings);
  await migrateStore(store, log);
  const keys = await encryptionKeys(settings);
  await checkCanary(store.db, keys);
  const databaseId = await noteFactOnce(store.db, DATABASE_ID, newId());
  return { encryptionKeys: keys, authSecret: await authSecret(settings), databaseId };
}

/** Returns the id of this database; null before its first start. */
export async function readDatabaseId(db: Database): Promise<string | null> {
  return (await readFact(db, DATABASE_ID)) ?? null;
}

/** Signs sessions. It needs no canary: a new secret only ends the sessions. */
async function authSecret(settings: Settings): Promise<string> {
  if (settings.AUTH_SECRET !== null) return settings.AUTH_SECRET;
  return keepText(join(resolve(settings.DATA_DIR), 'secrets', 'auth-secret'), newToken);
}

export async function migrateStore(store: Store, log?: Log): Promise<string[]> {
  try {
    const applied = await migrateDirectly(store, log);
    await learnLaneGroups(store);
    return applied;
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error;
    // Not reachable, or refused because of a wrong user, database or password.
    const { message } = error.cause as Error;
    throw new Error(`The database cannot be used: ${message}.`, { cause: error });
  }
}

/** Asks the database which lanes lie together. */
export async function learnLaneGroups({ db, direct }: Store): Promise<void> {
  const groups = await readLaneGroups(db);
  for (const database of new Set([db, direct])) database.groups.set(groups);
}

/** Checks the sessions and applies missing migrations, on the server itself if it is known. */
async function migrateDirectly(store: Store, log?: Log): Promise<string[]> {
  const { db, direct, pooler } = store;
  const isPooled = pooler !== 'none';
  const hasOwnSession = !isPooled || direct !== db;
  if (hasOwnSession) {
    await verifySettings(direct);
    await refuseHiddenPooler(direct);
  }
  // First, so that the pooler opens its sessions with them.
  if (isPooled) await setRoleDefaults(direct);
  const applied = await migrate(direct, realNowMs(), {
    ...(log === undefined ? {} : { log }),
    ...(hasOwnSession ? {} : { refusal: NEEDS_SESSION }),
  });
  if (isPooled) await verifyPooledSettings(db);
  return applied;
}

const NEEDS_SESSION =
  'The database lacks migrations, which need a session that DATABASE_POOLER does not give: set DATABASE_DIRECT_URL to the server itself, for one start at least.';

/** Whether the error that stopped a start may go away by itself, so that waiting makes sense. */
export function isWorthWaitingFor(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof DatabaseAway && !isRefusedForGood(cause);
}

async function encryptionKeys(settings: Settings): Promise<Buffer[]> {
  if (settings.ENCRYPTION_KEY !== null) return settings.ENCRYPTION_KEY;
  const path = join(resolve(settings.DATA_DIR), 'secrets', 'encryption-key');
  const text = await keepText(path, newEncryptionKey);
  const keys = parseEncryptionKeys(text);
  if (keys === null) throw new Error('DATA_DIR/secrets/encryption-key does not hold 32 bytes.');
  return keys;
}

const CANARY = 'encryption-canary';

/** Whether the key matches this database; null when there is no canary or no key to check. */
export async function hasRightKey(store: Store, settings: Settings): Promise<boolean | null> {
  const canary = await readFact(store.db, CANARY);
  if (canary === undefined) return null;
  if (settings.DATABASE_URL !== null && settings.ENCRYPTION_KEY === null) return null;
  return opensCanary(await encryptionKeys(settings), canary);
}

/**
 * Returns the encryption keys, the first of which encrypts; null when none matches the database.
 */
export async function openKeys(store: Store, settings: Settings): Promise<Buffer[] | null> {
  refuseMissingSecrets(settings);
  const keys = await encryptionKeys(settings);
  const canary = await readFact(store.db, CANARY);
  return canary === undefined || opensCanary(keys, canary) ? keys : null;
}

/**
 * Whether the canary was written with a key other than the first; false when there is no canary.
 */
export async function isCanaryOlder(db: Database, keys: readonly Buffer[]): Promise<boolean> {
  const canary = await readFact(db, CANARY);
  if (canary === undefined || keys[0] === undefined) return false;
  return !isSealedWith(keys[0], Buffer.from(canary, 'base64'));
}

/** Encrypts the canary with the first key, which is then required to start. */
export async function resealCanary(db: Database, keys: Buffer[]): Promise<void> {
  await writeFact(db, CANARY, sealedCanary(keys));
}

const sealedCanary = (keys: Buffer[]) =>
  encrypt(keys, Buffer.from(CANARY), CANARY).toString('base64');

const opensCanary = (keys: Buffer[], canary: string) =>
  decrypt(keys, Buffer.from(canary, 'base64'), CANARY) !== null;

async function checkCanary(db: Database, keys: Buffer[]): Promise<void> {
  if (!opensCanary(keys, await noteFactOnce(db, CANARY, sealedCanary(keys)))) {
    throw new Error(
      'ENCRYPTION_KEY does not match this database. Set the old key (for a restored backup: secrets/encryption-key of the original DATA_DIR), or "new,old" to change it.',
    );
  }
}
