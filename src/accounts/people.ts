// Records of the people who sign in: their e-mail, name, password hash and account.
import type { Connection, Database, Transaction } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import { dropLinksOf } from './sign-in-links.ts';

/** The library's name for a password beside other ways to sign in. */
const PASSWORD_PROVIDER = 'credential';

export async function findUserId(db: Database, email: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>('select id from auth.users where email = $1', [
    email.toLowerCase(),
  ]);
  return rows[0]?.id ?? null;
}

export async function readEmail(db: Connection, userId: string): Promise<string | null> {
  const rows = await db.query<{ email: string }>('select email from auth.users where id = $1', [
    userId,
  ]);
  return rows[0]?.email ?? null;
}

/** The person and the password are inserted together: a person without one could never sign in. */
export async function insertPerson(
  tx: Transaction,
  input: { email: string; accountId: string; passwordHash: string; nowMs: number },
): Promise<void> {
  const userId = newId();
  const now = isoTime(input.nowMs);
  await tx.query(
    `insert into auth.users (id, email, email_verified, name, account_id, created_at, updated_at)
     values ($1, $2, true, '', $3, $4, $4)`,
    [userId, input.email.toLowerCase(), input.accountId, now],
  );
  await tx.query(
    `insert into auth.credentials
       (id, user_id, account_id, provider_id, password, created_at, updated_at)
     values ($1, $2, $2, $3, $4, $5, $5)`,
    [newId(), userId, PASSWORD_PROVIDER, input.passwordHash, now],
  );
}

export async function renamePerson(
  db: Database,
  input: { userId: string; name: string; nowMs: number },
): Promise<void> {
  await db.query('update auth.users set name = $2, updated_at = $3 where id = $1', [
    input.userId,
    input.name,
    isoTime(input.nowMs),
  ]);
}

/** Returns null for a person without a password. */
export async function readPasswordHash(db: Database, userId: string): Promise<string | null> {
  const rows = await db.query<{ password: string | null }>(
    'select password from auth.credentials where user_id = $1 and provider_id = $2',
    [userId, PASSWORD_PROVIDER],
  );
  return rows[0]?.password ?? null;
}

/** Sets a new password and ends all sessions, which may be a stranger's. */
export async function replacePassword(
  tx: Transaction,
  input: { userId: string; passwordHash: string; nowMs: number },
): Promise<void> {
  await tx.query(
    `update auth.credentials set password = $3, updated_at = $4
      where user_id = $1 and provider_id = $2`,
    [input.userId, PASSWORD_PROVIDER, input.passwordHash, isoTime(input.nowMs)],
  );
  await tx.query('delete from auth.sessions where user_id = $1', [input.userId]);
}

/** Signs out everybody of an account. */
export async function endSessions(db: Database, accountId: string): Promise<void> {
  await db.query(
    `delete from auth.sessions
      where user_id in (select id from auth.users where account_id = $1)`,
    [accountId],
  );
}

export async function dropExpiredSessions(db: Database, nowMs: number): Promise<void> {
  await db.query('delete from auth.sessions where expires_at < $1', [isoTime(nowMs)]);
}

/** Deletes all sign-in data of an account: people, passwords, sessions and links. */
export async function deletePeople(
  db: Database,
  { accountId, email }: { accountId: string; email: string },
): Promise<void> {
  const people = await db.query<{ id: string }>('select id from auth.users where account_id = $1', [
    accountId,
  ]);
  await dropLinksOf(db, [email, ...people.map(({ id }) => id)]);
  await db.query('delete from auth.users where account_id = $1', [accountId]);
}
