// Opens what the program remembers in: the database, embedded or given, and the secrets that go with it.
import { join, resolve } from 'node:path';
import { refuseMissingSecrets, type Settings } from './config.ts';
import { type Database, openDatabase } from './database/database.ts';
import { startEmbeddedPostgres } from './database/embedded.ts';
import { DatabaseAway, isRefusedForGood } from './database/failure.ts';
import { migrate } from './database/migrate.ts';
import { noteFactOnce, readFact, writeFact } from './database/service-facts.ts';
import { verifySettings } from './database/session.ts';
import { bounds } from './foundation/bounds.ts';
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
  /** Where the embedded cluster lies, when that is not in DATA_DIR. */
  clusterElsewhere: string | null;
  close(): Promise<void>;
};

export async function openStore(
  settings: Settings,
  log: Log,
  purpose: 'service' | 'command',
): Promise<Store> {
  // A command may copy for hours; a request may not wait for a server that no longer answers.
  const patience = purpose === 'command' ? { query_timeout: 0 } : {};
  const sizes = bounds.databaseConnectionsMax[purpose === 'command' ? 'all' : settings.ROLE];
  if (settings.DATABASE_URL !== null) {
    const db = openDatabase({ connectionString: settings.DATABASE_URL, ...patience }, log, sizes);
    return { db, clusterElsewhere: null, close: () => db.close() };
  }
  const dataDir = resolve(settings.DATA_DIR);
  const embedded = await startEmbeddedPostgres({ dataDir, purpose, log });
  const db = openDatabase({ ...embedded.connection, ...patience }, log, sizes);
  return {
    db,
    clusterElsewhere: embedded.location.startsWith(dataDir) ? null : embedded.location,
    async close() {
      await db.close();
      await embedded.stop();
    },
  };
}

const DATABASE_ID = 'database-id';

/** Migrates, checks that the key at hand is the one this database was written with, and returns what is needed to start. */
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

/** Tells this database from any other; null before its first start. */
export async function readDatabaseId(db: Database): Promise<string | null> {
  return (await readFact(db, DATABASE_ID)) ?? null;
}

/** Signs sessions: a new one only ends them, so that no canary guards it. */
async function authSecret(settings: Settings): Promise<string> {
  if (settings.AUTH_SECRET !== null) return settings.AUTH_SECRET;
  return keepText(join(resolve(settings.DATA_DIR), 'secrets', 'auth-secret'), newToken);
}

export async function migrateStore(store: Store, log?: Log): Promise<string[]> {
  try {
    await verifySettings(store.db);
    return await migrate(store.db, realNowMs(), log === undefined ? {} : { log });
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error;
    // Not reached, or refused: no such user, database or password.
    const { message } = error.cause as Error;
    throw new Error(`The database cannot be used: ${message}.`, { cause: error });
  }
}

/** Whether what stopped a start may pass by itself: then it is worth waiting for. */
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

/** Whether the key at hand is the one this database was written with; null when it has none yet. */
export async function hasRightKey(store: Store, settings: Settings): Promise<boolean | null> {
  const known = await readFact(store.db, CANARY);
  if (known === undefined) return null;
  if (settings.DATABASE_URL !== null && settings.ENCRYPTION_KEY === null) return null;
  return opensCanary(await encryptionKeys(settings), known);
}

/** The keys at hand, the first of which seals; null when they do not open this database. */
export async function openKeys(store: Store, settings: Settings): Promise<Buffer[] | null> {
  refuseMissingSecrets(settings);
  const keys = await encryptionKeys(settings);
  const known = await readFact(store.db, CANARY);
  return known === undefined || opensCanary(keys, known) ? keys : null;
}

/** Whether the canary needs another key than the first; false when there is none yet. */
export async function isCanaryOlder(db: Database, keys: readonly Buffer[]): Promise<boolean> {
  const known = await readFact(db, CANARY);
  if (known === undefined || keys[0] === undefined) return false;
  return !isSealedWith(keys[0], Buffer.from(known, 'base64'));
}

/** The canary follows what it guards: from now on the first key is needed to start. */
export async function sealCanaryAnew(db: Database, keys: Buffer[]): Promise<void> {
  await writeFact(db, CANARY, sealedCanary(keys));
}

const sealedCanary = (keys: Buffer[]) =>
  encrypt(keys, Buffer.from(CANARY), CANARY).toString('base64');

const opensCanary = (keys: Buffer[], canary: string) =>
  decrypt(keys, Buffer.from(canary, 'base64'), CANARY) !== null;

async function checkCanary(db: Database, keys: Buffer[]): Promise<void> {
  if (!opensCanary(keys, await noteFactOnce(db, CANARY, sealedCanary(keys)))) {
    throw new Error(
      'ENCRYPTION_KEY is not the one this database was written with: give the old key (of a restored backup: secrets/encryption-key of the DATA_DIR it came from), or "new,old" to change it.',
    );
  }
}
