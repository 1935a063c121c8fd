// Records of the links sent by e-mail: each works once, for an hour, and is stored as a hash.
import { hash } from 'node:crypto';
import type { Connection, Database } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import { HOUR_MS } from '../foundation/time.ts';

export type LinkPurpose = 'sign-up' | 'reset-password';
const LINK_LIFE_MS = HOUR_MS;

/** The form in which earlier releases stored it: a link sent before an upgrade still works. */
const identifierOf = ({ purpose, token }: { purpose: LinkPurpose; token: string }) =>
  hash('sha256', `${purpose}:${token}`, 'base64url');

/** `value`: the e-mail that the link proves, or the person whose password it resets. */
export async function insertLink(
  db: Database,
  input: { purpose: LinkPurpose; token: string; value: string; nowMs: number },
): Promise<void> {
  await db.query(
    `insert into auth.verifications (id, identifier, value, expires_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5)`,
    [
      newId(),
      identifierOf(input),
      input.value,
      isoTime(input.nowMs + LINK_LIFE_MS),
      isoTime(input.nowMs),
    ],
  );
}

/** Whether a link would work; it stays as it is. */
export async function isOpenLink(
  db: Connection,
  input: { purpose: LinkPurpose; token: string; nowMs: number },
): Promise<boolean> {
  const rows = await db.query(
    'select from auth.verifications where identifier = $1 and expires_at > $2',
    [identifierOf(input), isoTime(input.nowMs)],
  );
  return rows.length > 0;
}

/** Uses a link up. Returns its value, or null when it was used, has expired or never existed. */
export async function redeemLink(
  db: Connection,
  input: { purpose: LinkPurpose; token: string; nowMs: number },
): Promise<string | null> {
  const rows = await db.query<{ value: string }>(
    'delete from auth.verifications where identifier = $1 and expires_at > $2 returning value',
    [identifierOf(input), isoTime(input.nowMs)],
  );
  return rows[0]?.value ?? null;
}

/** Drops all open links of these e-mails and people. */
export async function dropLinksOf(db: Connection, values: readonly string[]): Promise<void> {
  await db.query('delete from auth.verifications where value = any($1)', [values]);
}

export async function dropExpiredLinks(db: Database, nowMs: number): Promise<void> {
  await db.query('delete from auth.verifications where expires_at < $1', [isoTime(nowMs)]);
}
