// Session settings behind a pooler in transaction mode: nothing set in a session lasts there, so
// they are defaults of our role in our database, checked at every start.
import { bounds } from '../foundation/bounds.ts';
import type { Database } from './database.ts';
import { isRight, NEEDED } from './session.ts';
import type { Connection } from './statement.ts';

/** The timeouts are those of requests; transactions of loops set their own (pool.ts). */
const DEFAULTS: Readonly<Record<string, string>> = {
  ...NEEDED,
  statement_timeout: `${bounds.statementTimeoutMs}ms`,
  idle_in_transaction_session_timeout: `${bounds.idleInTransactionTimeoutMs}ms`,
  lock_timeout: `${bounds.lockTimeoutMs}ms`,
};

/** How many sessions of the pooler are checked: it may keep some from before the defaults. */
const CHECKED_AT_ONCE = 4;

/** Stores the defaults for our role in this database, if they differ. */
export async function setRoleDefaults(db: Database): Promise<void> {
  const stored = await db.read<{ setting: string }>(
    `select unnest(s.setconfig) as setting from pg_db_role_setting s
      where s.setrole = current_user::regrole
        and s.setdatabase = (select oid from pg_database where datname = current_database())`,
  );
  const existing = new Set(stored.map(({ setting }) => setting.toLowerCase()));
  const missing = Object.entries(DEFAULTS).filter(
    ([name, value]) => !existing.has(`${name}=${value}`.toLowerCase()),
  );
  for (const [name, value] of missing) {
    // ALTER ROLE takes no parameters; the server quotes them.
    const [row] = await db.read<{ text: string }>(
      `select format('alter role current_user in database %I set %I = %L',
                     current_database(), $1::text, $2::text) as text`,
      [name, value],
    );
    await db.query(row?.text as string);
  }
}

/** Refuses a pooler whose sessions have other settings than the role's defaults. */
export async function verifyPooledSettings(db: Database): Promise<void> {
  const checks = Array.from({ length: CHECKED_AT_ONCE }, () => wrongSettings(db));
  const wrong = (await Promise.all(checks)).find((settings) => settings.length > 0);
  if (wrong === undefined) return;
  throw new Error(
    `Sessions of the pooler have wrong settings: ${wrong.join(', ')}. Set DATABASE_DIRECT_URL, remove settings of the pooler that override the role's, and run RECONNECT on the pooler's console.`,
  );
}

async function wrongSettings(db: Connection): Promise<string[]> {
  const rows = await db.query<{ name: string; value: string; ms: number | null }>(
    `select s.name, current_setting(s.name) as value,
            case when s.name like '%timeout' then
              (select setting::bigint from pg_settings p where p.name = s.name) end as ms
       from unnest($1::text[]) as s(name)`,
    [Object.keys(DEFAULTS)],
  );
  const isWrong = ({ name, value, ms }: (typeof rows)[number]) =>
    ms === null ? !isRight(name, value) : ms !== Number.parseInt(DEFAULTS[name] as string, 10);
  return rows.filter(isWrong).map(({ name, value }) => `${name} is "${value}"`);
}
