// The people of an account, and what the sign-in keeps of them: signed out, deleted.
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
