// Configures the sign-in library for our tables, cookies and clock. Loaded when somebody first
// signs in: loading takes half a second, which no command or worker should wait for.
import { betterAuth } from 'better-auth';

export { hashPassword, verifyPassword } from 'better-auth/crypto';

import { PostgresDialect } from 'kysely';
import type { Database } from '../database/database.ts';
import { libraryPool } from '../database/library-pool.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import { DAY_SECONDS } from '../foundation/time.ts';

const SESSION_LIFE_SECONDS = 14 * DAY_SECONDS;

export type AuthSettings = {
  secret: string;
  secureCookies: boolean;
  passwordChars: { min: number; max: number };
};

export type Auth = ReturnType<typeof openAuth>;

// Where the library finds its tables and columns.
const USER_MODEL = {
  modelName: 'users',
  fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  additionalFields: {
    accountId: { type: 'string', required: true, input: false, fieldName: 'account_id' },
  },
} as const;

const ACCOUNT_MODEL = {
  modelName: 'credentials',
  fields: {
    userId: 'user_id',
    accountId: 'account_id',
    providerId: 'provider_id',
    accessToken: 'access_token',
    refreshToken: 'refresh_token',
    idToken: 'id_token',
    accessTokenExpiresAt: 'access_token_expires_at',
    refreshTokenExpiresAt: 'refresh_token_expires_at',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  },
} as const;

const VERIFICATION_MODEL = {
  modelName: 'verifications',
  storeIdentifier: 'hashed',
  fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
} as const;

export function openAuth({ db, log }: { db: Database; log: Log }, settings: AuthSettings) {
  return betterAuth({
    // We create links ourselves; requests never reach the library's router.
    baseURL: 'http://localhost',
    secret: settings.secret,
    database: {
      dialect: new PostgresDialect({ pool: libraryPool(db) as never }),
      type: 'postgres',
      schemaName: 'auth',
      transaction: true,
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: settings.passwordChars.min,
      maxPasswordLength: settings.passwordChars.max,
      revokeSessionsOnPasswordReset: true,
    },
    session: {
      modelName: 'sessions',
      expiresIn: SESSION_LIFE_SECONDS,
      updateAge: DAY_SECONDS,
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    user: USER_MODEL,
    account: ACCOUNT_MODEL,
    verification: VERIFICATION_MODEL,
    advanced: {
      cookiePrefix: 'oversight',
      useSecureCookies: settings.secureCookies,
      // The page itself needs no cookie, so a link from elsewhere works even with the strictest
      // setting.
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: 'strict',
        secure: settings.secureCookies,
      },
      database: { generateId: () => newId() },
      ipAddress: { ipAddressHeaders: ['x-forwarded-for'] },
    },
    // We count attempts ourselves: by e-mail and by address, for all processes together.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log: (level, message) => log.warn({ level, reason: message }, 'sign-in'),
    },
  });
}
