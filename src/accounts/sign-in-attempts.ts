// How often somebody tried to sign in or asked for a link, counted in windows and shared by all
// processes.
import { isIPv6 } from 'node:net';
import type { Database } from '../database/database.ts';
import { isoTime, realNowMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { secretHash } from '../foundation/secret.ts';
import { MINUTE_MS } from '../foundation/time.ts';

/** Tries that are allowed in a window. */
type Allowance = { triesMax: number; windowMs: number };

const ALLOWED = {
  /** A browser that has signed in with this e-mail before. Nothing that others do counts here. */
  signInDevice: { triesMax: 10, windowMs: 15 * MINUTE_MS },
  /** One person at one place who has forgotten the password. */
  signInPair: { triesMax: 10, windowMs: 15 * MINUTE_MS },
  /** Right ones too, which are not given back here: comparing passwords takes time. */
  signInWork: { triesMax: 300, windowMs: 15 * MINUTE_MS },
  /** One e-mail from all browsers that are not known: bounds an attack from very many addresses. */
  signInEmail: { triesMax: 100, windowMs: 15 * MINUTE_MS },
  signInEmailDay: { triesMax: 500, windowMs: 24 * 60 * MINUTE_MS },
  /**
   * One address that tries many e-mails; more where the address is that of a proxy and shared by
   * everybody.
   */
  signInAddress: { triesMax: 100, windowMs: 15 * MINUTE_MS },
  signInProxy: { triesMax: 1_000, windowMs: 15 * MINUTE_MS },
  linkDevice: { triesMax: 5, windowMs: 60 * MINUTE_MS },
  linkPair: { triesMax: 5, windowMs: 60 * MINUTE_MS },
  /** Nobody's inbox is flooded. Those that were sent work at least until this window ends. */
  linkEmail: { triesMax: 15, windowMs: 60 * MINUTE_MS },
  linkAddress: { triesMax: 60, windowMs: 60 * MINUTE_MS },
  linkProxy: { triesMax: 600, windowMs: 60 * MINUTE_MS },
  /** Guessing at tokens of links: only wrong ones are counted. */
  tokenAddress: { triesMax: 60, windowMs: 15 * MINUTE_MS },
  /** Guessing at the current password in a session that was left open. */
  passwordPerson: { triesMax: 20, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Allowance>;

/** What to do instead of waiting, where there is something. */
const INSTEAD: Partial<Record<keyof typeof ALLOWED, string>> = {
  ...{ signInPair: 'link', signInEmail: 'link', signInEmailDay: 'link', signInAddress: 'link' },
  ...{ signInProxy: 'link', signInDevice: 'link' },
  ...{ linkDevice: 'inbox', linkPair: 'inbox', linkEmail: 'inbox' },
};

export type Subject = { kind: keyof typeof ALLOWED; of: string };

/**
 * Where a try comes from. Who has one IPv6 address has the other 2^64 of its network as well: they
 * count as one.
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

/** Counts one try for each subject; throws when one of them has had too many. */
export async function countTry(db: Database, subjects: readonly Subject[]): Promise<void> {
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
    throw tooManyTries(subject.kind, Math.max(1_000, row.window_start + windowMs - now));
  }
}

function tooManyTries(kind: Subject['kind'], waitMs: number): Problem {
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  const wait = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const details = { retry_after_ms: waitMs };
  switch (INSTEAD[kind]) {
    case 'link':
      return new Problem(
        'attempt_limit_reached',
        `Too many tries. Wait ${wait}, use a browser that you have signed in with before, or get a link by e-mail.`,
        { details: { ...details, mail_link: true } },
      );
    case 'inbox':
      return new Problem(
        'mail_limit_reached',
        `Links were requested for this e-mail several times within the hour. Open the newest one in the inbox, or wait ${wait}.`,
        { details },
      );
    default:
      return new Problem('attempt_limit_reached', `Too many tries. Wait ${wait} and try again.`, {
        details,
      });
  }
}

/** After a success: who knows the password is not guessing. */
export async function forgetTries(db: Database, subject: Subject): Promise<void> {
  await db.query('delete from auth.attempts where subject = $1', [keyOf(subject)]);
}

/**
 * Takes one try back from each: it was no wrong one, so that those who share an address do not use
 * it up.
 */
export async function giveTriesBack(db: Database, subjects: readonly Subject[]): Promise<void> {
  const keys = [subjects.map(keyOf)];
  await db.query('delete from auth.attempts where subject = any($1::text[]) and tries = 1', keys);
  await db.query(
    'update auth.attempts set tries = tries - 1 where subject = any($1::text[]) and tries > 1',
    keys,
  );
}

/** Windows that are over are of no use. */
export async function dropOldTries(db: Database): Promise<void> {
  await db.query('delete from auth.attempts where window_start < $1', [
    isoTime(realNowMs() - 25 * 60 * MINUTE_MS),
  ]);
}

/** Hashed: the table must not become a list of e-mails that were tried. */
const keyOf = ({ kind, of }: Subject) => `${kind}:${secretHash(of).toString('base64url')}`;
