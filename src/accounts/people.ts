// The people of an account, and what the sign-in keeps of them: listed for the archive, ended, deleted.
import type { Database } from '../database/database.ts';

/** Signs everybody of an account out. */
export async function endSessions(db: Database, accountId: string): Promise<void> {
  await db.query(
    `delete from auth.sessions
      where user_id in (select id from auth.users where account_id = $1)`,
    [accountId],
  );
}

/** Everything that the sign-in knows of an account: people, passwords, sessions and links. */
export async function deletePeople(
  db: Database,
  { accountId, email }: { accountId: string; email: string },
): Promise<void> {
  await db.query(
    `delete from auth.verifications
      where value = $2 or value in (select id from auth.users where account_id = $1)`,
    [accountId, email],
  );
  await db.query('delete from auth.users where account_id = $1', [accountId]);
}

/** For the archive of an account, without hashes and tokens. The lane is not needed here: these tables have none. */
export const EXPORT_PEOPLE = `select id, email, email_verified, name, created_at, updated_at
  from auth.users where $1::smallint is not null and account_id = $2 order by created_at, id`;
export const EXPORT_SESSIONS = `select s.id, s.user_id, s.ip_address, s.user_agent, s.created_at, s.updated_at,
    s.expires_at
  from auth.sessions s join auth.users u on u.id = s.user_id
 where $1::smallint is not null and u.account_id = $2 order by s.created_at, s.id`;
