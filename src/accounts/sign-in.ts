// Sign-in to the dashboard: sessions and passwords, kept by better-auth in the same database. A
// person belongs to one account by its id.
import type { Database } from '../database/database.ts';
import { realNowMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { newToken } from '../foundation/secret.ts';
import { normalEmail } from './accounts.ts';
import { isCommonPassword } from './common-password.ts';
import { createKnownDevices, type KnownDevices } from './known-device.ts';
import {
  dropExpiredSessions,
  findUserId,
  insertPerson,
  readEmail,
  readPasswordHash,
  renamePerson,
  replacePassword,
} from './people.ts';
import type { Auth } from './sign-in-library.ts';
import {
  dropExpiredLinks,
  dropLinksOf,
  insertLink,
  isOpenLink,
  type LinkPurpose,
  redeemLink,
} from './sign-in-links.ts';

export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;

export type Person = { userId: string; email: string; name: string; accountId: string };
/** Set-Cookie headers that the response must carry. */
export type Cookies = readonly string[];

export type SignIn = {
  /**
   * The person behind the cookie; null if nobody is signed in with it. The session and its cookie
   * are renewed once a day; pass `renew: false` if the response can no longer carry a cookie.
   */
  personOf(
    cookie: string | undefined,
    options?: { renew: boolean },
  ): Promise<{ person: Person; cookies: Cookies } | null>;
  /** Returns null if e-mail or password is wrong. */
  signIn(input: { email: string; password: string; from: Origin }): Promise<Cookies | null>;
  signOut(cookie: string | undefined): Promise<Cookies>;
  isRegistered(email: string): Promise<boolean>;
  /** A token for a link that proves an e-mail. It works once. */
  newSignUpToken(email: string): Promise<string>;
  /** Whether the token of a link would work now; it stays as it is. */
  isLinkOpen(purpose: LinkPurpose, token: string): Promise<boolean>;
  /** The e-mail that the token proves; null if it was used, has expired or never existed. */
  redeemSignUpToken(token: string): Promise<string | null>;
  /** Returns null if nobody has this e-mail. */
  newResetToken(email: string): Promise<string | null>;
  /**
   * Ends all sessions and links of the person. Returns null if the token was used, has expired or
   * never existed.
   */
  resetPassword(input: { token: string; password: string }): Promise<{ email: string } | null>;
  /** Ends the other sessions and links. Returns null if the current password is wrong. */
  changePassword(input: {
    userId: string;
    cookie: string | undefined;
    current: string;
    next: string;
  }): Promise<Cookies | null>;
  /** Loads the library, so that the first sign-in does not wait for it. */
  warm(): Promise<void>;
  /** Whether this is the person's password, required before something that cannot be undone. */
  isPassword(userId: string, password: string): Promise<boolean>;
  addPerson(input: { email: string; password: string; accountId: string }): Promise<void>;
  rename(person: Person, name: string): Promise<void>;
  dropExpired(): Promise<void>;
  /** Browsers that have signed in before. */
  devices: KnownDevices;
};

/** Where somebody signs in from, for the list of sessions. */
export type Origin = { ip: string; userAgent: string | undefined };

export type SignInSettings = { secret: string; secureCookies: boolean };

export function createSignIn(deps: { db: Database; log: Log }, settings: SignInSettings): SignIn {
  const library = () => import('./sign-in-library.ts');
  let opened: Promise<Auth> | null = null;
  const open = () => {
    opened ??= library().then(({ openAuth }) =>
      openAuth(deps, {
        ...settings,
        passwordChars: { min: PASSWORD_CHARS_MIN, max: PASSWORD_CHARS_MAX },
      }),
    );
    return opened;
  };
  const cookieHeaders = (cookie: string | undefined) =>
    new Headers(cookie === undefined ? {} : { cookie });

  const signIn: SignIn = {
    devices: createKnownDevices(settings),
    async personOf(cookie, { renew } = { renew: true }) {
      if (cookie === undefined) return null;
      const { response, headers } = await (await open()).api.getSession({
        headers: cookieHeaders(cookie),
        query: { disableRefresh: !renew },
        returnHeaders: true,
      });
      if (response === null) return null;
      const { id, email, name, accountId } = response.user;
      return { person: { userId: id, email, name, accountId }, cookies: headers.getSetCookie() };
    },
    async signIn({ email, password, from }) {
      const headers = new Headers({ 'x-forwarded-for': from.ip });
      if (from.userAgent !== undefined) headers.set('user-agent', from.userAgent.slice(0, 300));
      const reply = await (await open()).api.signInEmail({
        body: { email, password, rememberMe: true },
        headers,
        asResponse: true,
      });
      if (reply.ok) return reply.headers.getSetCookie();
      // 400: a password too long to be valid.
      if (reply.status === 401 || reply.status === 400) return null;
      throw new Error(`sign-in responded ${reply.status}`);
    },
    async signOut(cookie) {
      const reply = await (await open()).api.signOut({
        headers: cookieHeaders(cookie),
        asResponse: true,
      });
      return reply.headers.getSetCookie();
    },
    async isRegistered(email) {
      return (await findUserId(deps.db, email)) !== null;
    },
    async newSignUpToken(email) {
      const token = newToken();
      const nowMs = realNowMs();
      await insertLink(deps.db, { purpose: 'sign-up', token, value: email, nowMs });
      return token;
    },
    isLinkOpen(purpose, token) {
      return isOpenLink(deps.db, { purpose, token, nowMs: realNowMs() });
    },
    redeemSignUpToken(token) {
      return redeemLink(deps.db, { purpose: 'sign-up', token, nowMs: realNowMs() });
    },
    async newResetToken(email) {
      const userId = await findUserId(deps.db, email);
      if (userId === null) return null;
      const token = newToken();
      const nowMs = realNowMs();
      await insertLink(deps.db, { purpose: 'reset-password', token, value: userId, nowMs });
      return token;
    },
    async resetPassword({ token, password }) {
      refuseUnfitPassword(password);
      const nowMs = realNowMs();
      // Hashing is expensive on purpose: an invented token must not cause it.
      if (!(await isOpenLink(deps.db, { purpose: 'reset-password', token, nowMs }))) return null;
      const passwordHash = await (await library()).hashPassword(password);
      return deps.db.transaction(async (tx) => {
        const userId = await redeemLink(tx, { purpose: 'reset-password', token, nowMs });
        if (userId === null) return null;
        await replacePassword(tx, { userId, passwordHash, nowMs });
        await dropLinksOf(tx, [userId]);
        const email = await readEmail(tx, userId);
        return email === null ? null : { email };
      });
    },
    async changePassword({ userId, cookie, current, next }) {
      const reply = await (await open()).api.changePassword({
        body: { currentPassword: current, newPassword: next, revokeOtherSessions: true },
        headers: cookieHeaders(cookie),
        asResponse: true,
      });
      if (reply.ok) {
        await dropLinksOf(deps.db, [userId]);
        return reply.headers.getSetCookie();
      }
      if (reply.status === 400) return null;
      // Another request has just ended the session.
      if (reply.status === 401)
        throw new Problem('unauthenticated', 'You are not signed in. Sign in and try again.');
      throw new Error(`password change responded ${reply.status}`);
    },
    async warm() {
      await open();
    },
    async isPassword(userId, password) {
      const hash = await readPasswordHash(deps.db, userId);
      return hash !== null && (await (await library()).verifyPassword({ hash, password }));
    },
    async addPerson({ email, password, accountId }) {
      refuseUnfitPassword(password);
      personEmail(email);
      const passwordHash = await (await library()).hashPassword(password);
      const nowMs = realNowMs();
      await deps.db.transaction((tx) =>
        insertPerson(tx, { email, accountId, passwordHash, nowMs }),
      );
    },
    async rename(person, name) {
      await renamePerson(deps.db, { userId: person.userId, name, nowMs: realNowMs() });
    },
    async dropExpired() {
      const nowMs = realNowMs();
      await dropExpiredSessions(deps.db, nowMs);
      await dropExpiredLinks(deps.db, nowMs);
    },
  };
  return signIn;
}

/** E-mails that the library accepts for signing in; others must not sign up. */
const LIBRARY_EMAIL =
  /^(?:[a-z0-9_'+-]+\.)*[a-z0-9_'+-]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/** Normalizes a person's e-mail; throws if it is invalid or cannot sign in. */
export function personEmail(text: string): string {
  const email = normalEmail(text);
  if (LIBRARY_EMAIL.test(email)) return email;
  throw new Problem(
    'email_malformed',
    `"${text.slice(0, 100)}" cannot be used to sign in. Only letters a to z, digits and ' + - _ . are allowed.`,
    { field: 'email' },
  );
}

export function refuseUnfitPassword(password: string, field = 'password'): void {
  if (password.length >= PASSWORD_CHARS_MIN && password.length <= PASSWORD_CHARS_MAX) return;
  throw new Problem(
    'password_length_invalid',
    `The password must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters.`,
    { field },
  );
}

/** Costs some milliseconds: only for a person who has proven a link or a session. */
export async function refuseCommonPassword(input: {
  password: string;
  email?: string | undefined;
  field?: string;
}): Promise<void> {
  if (!(await isCommonPassword(input.password, input.email))) return;
  throw new Problem(
    'password_too_common',
    'This password is easy to guess. Use several unrelated words, or a password manager.',
    { field: input.field ?? 'password' },
  );
}
