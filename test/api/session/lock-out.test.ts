// Tests of decision 10: nobody can lock another person out of signing in, and guessing is bounded.
import { describe, expect, test } from 'vitest';
import { createKnownDevices } from '../../../src/accounts/known-device.ts';
import { isPublicUrl, missingProxyAdvice } from '../../../src/accounts/proxy-trust.ts';
import { type Service, startService } from '../../support/service.ts';
import { cookieFrom, PASSWORD, sendRequest, signedIn } from '../../support/session.ts';

const service = await startService({ authSecret: 'a secret of at least thirty-two characters' });
/** Too long for a password: refused without the time that a comparison takes. */
const NOBODYS = 'x'.repeat(200);

const post = (
  path: string,
  body: unknown,
  more: { ip?: string; cookie?: string } = {},
  on = service,
) =>
  sendRequest(on, more.cookie === undefined ? null : { cookie: more.cookie }, {
    method: 'POST',
    path: `/session/${path}`,
    body,
    ip: more.ip ?? '192.0.2.1',
  });
const signIn = (email: string, more: { ip?: string; cookie?: string; on?: Service } = {}) =>
  post('sign-in', { email, password: PASSWORD }, more, more.on);

/** Signs in and returns the cookies that the browser keeps, without the session. */
async function knownBrowser(email: string, ip: string): Promise<string> {
  const reply = await signIn(email, { ip });
  expect(reply.status).toBe(204);
  return cookieFrom(reply.headers['set-cookie'] as string[])
    .split('; ')
    .filter((cookie) => cookie.includes('device'))
    .join('; ');
}

/** Makes `tries` wrong attempts at one e-mail, `perAddress` from each address. */
async function attack(email: string, { tries, perAddress }: { tries: number; perAddress: number }) {
  const replies = await Promise.all(
    Array.from({ length: tries }, (_, n) =>
      post(
        'sign-in',
        { email, password: NOBODYS },
        {
          ip: `198.18.${Math.floor(n / perAddress / 200)}.${1 + (Math.floor(n / perAddress) % 200)}`,
        },
      ),
    ),
  );
  return replies.map(({ status }) => status);
}

describe('100 wrong tries and more from many addresses at one e-mail', () => {
  test('leave the owner’s own browser open, bound the guesses, and offer a link to other browsers', async () => {
    const person = await signedIn(service);
    const cookie = await knownBrowser(person.email, '203.0.113.77');
    const statuses = await attack(person.email, { tries: 140, perAddress: 9 });
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    for (let times = 0; times < 3; times++) {
      expect((await signIn(person.email, { cookie, ip: '203.0.113.78' })).status).toBe(204);
    }
    const elsewhere = await signIn(person.email, { ip: '203.0.113.79' });
    expect(elsewhere.status).toBe(429);
    expect(elsewhere.body).toMatchObject({ code: 'attempt_limit_reached', mail_link: true });
    expect(elsewhere.body.message).toMatch(/get a link by e-mail/);
    const link = await post('request-password-reset', { email: person.email });
    expect(link.status).toBe(202);
    const token = await service.app.signIn.newResetToken(person.email);
    const reset = await post(
      'reset-password',
      { token, password: PASSWORD },
      { ip: '203.0.113.79' },
    );
    expect(reset.status).toBe(204);
    // The link made that browser known.
    const deviceCookie = cookieFrom(reset.headers['set-cookie'] as string[]);
    expect((await signIn(person.email, { cookie: deviceCookie, ip: '203.0.113.79' })).status).toBe(
      204,
    );
  });

  test('guesses from a known browser are bounded too, and count for it alone', async () => {
    const person = await signedIn(service);
    const cookie = await knownBrowser(person.email, '203.0.113.81');
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const wrong = { email: person.email, password: NOBODYS };
      statuses.push((await post('sign-in', wrong, { cookie, ip: `203.0.113.${82 + n}` })).status);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await signIn(person.email, { ip: '203.0.113.99' })).status).toBe(204);
  });

  test('links requested by strangers neither end earlier links nor block a known browser', async () => {
    const person = await signedIn(service);
    const cookie = await knownBrowser(person.email, '203.0.113.101');
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        post('request-password-reset', { email: person.email }, { ip: `198.19.0.${n}` }),
      ),
    );
    const requested = await post('request-password-reset', { email: person.email }, { cookie });
    expect(requested.status).toBe(202);
  });
});

test('a device cookie is valid only for its e-mail, signature and time', () => {
  const email = 'a@example.com';
  const devices = createKnownDevices({ secret: 's'.repeat(32), secureCookies: true });
  const set = devices.cookieFor({ cookie: undefined, email });
  expect(set).toMatch(/^__Secure-oversight\.device_.*; Secure; SameSite=Strict$/);
  const cookie = set.split(';')[0] as string;
  const id = devices.idOf({ cookie: `other=1; ${cookie}`, email });
  expect(id).toMatch(/^[\w-]{16}$/);
  expect(devices.cookieFor({ cookie, email })).toContain(`=${id}.`);
  const [name, value = ''] = cookie.split('=');
  const [, issued, mac] = value.split('.');
  const forgeries = [
    `${name}=${id}.${Number(issued) + 9}.${mac}`,
    `${name}=x.${issued}.${mac}`,
    `${name}=..`,
    `${name}=`,
    `${name}=${id}.${issued}.`,
    `${name}=%00`,
  ];
  for (const forged of forgeries) expect(devices.idOf({ cookie: forged, email })).toBeNull();
  expect(devices.idOf({ cookie, email: 'b@example.com' })).toBeNull();
  const others = createKnownDevices({ secret: 'o'.repeat(32), secureCookies: true });
  expect(others.idOf({ cookie, email })).toBeNull();
});

describe('users who share an address', () => {
  test('right passwords use no attempts, and right tokens work after wrong guesses', async () => {
    const [one, other] = [await signedIn(service), await signedIn(service)];
    const ip = '203.0.113.120';
    await Promise.all(
      Array.from({ length: 99 }, (_, n) =>
        post('sign-in', { email: `nobody${n}@example.com`, password: NOBODYS }, { ip }),
      ),
    );
    for (const { email } of [one, other, one, other]) {
      expect((await signIn(email, { ip })).status).toBe(204);
    }
    await Promise.all(
      Array.from({ length: 65 }, (_, n) =>
        post('reset-password', { token: `guess-${n}`, password: PASSWORD }, { ip }),
      ),
    );
    const token = await service.app.signIn.newResetToken(one.email);
    expect((await post('reset-password', { token, password: PASSWORD }, { ip })).status).toBe(204);
  });

  test('behind a proxy that is not trusted: 150 wrong tries do not stop the whole site', async () => {
    const site = await startService({
      authSecret: 'a secret of at least thirty-two characters',
      settings: { PUBLIC_URL: 'https://shop.example.com' },
    });
    const person = await signedIn(site);
    const ip = '10.0.0.2';
    const statuses = await Promise.all(
      Array.from({ length: 150 }, async (_, n) => {
        const body = { email: `nobody${n}@example.com`, password: NOBODYS };
        return (await post('sign-in', body, { ip }, site)).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect((await signIn(person.email, { ip, on: site })).status).toBe(204);
  });
});

test('a public PUBLIC_URL without TRUST_PROXY gives a warning, a certain one with https', () => {
  const publicOnes = [
    'https://shop.example.com',
    'http://93.184.215.14:8080',
    'https://[2606:2800::1]',
  ];
  const local = ['http://localhost:8080', 'http://127.0.0.1', 'http://10.1.2.3', 'http://[::1]:80'];
  for (const url of publicOnes) expect([url, isPublicUrl(url)]).toEqual([url, true]);
  for (const url of [...local, 'http://box.local', 'http://intranet', null]) {
    expect([url, isPublicUrl(url)]).toEqual([url, false]);
  }
  const missing = { PUBLIC_URL: 'https://shop.example.com', TRUST_PROXY: null };
  expect(missingProxyAdvice(missing)).toMatchObject({ isCertain: true });
  expect(missingProxyAdvice({ ...missing, PUBLIC_URL: 'http://shop.example.com' })).toMatchObject({
    isCertain: false,
  });
  expect(missingProxyAdvice({ ...missing, TRUST_PROXY: '10.0.0.2' })).toBeNull();
});
