// Counts sign-in attempts and requested links in time windows, shared by all processes.
import { isIPv6 } from 'node:net';
import type { Database } from '../database/database.ts';
import { isoTime, realNowMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { secretHash } from '../foundation/secret.ts';
import { MINUTE_MS } from '../foundation/time.ts';

/** Attempts allowed in a window. */
type Allowance = { triesMax: number; windowMs: number };

const ALLOWED = {
  /** A browser that has signed in with this e-mail before. Attempts of others do not count here. */
  signInDevice: { triesMax: 10, windowMs: 15 * MINUTE_MS },
  /** One person on one network who has forgotten the password. */
  signInPair: { triesMax: 10, windowMs: 15 * MINUTE_MS },
  /** Successful attempts count too and are not undone here: comparing passwords takes time. */
  signInWork: { triesMax: 300, windowMs: 15 * MINUTE_MS },
  /** One e-mail from all unknown browsers; limits an attack from many addresses. */
  signInEmail: { triesMax: 100, windowMs: 15 * MINUTE_MS },
  signInEmailDay: { triesMax: 500, windowMs: 24 * 60 * MINUTE_MS },
  /**
   * One address that tries many e-mails; more if it is the address of a proxy that everyone shares.
   */
  signInAddress: { triesMax: 100, windowMs: 15 * MINUTE_MS },
  signInProxy: { triesMax: 1_000, windowMs: 15 * MINUTE_MS },
  linkDevice: { triesMax: 5, windowMs: 60 * MINUTE_MS },
  linkPair: { triesMax: 5, windowMs: 60 * MINUTE_MS },
  /**
   * Protects the inbox from floods. Links that were sent stay valid at least until the window ends.
   */
  linkEmail: { triesMax: 15, windowMs: 60 * MINUTE_MS },
  linkAddress: { triesMax: 60, windowMs: 60 * MINUTE_MS },
  linkProxy: { triesMax: 600, windowMs: 60 * MINUTE_MS },
  /** Guessing link tokens: only wrong ones count. */
  tokenAddress: { triesMax: 60, windowMs: 15 * MINUTE_MS },
  /** Messages of one account to the operator. */
  upgradeRequest: { triesMax: 3, windowMs: 24 * 60 * MINUTE_MS },
  /** Guessing the current password in a session that was left open. */
  passwordPerson: { triesMax: 20, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Allowance>;

/** What to suggest instead of waiting, if anything. */
const INSTEAD: Partial<Record<keyof typeof ALLOWED, string>> = {
  signInPair: 'link',
  signInEmail: 'link',
  signInEmailDay: 'link',
  signInAddress: 'link',
  signInProxy: 'link',
  signInDevice: 'link',
  linkDevice: 'inbox',
  linkPair: 'inbox',
  linkEmail: 'inbox',
};

export type Subject = { kind: keyof typeof ALLOWED; of: string };

/**
 * The network of an address. An owner of one IPv6 address has the other 2^64 of its network, so
 * they count as one.
 */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(ip)) return ip;
  const [left = [], right] = ip.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = right === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...(right ?? [])].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Counts one attempt per subject; throws if a subject has had too many. */
export async function countAttempt(db: Database, subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) {
    const { triesMax, windowMs } = ALLOWED[subject.kind];
    const now = realNowMs();
    const [row] = await db.query<{ tries: number; window_start: number }>(
      `insert into auth.attempts as a (subject, window_start, tries) values ($1, $2, 1)
       on conflict (subject) do update
         set tries = case when a.window_start <= $3 then 1 else least(a.tries + 1, 1000000) end,
             window_start = case when a.window_start <= $3 then excluded.window_start else a.window_start end
       returning tries, window_start`,
      [keyOf(subject), isoTime(now), isoTime(now - windowMs)],
    );
    if (row === undefined || row.tries <= triesMax) continue;
    throw tooManyAttempts(subject.kind, Math.max(1_000, row.window_start + windowMs - now));
  }
}

function tooManyAttempts(kind: Subject['kind'], waitMs: number): Problem {
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  const wait = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const details = { retry_after_ms: waitMs };
  switch (INSTEAD[kind]) {
    case 'link':
      return new Problem(
        'attempt_limit_reached',
        `Too many attempts. Wait ${wait}, use a browser that you have signed in with before, or get a link by e-mail.`,
        { details: { ...details, mail_link: true } },
      );
    case 'inbox':
      return new Problem(
        'mail_limit_reached',
        `Links were requested for this e-mail several times within the hour. Open the newest one in the inbox, or wait ${wait}.`,
        { details },
      );
    default:
      return new Problem(
        'attempt_limit_reached',
        `Too many attempts. Wait ${wait} and try again.`,
        {
          details,
        },
      );
  }
}

/** After a success: someone who knows the password is not guessing. */
export async function forgetAttempts(db: Database, subject: Subject): Promise<void> {
  await db.query('delete from auth.attempts where subject = $1', [keyOf(subject)]);
}

/**
 * Uncounts one attempt each, because it was not wrong: people who share an address must not use up
 * its limit.
 */
export async function uncountAttempts(db: Database, subjects: readonly Subject[]): Promise<void> {
  const keys = [subjects.map(keyOf)];
  await db.query('delete from auth.attempts where subject = any($1::text[]) and tries = 1', keys);
  await db.query(
    'update auth.attempts set tries = tries - 1 where subject = any($1::text[]) and tries > 1',
    keys,
  );
}

/** Deletes windows that have ended. */
export async function dropOldAttempts(db: Database): Promise<void> {
  await db.query('delete from auth.attempts where window_start < $1', [
    isoTime(realNowMs() - 25 * 60 * MINUTE_MS),
  ]);
}

/** Hashed, so that the table is not a list of attempted e-mails. */
const keyOf = ({ kind, of }: Subject) => `${kind}:${secretHash(of).toString('base64url')}`;
