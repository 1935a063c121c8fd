// Signing up, in and out, and passwords.
import { describe, expect, test } from 'vitest';
import { buildServer } from '../../../src/api/server.ts';
import { buildApp } from '../../../src/app.ts';
import { closeAccount } from '../../../src/closing/close-account.ts';
import { startService } from '../../support/service.ts';
import {
  cookieFrom,
  eventually,
  keptLog,
  linkTo,
  newSession,
  PASSWORD,
  sendRequest,
  signedIn,
} from '../../support/session.ts';

const kept = keptLog();
const SECRET = 'a secret of at least thirty-two characters';
const service = await startService({ log: kept.log, authSecret: SECRET });
const { db, signIn } = service.app;
const somebody = await signedIn(service);

let people = 0;
/** Each from a separate address, so that nobody uses up another's attempts. */
const newcomer = () => {
  people += 1;
  return { email: `person${people}@example.org`, ip: `198.51.100.${people}` };
};
const post = (path: string, body: unknown, more: { ip?: string; cookie?: string } = {}) =>
  sendRequest(service, more.cookie === undefined ? null : { cookie: more.cookie }, {
    method: 'POST',
    path: `/session/${path}`,
    body,
    ip: more.ip ?? '127.0.0.1',
  });
const whoIs = (cookie: string) =>
  sendRequest(service, { cookie }, { method: 'GET', path: '/session' });

async function signUp({ email, ip }: { email: string; ip: string }): Promise<string> {
  await post('sign-up', { email }, { ip });
  const token = await linkTo(kept, email);
  const done = await post('finish-sign-up', { token, password: PASSWORD }, { ip });
  expect(done.status).toBe(204);
  return cookieFrom(done.headers['set-cookie'] as string[]);
}

async function countOf(table: string, where: string, value: string): Promise<number> {
  const rows = await db.query(`select 1 from ${table} where ${where} = $1`, [value]);
  return rows.length;
}

test('nobody signed in is a 401, or a 204 for a page that only asks who it is', async () => {
  const without = (path: string) => sendRequest(service, null, { method: 'GET', path });
  expect((await without('/session')).body.code).toBe('unauthenticated');
  expect((await without('/session?optional=true')).status).toBe(204);
  expect((await without('/session/plan?optional=true')).status).toBe(401);
});

describe('signing up', () => {
  test('gives a Free account, a person and a session that is used up once', async () => {
    const who = newcomer();
    const requested = await post('sign-up', { email: who.email }, who);
    expect([requested.status, requested.body]).toEqual([202, { sent_to: who.email, mail: 'log' }]);
    expect(requested.headers['set-cookie']).toBeUndefined();
    const token = await linkTo(kept, who.email);
    expect(await countOf('accounts', 'email', who.email)).toBe(0);
    const body = { token, password: PASSWORD };
    const done = await post('finish-sign-up', body, who);
    expect([done.status, done.body]).toEqual([204, '']);
    const { body: session } = await whoIs(cookieFrom(done.headers['set-cookie'] as string[]));
    expect(session).toMatchObject({
      user: { name: '', email: who.email },
      account: { email: who.email, plan: 'Free', seller_name: null },
    });
    const again = await post('finish-sign-up', body, who);
    expect([again.status, again.body.code]).toEqual([400, 'link_expired']);
    expect(await countOf('accounts', 'email', who.email)).toBe(1);
  });

  test('a common password is refused, and the link still works after it', async () => {
    const who = newcomer();
    await post('sign-up', { email: who.email }, who);
    const token = await linkTo(kept, who.email);
    const common = await post('finish-sign-up', { token, password: 'password1234' }, who);
    expect([common.status, common.body.code, common.body.field]).toEqual([
      400,
      'password_too_common',
      'password',
    ]);
    expect((await post('finish-sign-up', { token, password: PASSWORD }, who)).status).toBe(204);
  });

  test('a link is checked before a password is typed, without using it up', async () => {
    const who = newcomer();
    await post('sign-up', { email: who.email }, who);
    const token = await linkTo(kept, who.email);
    const works = async (purpose: string) =>
      (await post('check-link', { token, purpose }, who)).body.works;
    expect(await works('sign-up')).toBe(true);
    expect(await works('reset-password')).toBe(false);
    expect((await post('finish-sign-up', { token, password: PASSWORD }, who)).status).toBe(204);
    expect(await works('sign-up')).toBe(false);
  });

  test('a token is stored only as a hash and expires after an hour', async () => {
    const who = newcomer();
    await post('sign-up', { email: who.email }, who);
    const token = await linkTo(kept, who.email);
    const rows = await db.query<{ all: string }>('select v::text as all from auth.verifications v');
    expect(JSON.stringify(rows)).toContain(who.email);
    expect(JSON.stringify(rows)).not.toContain(token);
    await db.query(`update auth.verifications set expires_at = $2 where value = $1`, [
      who.email,
      new Date(Date.now() - 1000).toISOString(),
    ]);
    const late = await post('finish-sign-up', { token, password: PASSWORD }, who);
    expect(late.status).toBe(400);
    expect(await countOf('accounts', 'email', who.email)).toBe(0);
  });

  test('with one link at once: one account, one 204', async () => {
    const who = newcomer();
    await post('sign-up', { email: who.email }, who);
    const token = await linkTo(kept, who.email);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => post('finish-sign-up', { token, password: PASSWORD }, who)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(400)]);
    expect(await countOf('accounts', 'email', who.email)).toBe(1);
    expect(await countOf('auth.users', 'email', who.email)).toBe(1);
  });

  test('with several links of one e-mail at once: one account, one 204, the others are dead', async () => {
    const who = newcomer();
    const tokens = await Promise.all(
      Array.from({ length: 6 }, () => signIn.newSignUpToken(who.email)),
    );
    const replies = await Promise.all(
      tokens.map((token) => post('finish-sign-up', { token, password: PASSWORD }, who)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(5).fill(400)]);
    expect(await countOf('accounts', 'email', who.email)).toBe(1);
    expect(await countOf('auth.users', 'email', who.email)).toBe(1);
  });

  test('finds the account that an operator has opened for the same e-mail', async () => {
    const customer = await service.newCustomer({ plan: 'Pro' });
    const cookie = await signUp({ email: customer.email, ip: '198.51.100.250' });
    const { body } = await whoIs(cookie);
    expect(body.account).toMatchObject({ id: customer.accountId, plan: 'Pro' });
  });

  test('a password that is refused does not use up the link', async () => {
    const who = newcomer();
    await post('sign-up', { email: who.email }, who);
    const token = await linkTo(kept, who.email);
    for (const password of ['short', 'x'.repeat(129), '🔑'.repeat(65)]) {
      expect((await post('finish-sign-up', { token, password }, who)).status).toBe(400);
    }
    expect((await post('finish-sign-up', { token, password: PASSWORD }, who)).status).toBe(204);
  });
});

describe('whether an e-mail is known', () => {
  test('does not show in the responses to sign-up and reset', async () => {
    const registered = somebody;
    const unregistered = newcomer();
    for (const path of ['sign-up', 'request-password-reset']) {
      const [one, other] = [
        await post(path, { email: registered.email }, unregistered),
        await post(path, { email: unregistered.email }, unregistered),
      ];
      expect(one.status).toBe(202);
      expect({ ...one.body, sent_to: '' }).toEqual({ ...other.body, sent_to: '' });
      const names = ({ headers }: typeof one) => Object.keys(headers).sort();
      expect(names(one)).toEqual(names(other));
    }
  });

  test('does not show in a refused sign-in, nor in the time it takes', async () => {
    const registered = somebody;
    const unregistered = newcomer();
    const timeOf = async (email: string) => {
      const begun = performance.now();
      const reply = await post('sign-in', { email, password: 'not the password' }, unregistered);
      expect(reply.status).toBe(401);
      return { ms: performance.now() - begun, said: { ...reply.body, request_id: '' } };
    };
    const tries = { registered: [] as number[], unregistered: [] as number[] };
    for (let round = 0; round < 3; round++) {
      const [one, other] = [await timeOf(registered.email), await timeOf(unregistered.email)];
      expect(one.said).toEqual(other.said);
      tries.registered.push(one.ms);
      tries.unregistered.push(other.ms);
    }
    // Without hashing for unregistered e-mails the second would take a tenth.
    expect(Math.min(...tries.unregistered)).toBeGreaterThan(Math.min(...tries.registered) / 3);
  });

  test('a known e-mail that signs up again gets a link to reset, and nothing changes', async () => {
    const registered = await signedIn(service);
    await post('sign-up', { email: registered.email.toUpperCase() }, { ip: '198.51.100.251' });
    const line = await eventually(() => kept.lines().find(({ to }) => to === registered.email));
    expect(line).toMatchObject({ purpose: 'already-signed-up' });
    expect(line.link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/reset-password\?token=[\w-]{43}$/);
    expect((await whoIs(registered.cookie)).status).toBe(200);
  });
});

describe('e-mails', () => {
  test('are the same in capitals and with space around', async () => {
    const who = newcomer();
    await signUp(who);
    const email = `  ${who.email.toUpperCase()} `;
    expect((await post('sign-in', { email, password: PASSWORD }, who)).status).toBe(204);
  });

  test.each([
    ['not an address', 'nobody'],
    ['two addresses', 'a@example.com,b@example.com'],
    ['a list that a mailer would read', 'a@example.com,example.org'],
    ['a name with an address', 'A <a@example.com>'],
    ['letters that could not sign in', 'jürgen@example.com'],
    ['a domain in another script', 'a@пример.рф'],
    ['a NUL', 'a\0@example.com'],
    ['a new line', 'a@example.com\r\nBcc: b@example.com'],
    ['no dot', 'a@localhost'],
    ['one letter at the end', 'a@b.c'],
    ['255 characters', `${'a'.repeat(243)}@example.com`],
    ['a megabyte less a bit', 'a'.repeat(60_000)],
  ])('%s is refused by every route, and nothing breaks', async (_what, email) => {
    const ip = '198.51.100.252';
    for (const path of ['sign-up', 'request-password-reset']) {
      expect((await post(path, { email }, { ip })).status).toBe(400);
    }
    expect((await post('sign-in', { email, password: PASSWORD }, { ip })).status).toBe(400);
  });
});

describe('signing in', () => {
  test('gives a cookie that scripts cannot read and other sites do not send', async () => {
    const person = somebody;
    const reply = await post('sign-in', { email: person.email, password: PASSWORD });
    expect(reply.status).toBe(204);
    const [cookie, ...more] = [reply.headers['set-cookie'] ?? []].flat();
    expect(more).toEqual([
      expect.stringMatching(
        /^oversight\.device_[\w-]{16}=[\w.-]+; Max-Age=\d+; Path=\/session; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(cookie).toMatch(/^oversight\.session_token=[^;]+; /);
    expect(cookie).toMatch(/; HttpOnly(;|$)/);
    expect(cookie).toMatch(/; SameSite=Strict(;|$)/);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).not.toMatch(/; (Secure|Domain)/i);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('makes a new session, whatever cookie was sent', async () => {
    const person = somebody;
    const body = { email: person.email, password: PASSWORD };
    const reply = await post('sign-in', body, { cookie: person.cookie });
    const fresh = cookieFrom(reply.headers['set-cookie'] as string[]);
    expect(fresh).not.toBe(person.cookie);
    expect((await whoIs(fresh)).status).toBe(200);
  });

  test.each([
    ['a wrong password', { password: 'wrong wrong wrong' }],
    ['a password longer than any', { password: 'x'.repeat(1_000) }],
    ['the password in other capitals', { password: PASSWORD.toUpperCase() }],
  ])('%s is 401, without a cookie', async (_what, more) => {
    const { email } = somebody;
    const reply = await post('sign-in', { email, ...more });
    expect([reply.status, reply.body.code]).toEqual([401, 'credentials_incorrect']);
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  test.each([
    ['no password', { email: 'a@example.com' }],
    ['a list of e-mails', { email: ['a@example.com'], password: PASSWORD }],
    ['an object for a password', { email: 'a@example.com', password: { $ne: '' } }],
    ['1001 characters', { email: 'a@example.com', password: 'x'.repeat(1_001) }],
    ['a list', []],
  ])('%s is 400', async (_what, body) => {
    expect((await post('sign-in', body)).status).toBe(400);
  });

  test.each([
    ['nonsense', 'nonsense'],
    ['nothing', 'oversight.session_token='],
    ['a broken percent-encoding', 'oversight.session_token=%E0%A4%A'],
    ['7000 characters', `oversight.session_token=${'x'.repeat(7_000)}`],
    ['two of them', 'oversight.session_token=a.b; oversight.session_token=c.d'],
    ['names of objects', '__proto__=1; constructor=2'],
  ])('nobody is signed in with a cookie of %s', async (_what, cookie) => {
    expect((await whoIs(cookie)).status).toBe(401);
  });

  test('a token without its signature, or with another’s, signs nobody in', async () => {
    const [one, other] = [somebody, await signedIn(service)];
    const [name, value = ''] = one.cookie.split('=');
    const [token, signature] = decodeURIComponent(value).split('.');
    const foreign = decodeURIComponent(other.cookie.split('=')[1] ?? '').split('.')[1];
    for (const forged of [token, `${token}.`, `${token}.${foreign}`, `x${token}.${signature}`]) {
      expect((await whoIs(`${name}=${encodeURIComponent(String(forged))}`)).status).toBe(401);
    }
    expect((await whoIs(one.cookie)).status).toBe(200);
  });

  test('ends when the account is closed', async () => {
    const person = await signedIn(service);
    const other = await newSession(service, person);
    await closeAccount(service.app, person.accountId);
    expect((await whoIs(other)).status).toBe(401);
    expect((await whoIs(await newSession(service, person))).status).toBe(404);
  });

  test('out of a session ends it on the server, not only in the browser', async () => {
    const person = await signedIn(service);
    const elsewhere = await newSession(service, person);
    const reply = await post('sign-out', {}, { cookie: person.cookie });
    expect(reply.status).toBe(204);
    expect(String(reply.headers['set-cookie'])).toMatch(/oversight\.session_token=;.*Max-Age=0/);
    expect((await whoIs(person.cookie)).status).toBe(401);
    expect((await whoIs(elsewhere)).status).toBe(200);
    expect((await post('sign-out', {})).status).toBe(204);
  });
});

describe('attempts', () => {
  /** Too long for a password: refused without the time that a comparison takes. */
  const NOBODYS = 'x'.repeat(200);

  test('30 wrong sign-ins at once: ten are checked, the others must wait', async () => {
    const person = await signedIn(service);
    const ip = '198.51.100.253';
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        post('sign-in', { email: person.email, password: `guess number ${n}`.padEnd(200) }, { ip }),
      ),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(20);
    expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(800);
    // From there even the right password must wait; from elsewhere it works.
    const body = { email: person.email, password: PASSWORD };
    expect((await post('sign-in', body, { ip })).status).toBe(429);
    expect((await post('sign-in', body, { ip: '203.0.113.1' })).status).toBe(204);
  });

  test('a success resets the count of wrong attempts', async () => {
    const person = await signedIn(service);
    const ip = '203.0.113.2';
    const right = { email: person.email, password: PASSWORD };
    for (let round = 0; round < 2; round++) {
      for (let tries = 0; tries < 9; tries++) {
        const wrong = { email: person.email, password: NOBODYS };
        expect((await post('sign-in', wrong, { ip })).status).toBe(401);
      }
      expect((await post('sign-in', right, { ip })).status).toBe(204);
    }
  });

  test('all addresses of one IPv6 network count as one client', async () => {
    const person = somebody;
    const replies = await Promise.all(
      Array.from({ length: 15 }, (_, n) =>
        post(
          'sign-in',
          { email: person.email, password: NOBODYS },
          { ip: `2001:db8:0:7:${n}::${n + 1}` },
        ),
      ),
    );
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(5);
    const elsewhere = { ip: '2001:db8:0:8::1' };
    expect(
      (await post('sign-in', { email: person.email, password: NOBODYS }, elsewhere)).status,
    ).toBe(401);
  });

  test('five links an hour per client, fifteen per e-mail; the message points to the inbox', async () => {
    const { email } = newcomer();
    const statuses: number[] = [];
    const link = (n: number, ip: string) =>
      post(n % 2 === 0 ? 'sign-up' : 'request-password-reset', { email }, { ip });
    for (let n = 0; n < 7; n++) statuses.push((await link(n, '203.0.113.10')).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429]);
    for (let n = 0; n < 10; n++) {
      expect((await link(n, `203.0.113.${11 + n}`)).status).toBe(202);
    }
    const refused = await link(0, '203.0.113.29');
    expect([refused.status, refused.body.message]).toEqual([
      429,
      expect.stringContaining('Open the newest one in the inbox'),
    ]);
  });

  test('guesses at tokens are bounded', async () => {
    const ip = '203.0.113.30';
    const replies = await Promise.all(
      Array.from({ length: 70 }, (_, n) =>
        post('reset-password', { token: `guess-${n}`, password: PASSWORD }, { ip }),
      ),
    );
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(60);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test('X-Forwarded-For is ignored while no proxy is trusted', async () => {
    const person = somebody;
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        sendRequest(service, null, {
          method: 'POST',
          path: '/session/sign-in',
          ip: '203.0.113.40',
          body: { email: person.email, password: NOBODYS },
          headers: { 'x-forwarded-for': `10.0.0.${n}` },
        }),
      ),
    );
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});

describe('passwords', () => {
  const NEXT = 'another long password';

  test('changing one needs the current one, and ends the other sessions and links', async () => {
    const person = await signedIn(service);
    const elsewhere = await newSession(service, person);
    const link = await signIn.newResetToken(person.email);
    const change = (current: string) =>
      post(
        'change-password',
        { current_password: current, new_password: NEXT },
        { cookie: person.cookie },
      );
    expect((await change('not the current one')).status).toBe(400);
    expect((await whoIs(elsewhere)).status).toBe(200);
    const changed = await change(PASSWORD);
    expect(changed.status).toBe(204);
    const fresh = cookieFrom(changed.headers['set-cookie'] as string[]);
    expect((await whoIs(fresh)).status).toBe(200);
    for (const old of [person.cookie, elsewhere]) expect((await whoIs(old)).status).toBe(401);
    const body = { token: link, password: 'a third long password' };
    expect((await post('reset-password', body)).status).toBe(400);
    const { email } = person;
    expect((await post('sign-in', { email, password: PASSWORD })).status).toBe(401);
    expect((await post('sign-in', { email, password: NEXT })).status).toBe(204);
  });

  test('an invented token does not cost the hashing of a password', async () => {
    const cpuOf = async (work: () => Promise<unknown>) => {
      const before = process.cpuUsage();
      await work();
      return process.cpuUsage(before).user;
    };
    const person = await signedIn(service);
    const token = (await signIn.newResetToken(person.email)) as string;
    const hashing = await cpuOf(() => signIn.resetPassword({ token, password: NEXT }));
    const inventing = await cpuOf(async () => {
      for (let tries = 0; tries < 10; tries++) {
        const invented = { token: `invented-${tries}`, password: NEXT };
        expect(await signIn.resetPassword(invented)).toBeNull();
      }
    });
    expect(inventing).toBeLessThan(5 * hashing);
  });

  test('resetting one signs in, ends all sessions and the other links, and works once', async () => {
    const person = await signedIn(service);
    const ip = '203.0.113.50';
    await post('request-password-reset', { email: person.email }, { ip });
    const token = await linkTo(kept, person.email);
    const other = await signIn.newResetToken(person.email);
    const reset = await post('reset-password', { token, password: NEXT }, { ip });
    expect(reset.status).toBe(204);
    expect((await whoIs(cookieFrom(reset.headers['set-cookie'] as string[]))).status).toBe(200);
    expect((await whoIs(person.cookie)).status).toBe(401);
    for (const dead of [token, other]) {
      const again = await post('reset-password', { token: dead, password: NEXT }, { ip });
      expect(again.status).toBe(400);
    }
  });

  test('one link used concurrently resets once', async () => {
    const person = await signedIn(service);
    const token = await signIn.newResetToken(person.email);
    const replies = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        post('reset-password', { token, password: `password number ${n}` }, { ip: '203.0.113.51' }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400]);
  });

  test('a link to sign up resets nothing, and the other way round', async () => {
    const person = somebody;
    const up = await signIn.newSignUpToken('nobody.yet@example.org');
    const reset = await signIn.newResetToken(person.email);
    const ip = '203.0.113.52';
    const password = NEXT;
    expect((await post('reset-password', { token: up, password }, { ip })).status).toBe(400);
    expect((await post('finish-sign-up', { token: reset, password }, { ip })).status).toBe(400);
    expect((await whoIs(person.cookie)).status).toBe(200);
  });
});

describe('a restart', () => {
  const another = async (authSecret: string) => {
    const app = buildApp({
      db,
      clock: service.app.clock,
      log: service.app.log,
      source: service.source,
      authSecret,
      encryptionKeys: service.app.encryptionKeys,
      settings: { REDIS_URL: null, PORT: 8080 },
    });
    const server = await buildServer(
      { ...app, notReadyReason: () => null },
      { trustProxy: null, endpoints: true },
    );
    return { app, server };
  };

  test('a session continues with the same secret and ends with another; nothing breaks', async () => {
    const person = somebody;
    const same = await another(SECRET);
    const other = await another('another secret of thirty-two characters');
    const get = { method: 'GET', path: '/session' };
    expect((await sendRequest(same, person, get)).status).toBe(200);
    const refused = await sendRequest(other, person, get);
    expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated']);
    const again = await sendRequest(other, person, {
      method: 'POST',
      path: '/session/sign-in',
      ip: '203.0.113.60',
      body: { email: person.email, password: PASSWORD },
    });
    expect(again.status).toBe(204);
    await Promise.all([same.server.close(), other.server.close()]);
    await Promise.all([same.app.close(), other.app.close()]);
  });
});

test('no password or cookie of this file is in the log', () => {
  const text = kept.text();
  expect(text.length).toBeGreaterThan(1_000);
  for (const secret of [PASSWORD, 'another long password', 'guess number', 'session_token']) {
    expect(text).not.toContain(secret);
  }
});
