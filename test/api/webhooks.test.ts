// /retailer/webhooks, grouped by request and status.
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/events/kind.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { machineAddresses } from '../../src/outbound/checked-connect.ts';
import { type HealthRecord, lockHealth, saveHealth } from '../../src/webhooks/health-records.ts';
import { type Customer, type Service, startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-11-15T10:00:00Z'));
const PATH = '/retailer/webhooks';
const URL_OF_OURS = 'https://hooks.example.com/oversight';

/** Responses of name servers; every other name resolves to a public address. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inside.example.com': ['10.1.2.3'],
  'both.example.com': ['93.184.215.14', '127.0.0.1'],
  'six.example.com': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:10.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'empty.example.com': [],
};
const FAILING: Readonly<Record<string, string>> = {
  'nowhere.example.com': 'ENOTFOUND',
  'nodata.example.com': 'ENODATA',
  'slow.example.com': 'ECANCELLED',
  'broken.example.com': 'ESERVFAIL',
};
const resolveName = async (name: string) => {
  const code = FAILING[name];
  if (code !== undefined) throw Object.assign(new Error(name), { code });
  return NAMES[name] ?? ['93.184.215.14'];
};

const service = await startService({ clock, resolveName });
const lenient = await startService({ clock, resolveName, allowPrivateTargets: true });

const customer = (on: Service = service) => on.newCustomer({ perSecond: 1_000 });
const sendTo = (on: Service, who: Customer | null, method: string, path: string, body?: unknown) =>
  on.send(who, method, `${PATH}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
const send = (who: Customer | null, method: string, path: string, body?: unknown) =>
  sendTo(service, who, method, path, body);
const add = (who: Customer, more: object = {}) =>
  send(who, 'POST', '', { name: 'Mine', url: URL_OF_OURS, events: ['*'], ...more });

const UNKNOWN_IDS = [
  'nonsense',
  '01a1dd99-01d8-703f-9951-f5e96b148bbf',
  '%00',
  '0',
  "'--",
  'deliveries',
];

describe('POST', () => {
  it('201 with the webhook and its secret, and costs nothing', async () => {
    const who = await customer();
    const { status, body, headers } = await add(who, { events: ['price.drop', 'stock.out'] });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Mine',
      method: 'POST',
      url: URL_OF_OURS,
      events: ['price.drop', 'stock.out'],
      quiet_hours: null,
      digest: null,
      success_status: '200_201',
      tags: null,
      status: 'Active',
      paused_reason: null,
      paused_cause: null,
      created_at: '2026-11-15T10:00:00.000Z',
      last_delivery_at: null,
      success_rate: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(headers['x-credits-charged']).toBe('0');
    expect(headers['ratelimit-policy']).toContain('"account"');
    expect(await service.used(who)).toBe(0);
  });

  it('each has a different secret, stored encrypted', async () => {
    const who = await customer();
    const [one, two] = [await add(who), await add(who)];
    expect(one.body.secret).not.toBe(two.body.secret);
    const rows = await service.app.db.query<{ row: string }>(
      'select w::text as row, secret from webhooks w where account_id = $1',
      [who.accountId],
    );
    const key = Buffer.from(one.body.secret.slice(6), 'base64');
    for (const { row } of rows) {
      expect(row).not.toContain(one.body.secret);
      expect(row).not.toContain(key.toString('hex'));
    }
  });

  it('accepts "*", one kind, every kind, and drops duplicates', async () => {
    const who = await customer();
    expect((await add(who, { events: ['*'] })).body.events).toEqual(['*']);
    expect((await add(who, { events: ['*', '*'] })).body.events).toEqual(['*']);
    expect((await add(who, { events: EVENT_KINDS })).body.events).toEqual(EVENT_KINDS);
    const twice = ['rank.lost', 'rank.lost'];
    expect((await add(who, { events: twice })).body.events).toEqual(['rank.lost']);
  });

  it('uses the host as name without one, and can start paused', async () => {
    const who = await customer();
    const added = await send(who, 'POST', '', {
      url: URL_OF_OURS,
      events: ['*'],
      status: 'Paused',
    });
    expect(added.body).toMatchObject({ name: 'hooks.example.com', status: 'Paused' });
    expect(added.body.paused_reason).toBeNull();
  });

  it('counts 200 and 201 as received, or any 2xx by choice', async () => {
    const who = await customer();
    const { body } = await add(who, { success_status: 'any_2xx' });
    expect(body.success_status).toBe('any_2xx');
    const renamed = await send(who, 'PATCH', `/${body.id}`, { name: 'changed' });
    expect(renamed.body.success_status).toBe('any_2xx');
    const strict = await send(who, 'PATCH', `/${body.id}`, { success_status: '200_201' });
    expect(strict.body.success_status).toBe('200_201');
    expect((await add(who, { success_status: '204' })).body.field).toBe('success_status');
  });

  it('takes quiet hours and a digest with their time zones, and changes or ends them', async () => {
    const who = await customer();
    const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };
    const { body } = await add(who, { quiet_hours, digest: { every: 'day' } });
    const daily = { every: 'day', time_zone: 'UTC' };
    expect(body).toMatchObject({ quiet_hours, digest: daily });
    const patch = async (change: object) => (await send(who, 'PATCH', `/${body.id}`, change)).body;
    const hourly = { every: 'hour', time_zone: 'Asia/Tokyo' };
    expect(await patch({ digest: hourly })).toMatchObject({ quiet_hours, digest: hourly });
    expect(await patch({ digest: null })).toMatchObject({ quiet_hours, digest: null });
  });

  it.each([
    [{ digest: { every: 'week' } }, 'digest.every'],
    [{ digest: { every: 'day', time_zone: 'Mars/Base' } }, 'digest.time_zone'],
    [{ digest: 'hour' }, 'digest'],
    [
      { quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Mars/Base' } },
      'quiet_hours.time_zone',
    ],
  ])('400 for %j', async (more, field) => {
    const { status, body } = await add(await customer(), more);
    expect([status, body.field]).toEqual([400, field]);
  });

  it('409 for the twenty-first, even with concurrent requests, until one is removed', async () => {
    const who = await customer();
    const responses = await Promise.all(Array.from({ length: 40 }, () => add(who)));
    const added = responses.filter(({ status }) => status === 201);
    expect(added).toHaveLength(20);
    const refused = responses.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(20);
    expect(refused[0]?.body.message).toMatch(/at most 20/);
    expect((await send(who, 'GET', '')).body).toHaveLength(20);
    expect((await add(await customer())).status).toBe(201);
    await send(who, 'DELETE', `/${added[7]?.body.id}`);
    expect((await add(who)).status).toBe(201);
    expect((await add(who)).status).toBe(409);
  });
});

/** Bodies that POST and PATCH refuse, and the messages. */
const BAD_BODIES: readonly (readonly [string, object, RegExp])[] = [
  ['no kinds', { events: [] }, /events must be a list of one or more event types/],
  [
    'an unknown kind',
    { events: ['price.dropped'] },
    /must be one of buybox\.won, .*"price\.dropped"/,
  ],
  ['one unknown among others', { events: ['price.drop', 'x'] }, /must be one of/],
  ['a kind in capitals', { events: ['PRICE.DROP'] }, /must be one of/],
  ['"*" beside a kind', { events: ['*', 'price.drop'] }, /\["\*"\] alone/],
  ['the type of a test', { events: ['webhook.test'] }, /must be one of/],
  ['a member of every object', { events: ['__proto__'] }, /must be one of/],
  ['kinds as a text', { events: '*' }, /events must be a list/],
  ['no list', { events: null }, /events must be a list/],
  ['an empty name', { name: '' }, /name must be a name of 1 to 200/],
  ['a name of spaces', { name: ' \t\n\u00a0' }, /name must be a name of 1 to 200/],
  ['a name that is too long', { name: 'x'.repeat(201) }, /name must be a name of 1 to 200/],
  ['a name with NUL', { name: 'a\0b' }, /name must be/],
  ['half a character as a name', { name: 'a\ud83e' }, /name must be/],
  ['a number as a name', { name: 5 }, /name must be a name/],
  ['another status', { status: 'active' }, /status must be Active or Paused/],
  ['no address', { url: '' }, /url must be a URL/],
  ['an address with a space', { url: 'https://hooks.example.com/a b' }, /url must be a URL/],
  ['an address with a line break', { url: 'https://hooks.example.com/\n' }, /url must be a URL/],
  ['an address with NUL', { url: 'https://hooks.example.com/\0' }, /url must be/],
  ['half a character in an address', { url: 'https://hooks.example.com/\ud83e' }, /url must be/],
  ['a number as an address', { url: 443 }, /url must be a URL/],
];

/** Addresses that nobody can register, with their messages. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['https://127.0.0.1/', /127\.0\.0\.1 is loopback/],
  ['https://127.1/', /127\.0\.0\.1 is loopback/],
  ['https://0x7f.1/', /127\.0\.0\.1 is loopback/],
  ['https://017700000001/', /127\.0\.0\.1 is loopback/],
  ['https://127。0。0。1/', /127\.0\.0\.1 is loopback/],
  ['https://127.0.0.1#@example.com/', /127\.0\.0\.1 is loopback/],
  ['https://localhost/', /localhost is loopback/],
  ['https://LOCALHOST./', /localhost is loopback/],
  ['https://a.localhost/', /a\.localhost is loopback/],
  ['https://[::1]/', /::1 is loopback/],
  ['https://[0000::1]/', /::1 is loopback/],
  ['https://0/', /0\.0\.0\.0 is unspecified/],
  ['https://[::]/', /:: is unspecified/],
  ['https://10.0.0.1/', /10\.0\.0\.1 is private/],
  ['https://172.16.0.1/', /172\.16\.0\.1 is private/],
  ['https://192.168.1.1/', /192\.168\.1\.1 is private/],
  ['https://[fc00::1]/', /fc00::1 is unique local/],
  ['https://169.254.0.1/', /169\.254\.0\.1 is link-local/],
  ['https://[fe80::1]/', /fe80::1 is link-local/],
  ['https://[fec0::1]/', /fec0::1 is site-local/],
  ['https://100.64.0.1/', /100\.64\.0\.1 is shared by a carrier/],
  ['https://198.18.0.1/', /198\.18\.0\.1 is for benchmarks/],
  ['https://203.0.113.9/', /203\.0\.113\.9 is for documentation/],
  ['https://224.0.0.1/', /224\.0\.0\.1 is multicast/],
  ['https://[ff02::1]/', /ff02::1 is multicast/],
  ['https://192.0.0.1/', /192\.0\.0\.1 is reserved/],
  ['https://255.255.255.255/', /255\.255\.255\.255 is reserved/],
  ['https://[::ffff:127.0.0.1]/', /::ffff:7f00:1 is an IPv4 address inside IPv6/],
  ['https://[::ffff:8.8.8.8]/', /::ffff:808:808 is an IPv4 address inside IPv6/],
  ['https://[::127.0.0.1]/', /::7f00:1 is an IPv4 address inside IPv6/],
  ['https://[64:ff9b::127.0.0.1]/', /64:ff9b::7f00:1 is an IPv4 address inside IPv6/],
  ['https://[2002:7f00:1::]/', /2002:7f00:1:: is an IPv4 address inside IPv6/],
  ['https://[2001:0:7f00:1::]/', /2001:0:7f00:1:: is an IPv4 address inside IPv6/],
  ['https://169.254.169.254/latest/meta-data/', /169\.254\.169\.254 is a metadata service/],
  ['https://0xa9fea9fe/', /169\.254\.169\.254 is a metadata service/],
  ['https://100.100.100.200/', /100\.100\.100\.200 is a metadata service/],
  ['https://[fd00:ec2::254]/', /fd00:ec2::254 is a metadata service/],
  ['https://user:pw@127.0.0.1/', /127\.0\.0\.1 is loopback/],
  ['https://user:pw@hooks.example.com/', /must not hold a user name or password/],
  ['http://hooks.example.com/', /must begin with https:\/\//],
  ['ftp://hooks.example.com/', /must begin with https:\/\//],
  // Only the demo account has this target, and only from its start.
  ['built-in://receiver', /must begin with https:\/\//],
  ['javascript:alert(1)', /must begin with https:\/\//],
  ['https://hooks.example.com/#part', /must not have a #/],
  ['hooks.example.com/x', /not a URL/],
  ['https://', /not a URL/],
  ['https://hooks.example.com:22/', /port 22 is not allowed/],
  ['https://hooks.example.com:80/', /port 80 is not allowed/],
  [`https://hooks.example.com/${'x'.repeat(2_048)}`, /longer than 2048/],
];

describe('400', async () => {
  const who = await customer();
  const { body: existing } = await add(who);
  const registered = async () => (await send(who, 'GET', '')).body;

  it.each(BAD_BODIES)('%s, in a new one and in a change', async (_, wrong, sentence) => {
    for (const response of [
      await add(who, wrong),
      await send(who, 'PATCH', `/${existing.id}`, { ...wrong }),
    ]) {
      expect(response.status).toBe(400);
      expect(response.body.message).toMatch(sentence);
    }
    const { secret, ...unchanged } = existing;
    expect(await registered()).toEqual([unchanged]);
  });

  it.each(REFUSED)('the target %s, in a new one and in a change', async (url, sentence) => {
    for (const response of [
      await add(who, { url }),
      await send(who, 'PATCH', `/${existing.id}`, { url, name: 'Changed' }),
    ]) {
      expect(response.status).toBe(400);
      expect(response.body.message).toMatch(sentence);
      expect(response.body.message).toMatch(/^Body member url cannot be a webhook's target: .*\.$/);
      expect(response.body.message).not.toContain('pw@');
    }
    expect(await registered()).toMatchObject([{ name: 'Mine', url: URL_OF_OURS }]);
  });

  it('a refused name has the same message and timing, whatever is wrong with it', async () => {
    const emitted = new Set<string>();
    for (const name of [...Object.keys(NAMES), ...Object.keys(FAILING)]) {
      for (const response of [
        await add(who, { url: `https://${name}/` }),
        await send(who, 'PATCH', `/${existing.id}`, { url: `https://${name}/`, name: 'Changed' }),
      ]) {
        expect([name, response.status]).toEqual([name, 400]);
        emitted.add(response.body.message);
      }
    }
    expect([...emitted]).toEqual([
      "Body member url cannot be a webhook's target: the name does not resolve to addresses that a webhook may go to.",
    ]);
    expect(await registered()).toMatchObject([{ name: 'Mine', url: URL_OF_OURS }]);
  });

  it('every address of this machine, at every port', async () => {
    for (const address of machineAddresses()) {
      const host = address.includes(':') ? `[${address.replace(/%.*/, '')}]` : address;
      expect((await add(who, { url: `https://${host}:8443/` })).status, address).toBe(400);
    }
  });

  it.each([
    ['nothing', undefined, /JSON body is required/],
    ['a list', [], /body must be object/],
    ['no url', { events: ['*'] }, /url is required/],
    ['no events', { url: URL_OF_OURS }, /events is required/],
  ])('%s', async (_, body, sentence) => {
    const response = await send(who, 'POST', '', body);
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(sentence);
  });
});

describe('targets that are allowed', () => {
  it.each([
    'https://hooks.example.com',
    'https://hooks.example.com:8443/a?b=c',
    'https://HOOKS.example.com/Ünïcode',
    'https://93.184.215.14/',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  ])('%s, shown as sent', async (url) => {
    const added = await add(await customer(), { url });
    expect([added.status, added.body.url]).toEqual([201, url]);
  });

  const INSIDE = [
    'http://127.0.0.1:9000/',
    'http://localhost:9000/',
    'https://[::1]:9000/',
    'http://10.0.0.1/',
    'http://hooks.example.com/',
    'https://inside.example.com/',
    'http://[fc00::1]/',
    'http://100.64.0.1/',
  ];
  it.each(INSIDE)('%s only with ALLOW_PRIVATE_TARGETS', async (url) => {
    const body = { url, events: ['*'] };
    expect((await send(await customer(), 'POST', '', body)).status).toBe(400);
    expect((await sendTo(lenient, await customer(lenient), 'POST', '', body)).status).toBe(201);
  });

  it.each([
    ['http://127.0.0.1:8080/', /this service's own/],
    ['http://localhost:8080/', /this service's own/],
    ['http://169.254.169.254/', /metadata service/],
    ['http://169.254.0.1/', /link-local/],
    ['http://[::ffff:10.0.0.1]/', /IPv4 address inside IPv6/],
    ['http://0.0.0.0:9000/', /unspecified/],
    ['http://user:pw@10.0.0.1/', /user name or password/],
    ['http://10.0.0.1:22/', /port 22/],
    ['https://nowhere.example.com/', /does not resolve/],
  ])('%s is refused even with private targets', async (url, sentence) => {
    const body = { url, events: ['*'] };
    const response = await sendTo(lenient, await customer(lenient), 'POST', '', body);
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(sentence);
  });
});

describe('unusual names', async () => {
  const who = await customer();
  const { id } = (await add(who)).body;
  it.each([
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '0',
    '-1',
    '{}',
    '\\N',
    '$1',
    '%s%n',
    "Robert'); DROP TABLE webhooks;--",
    '"',
    "'",
    '`id`',
    '$(touch /tmp/x)',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '../../etc/passwd',
    '=1+1',
    'two\nlines',
    'esc\u001b[31mred',
    '\u202eright to left',
    'zero\u200bwidth',
    'e\u0301',
    '👩‍👩‍👧‍👦',
    '\u{10ffff}',
    'ﷺ',
    ' padded ',
    'x'.repeat(200),
    '🫖'.repeat(200),
  ])('%j is returned as sent', async (name) => {
    const changed = await send(who, 'PATCH', `/${id}`, { name });
    expect([changed.status, changed.body.name]).toEqual([200, name]);
    expect((await send(who, 'GET', `/${id}`)).body.name).toBe(name);
    expect((await send(who, 'GET', '')).body[0].name).toBe(name);
  });
});

describe('GET', () => {
  it('200 for the list, newest first, and for each; never with the secret', async () => {
    const who = await customer();
    expect((await send(who, 'GET', '')).body).toEqual([]);
    const added = [];
    for (const name of ['one', 'two', 'three']) {
      clock.advanceMs(1_000);
      added.push((await add(who, { name })).body);
    }
    const list = await send(who, 'GET', '');
    const withoutSecrets = added.map(({ secret, ...shown }) => shown);
    expect(list.body).toEqual(withoutSecrets.toReversed());
    for (const shown of withoutSecrets) {
      const one = await send(who, 'GET', `/${shown.id}`);
      expect([one.status, one.body]).toEqual([200, shown]);
    }
    expect(list.headers['x-credits-charged']).toBe('0');
  });

  it('an id in capitals is the same id', async () => {
    const who = await customer();
    const { id } = (await add(who)).body;
    expect((await send(who, 'GET', `/${id.toUpperCase()}`)).body.id).toBe(id);
  });
});

describe('PATCH', () => {
  it('200 with the changes, the rest unchanged, and no secret', async () => {
    const who = await customer();
    const { secret, ...before } = (await add(who)).body;
    const same = await send(who, 'PATCH', `/${before.id}`, {});
    expect([same.status, same.body]).toEqual([200, before]);
    const changes = [
      { name: 'Another' },
      { url: 'https://other.example.com/x' },
      { events: ['stock.low'] },
      { status: 'Paused' },
      { status: 'Active', events: ['*'] },
    ];
    let expected = before;
    for (const change of changes) {
      expected = { ...expected, ...change };
      const { status, body } = await send(who, 'PATCH', `/${before.id}`, change);
      expect([status, body]).toEqual([200, expected]);
    }
    expect((await send(who, 'GET', `/${before.id}`)).body).toEqual(expected);
  });

  it('activating clears the reason of a pause by the service', async () => {
    const who = await customer();
    const { id } = (await add(who)).body;
    await service.app.db.transaction(async (tx) => {
      const [health] = await lockHealth(tx, [{ accountId: who.accountId, webhookId: id }]);
      const pausedReason = 'the endpoint responded with 410: it is gone';
      await saveHealth(tx, [{ ...(health as HealthRecord), status: 'Paused', pausedReason }]);
    });
    const shown = await send(who, 'GET', `/${id}`);
    expect(shown.body).toMatchObject({
      status: 'Paused',
      paused_reason: expect.stringContaining('410'),
    });
    const resumed = await send(who, 'PATCH', `/${id}`, { status: 'Active' });
    expect(resumed.body).toMatchObject({ status: 'Active', paused_reason: null });
  });
});

describe('DELETE', () => {
  it('204 without a body, then 404', async () => {
    const who = await customer();
    const { id } = (await add(who)).body;
    const other = (await add(who)).body.id;
    const gone = await send(who, 'DELETE', `/${id}`);
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await send(who, 'DELETE', `/${id}`)).status).toBe(404);
    expect((await send(who, 'GET', `/${id}`)).status).toBe(404);
    expect((await send(who, 'GET', '')).body.map((one: { id: string }) => one.id)).toEqual([other]);
  });
});

describe('rotate-secret', () => {
  it('200 with a new secret, which is shown nowhere else', async () => {
    const who = await customer();
    const { id, secret } = (await add(who)).body;
    const rotated = await send(who, 'POST', `/${id}/rotate-secret`);
    expect(rotated.status).toBe(200);
    expect(rotated.body).toEqual({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated.body.secret).not.toBe(secret);
    const again = await send(who, 'POST', `/${id}/rotate-secret`, {});
    expect(again.body.secret).not.toBe(rotated.body.secret);
    for (const path of ['', `/${id}`, `/${id}/deliveries`]) {
      expect(JSON.stringify((await send(who, 'GET', path)).body)).not.toContain('whsec_');
    }
    const changed = await send(who, 'PATCH', `/${id}`, { name: 'x' });
    expect(JSON.stringify(changed.body)).not.toContain('whsec_');
  });
});

describe('404 for unknown ids and for those of other accounts', async () => {
  const [owner, other] = [await customer(), await customer()];
  const { body: owned } = await add(owner);
  const since = { since: '2026-11-15T00:00:00Z' };

  it.each([
    ['GET', '', undefined],
    ['PATCH', '', { name: 'taken over' }],
    ['PATCH', '', { url: 'https://evil.example.com/' }],
    ['DELETE', '', undefined],
    ['POST', '/test', undefined],
    ['POST', '/rotate-secret', undefined],
    ['POST', '/recover', since],
    ['GET', '/deliveries', undefined],
  ])('%s {id}%s', async (method, action, body) => {
    for (const id of [owned.id, ...UNKNOWN_IDS]) {
      const response = await send(other, method, `/${id}${action}`, body);
      expect(response.status, id).toBe(404);
      expect(response.body).toMatchObject({ error: 404, message: expect.any(String) });
    }
    const { secret, ...unchanged } = owned;
    expect((await send(owner, 'GET', `/${owned.id}`)).body).toEqual(unchanged);
    expect((await send(other, 'GET', '')).body).toEqual([]);
  });
});

describe('401', () => {
  it.each([
    ['GET', ''],
    ['POST', ''],
    ['GET', '/x'],
    ['PATCH', '/x'],
    ['DELETE', '/x'],
    ['POST', '/x/test'],
    ['POST', '/x/rotate-secret'],
    ['POST', '/x/recover'],
    ['GET', '/x/deliveries'],
    ['POST', '/deliveries/x/retry'],
  ])('%s %s without a key', async (method, path) => {
    expect((await send(null, method, path, method === 'GET' ? undefined : {})).status).toBe(401);
  });
});
