// The cookie of a browser that has signed in before: signed, for one e-mail, so that strangers who
// try that e-mail elsewhere cannot lock its owner out (OWASP: device cookies). It grants no access
// by itself.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { realNowMs } from '../foundation/clock.ts';
import { secretHash } from '../foundation/secret.ts';
import { DAY_SECONDS } from '../foundation/time.ts';

const LIFE_SECONDS = 180 * DAY_SECONDS;
const PATH = '/session';

export type KnownDevices = {
  /** The id of this browser, if it has signed in with this e-mail before; null otherwise. */
  idOf(input: { cookie: string | undefined; email: string }): string | null;
  /** The Set-Cookie header after a sign-in; a known browser keeps its id. */
  cookieFor(input: { cookie: string | undefined; email: string }): string;
};

export function createKnownDevices(settings: {
  secret: string;
  secureCookies: boolean;
}): KnownDevices {
  const prefix = settings.secureCookies ? '__Secure-' : '';
  /** One cookie per e-mail, so that several people can share a browser. */
  const nameOf = (email: string) =>
    `${prefix}oversight.device_${secretHash(email).toString('base64url').slice(0, 16)}`;
  const signed = (email: string, id: string, issuedAtSeconds: string) =>
    createHmac('sha256', settings.secret)
      .update(`known-device\n${email}\n${id}\n${issuedAtSeconds}`)
      .digest();

  const idOf: KnownDevices['idOf'] = ({ cookie, email }) => {
    const start = `${nameOf(email)}=`;
    for (const part of (cookie ?? '').split(';')) {
      const text = part.trim();
      if (!text.startsWith(start)) continue;
      const [id = '', issuedAtSeconds = '', mac = ''] = text.slice(start.length).split('.');
      const presented = Buffer.from(mac, 'base64url');
      const expected = signed(email, id, issuedAtSeconds);
      if (presented.length !== expected.length) continue;
      if (!timingSafeEqual(presented, expected)) continue;
      if (Number(issuedAtSeconds) + LIFE_SECONDS > realNowMs() / 1_000) return id;
    }
    return null;
  };

  return {
    idOf,
    cookieFor({ cookie, email }) {
      const id = idOf({ cookie, email }) ?? randomBytes(12).toString('base64url');
      const issuedAtSeconds = String(Math.floor(realNowMs() / 1_000));
      const value = `${id}.${issuedAtSeconds}.${signed(email, id, issuedAtSeconds).toString('base64url')}`;
      const secure = settings.secureCookies ? '; Secure' : '';
      return `${nameOf(email)}=${value}; Max-Age=${LIFE_SECONDS}; Path=${PATH}; HttpOnly${secure}; SameSite=Strict`;
    },
  };
}
