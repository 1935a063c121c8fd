// Who is signed in to the dashboard: sessions and passwords, kept by better-auth on the same database. What a person's
// account holds is not its business; a person is tied to one account by its id.
import type { Database } from '../database/database.ts';
import { isoTime, realNowMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { newToken } from '../foundation/secret.ts';
import { normalEmail } from './accounts.ts';
import { createKnownDevices, type KnownDevices } from './known-device.ts';
import type { Auth } from './sign-in-library.ts';

export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;
const LINK_LIFE_MS = 60 * 60_000;

export type Person = { userId: string; email: string; name: string; accountId: string };
/** Headers of a request, and the Set-Cookie headers that its answer must carry. */
export type Cookies = readonly string[];

export type SignIn = {
  /**
   * Who the cookie belongs to; null when nobody is signed in with it. Once a day the session is renewed, and so must be
   * its cookie: where an answer can no longer carry one, `renew` is false.
   */
  personOf(
    cookie: string | undefined,
    options?: { renew: boolean },
  ): Promise<{ person: Person; cookies: Cookies } | null>;
  /** null: wrong e-mail or password. */
  signIn(input: { email: string; password: string; from: Origin }): Promise<Cookies | null>;
  signOut(cookie: string | undefined): Promise<Cookies>;
  isKnown(email: string): Promise<boolean>;
  /** A token for a link that proves an e-mail; works once. */
  newSignUpToken(email: string): Promise<string>;
  /** The e-mail that the token proves; null when it was used, has expired, or never was. */
  redeemSignUpToken(token: string): Promise<string | null>;
  /** null: nobody has this e-mail. */
  newResetToken(email: string): Promise<string | null>;
  /** Ends all sessions and links of the person; null when the token was used, has expired, or never was. */
  resetPassword(input: { token: string; password: string }): Promise<{ email: string } | null>;
  /** Ends the other sessions and links; null when the current password is wrong. */
  changePassword(input: {
    userId: string;
    cookie: string | undefined;
    current: string;
    next: string;
  }): Promise<Cookies | null>;
  /** Loads what signing in needs, so that the first one does not wait for it. */
  warm(): Promise<void>;
  /** Whether this is the person's password, asked again before something that cannot be undone. */
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
  let opened: Promise<Auth> | null = null;
  const open = () => {
    opened ??= import('./sign-in-library.ts').then(({ openAuth }) =>
      openAuth(deps, {
        ...settings,
        passwordChars: { min: PASSWORD_CHARS_MIN, max: PASSWORD_CHARS_MAX },
      }),
    );
    return opened;
  };
  const cookieHeaders = (cookie: string | undefined) =>
    new Headers(cookie === undefined ? {} : { cookie });

  const emailOf = async (userId: string) => {
    const { internalAdapter } = await (await open()).$context;
    return (await internalAdapter.findUserById(userId))?.email ?? null;
  };

  /** Links to reset a password that were asked for before it was changed. */
  const dropLinksOf = (userId: string) =>
    deps.db.query('delete from auth.verifications where value = $1', [userId]);

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
      // 400: a password that is too long to be anybody's.
      if (reply.status === 401 || reply.status === 400) return null;
      throw new Error(`sign-in answered ${reply.status}`);
    },
    async signOut(cookie) {
      const reply = await (await open()).api.signOut({
        headers: cookieHeaders(cookie),
        asResponse: true,
      });
      return reply.headers.getSetCookie();
    },
    async isKnown(email) {
      const { internalAdapter } = await (await open()).$context;
      return (await internalAdapter.findUserByEmail(email)) !== null;
    },
    async newSignUpToken(email) {
      const token = newToken();
      await createLinkToken(await open(), { purpose: 'sign-up', token, value: email });
      return token;
    },
    async redeemSignUpToken(token) {
      const { internalAdapter } = await (await open()).$context;
      return (await internalAdapter.consumeVerificationValue(`sign-up:${token}`))?.value ?? null;
    },
    async newResetToken(email) {
      const { internalAdapter } = await (await open()).$context;
      const found = await internalAdapter.findUserByEmail(email);
      if (found === null) return null;
      const token = newToken();
      await createLinkToken(await open(), {
        purpose: 'reset-password',
        token,
        value: found.user.id,
      });
      return token;
    },
    async resetPassword({ token, password }) {
      const { internalAdapter } = await (await open()).$context;
      const known = await internalAdapter.findVerificationValue(`reset-password:${token}`);
      if (!known) return null;
      const reply = await (await open()).api.resetPassword({
        body: { token, newPassword: password },
        asResponse: true,
      });
      if (reply.status === 400) return null;
      if (!reply.ok) throw new Error(`a reset answered ${reply.status}`);
      await dropLinksOf(known.value);
      const email = await emailOf(known.value);
      return email === null ? null : { email };
    },
    async changePassword({ userId, cookie, current, next }) {
      const reply = await (await open()).api.changePassword({
        body: { currentPassword: current, newPassword: next, revokeOtherSessions: true },
        headers: cookieHeaders(cookie),
        asResponse: true,
      });
      if (reply.ok) {
        await dropLinksOf(userId);
        return reply.headers.getSetCookie();
      }
      if (reply.status === 400) return null;
      // Ended by another request just now.
      if (reply.status === 401) throw new Problem('unauthenticated', 'You are not signed in.');
      throw new Error(`a change of password answered ${reply.status}`);
    },
    async warm() {
      await (await open()).$context;
    },
    async isPassword(userId, password) {
      const { internalAdapter, password: passwords } = await (await open()).$context;
      const known = await internalAdapter.findAccounts(userId);
      const hash = known.find(({ providerId }) => providerId === 'credential')?.password;
      return typeof hash === 'string' && (await passwords.verify({ hash, password }));
    },
    async addPerson({ email, password, accountId }) {
      refuseUnfitPassword(password);
      personEmail(email);
      const { internalAdapter, password: passwords } = await (await open()).$context;
      const hashed = await passwords.hash(password);
      const user = await internalAdapter.createUser(
        {
          ...{ email, name: '', emailVerified: true, accountId },
        },
        { method: 'email-password' },
      );
      await internalAdapter.linkAccount({
        ...{ userId: user.id, accountId: user.id, providerId: 'credential', password: hashed },
      });
    },
    async rename(person, name) {
      const { internalAdapter } = await (await open()).$context;
      await internalAdapter.updateUser(person.userId, { name });
    },
    async dropExpired() {
      const now = isoTime(realNowMs());
      await deps.db.query('delete from auth.sessions where expires_at < $1', [now]);
      await deps.db.query('delete from auth.verifications where expires_at < $1', [now]);
    },
  };
  return signIn;
}

async function createLinkToken(
  auth: Auth,
  input: { purpose: 'sign-up' | 'reset-password'; token: string; value: string },
): Promise<void> {
  const { internalAdapter } = await auth.$context;
  await internalAdapter.createVerificationValue({
    identifier: `${input.purpose}:${input.token}`,
    value: input.value,
    expiresAt: new Date(realNowMs() + LINK_LIFE_MS),
  });
}

/** What the library takes for an e-mail when somebody signs in: who could not must not sign up. */
const LIBRARY_EMAIL =
  /^(?:[a-z0-9_'+-]+\.)*[a-z0-9_'+-]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/** How a person's e-mail is written; throws when it is none, or none that can sign in. */
export function personEmail(text: string): string {
  const email = normalEmail(text);
  if (LIBRARY_EMAIL.test(email)) return email;
  throw new Problem(
    'email_malformed',
    `"${text.slice(0, 100)}" cannot be used to sign in: only letters a to z, digits and ' + - _ . are possible.`,
    { field: 'email' },
  );
}

export function refuseUnfitPassword(password: string, field = 'password'): void {
  if (password.length >= PASSWORD_CHARS_MIN && password.length <= PASSWORD_CHARS_MAX) return;
  throw new Problem(
    'password_length_invalid',
    `A password has ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters.`,
    { field },
  );
}
