// Sets up our connections, whatever the server, the role, DATABASE_URL or a pooler configure: the
// settings that correctness depends on, and parsers that read times correctly even without them.
import pg from 'pg';
import type { Connection } from './statement.ts';

/** Settings that correct reads and durable commits depend on. */
export const NEEDED = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  default_transaction_isolation: 'read committed',
} as const;

/**
 * `set local lock_timeout` must reach the node that waits for the lock: without this a transaction
 * on Citus waited until its statement timed out. Elsewhere it is a name without a meaning.
 */
export const ON_CITUS = { 'citus.propagate_set_commands': 'local' } as const;

export type SessionLimits = {
  statementTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
  /** How long a statement waits for a lock; 0 for no limit but the statement timeout. */
  lockTimeoutMs: number;
};

/**
 * Applies the settings to a new connection in one round trip. They come last and so override the
 * server, the role, the database, PGOPTIONS and the options of DATABASE_URL.
 */
export async function applySettings(
  client: Pick<pg.ClientBase, 'query'>,
  limits: SessionLimits,
): Promise<void> {
  const settings: Record<string, string> = {
    ...NEEDED,
    statement_timeout: String(limits.statementTimeoutMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionTimeoutMs),
    lock_timeout: String(limits.lockTimeoutMs),
    ...ON_CITUS,
  };
  await client.query(
    'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
    [Object.keys(settings), Object.values(settings)],
  );
}

/**
 * Refuses a database whose sessions lose these settings, as behind a pooler that switches sessions
 * between transactions without restoring them, unless the defaults are right anyway.
 */
export async function verifySettings(db: Connection): Promise<void> {
  const rows = await db.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as s(name)',
    [Object.keys(NEEDED)],
  );
  const wrong = rows.filter(({ name, value }) => !isRight(name, value));
  if (wrong.length === 0) return;
  const named = wrong.map(({ name, value }) => `${name} is "${value}"`).join(', ');
  const remedy = wrong.map(
    ({ name }) => `alter role current_user set ${name} = '${neededOf(name)}'`,
  );
  throw new Error(
    `The database forgets the settings of a session: ${named}. A pooler in front of it does not keep them; connect to the server itself, or run: ${remedy.join('; ')}.`,
  );
}

const neededOf = (name: string) => (NEEDED as Record<string, string>)[name];

export function isRight(name: string, value: string): boolean {
  // The order of day and month in DateStyle does not matter: we write and read ISO.
  if (name === 'DateStyle') return value.startsWith('ISO');
  if (name === 'TimeZone') return /^(Etc\/)?(UTC|UCT|GMT|Zulu|Universal)$/i.test(value);
  // Both print the shortest text that reads back as the same number.
  if (name === 'extra_float_digits') return Number(value) >= 1;
  return value === neededOf(name);
}

// The parsers return: bigint → number (ours stay under 2^53), timestamptz → epoch ms.
const INT8 = 20;
const TIMESTAMPTZ = 1184;
const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [TIMESTAMPTZ]: parseTime,
};

export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (format !== 'binary' && parsers[oid as number]) || pg.types.getTypeParser(oid, format),
};

const ISO_TIME =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/** Parses a timestamptz to epoch milliseconds. Throws on any format but ISO 8601. */
export function parseTime(text: string): number {
  // '2026-11-15 01:30:49.123+00': what our own sessions print.
  if (text.charCodeAt(10) === 0x20 && text.endsWith('+00')) {
    const ms = Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
    if (!Number.isNaN(ms)) return ms;
  }
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const match = ISO_TIME.exec(text);
  if (match === null) {
    throw new RangeError(`The database printed a time as "${text}", which is not ISO 8601.`);
  }
  const [, year, month, day, time, sign, hours, minutes = '0', seconds = '0'] = match;
  const offsetMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  const date = `${year?.length === 4 ? year : `+${year?.padStart(6, '0')}`}-${month}-${day}`;
  return Date.parse(`${date}T${time}Z`) - (sign === '-' ? -offsetMs : offsetMs);
}
