import { describe, expect, test } from 'vitest';
import type { Problem } from '../../foundation/problem.ts';
import {
  type AllowedOrigins,
  allowedOrigins,
  isLoopback,
  refuseForeignHost,
  refuseForeignPage,
} from './allowed-origin.ts';

const listening = {
  publicUrl: null,
  host: '127.0.0.1',
  port: 8080,
  addresses: ['10.0.0.5', 'fe80::1'],
};

describe('where the dashboard may be opened', () => {
  test.each([
    [{ publicUrl: 'https://o.example' }, 'https://o.example', ['https://o.example']],
    [{}, 'http://127.0.0.1:8080', ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080']],
    [{ host: '::1' }, 'http://[::1]:8080', ['[::1]:8080', '127.0.0.1:8080', 'localhost:8080']],
    [{ host: '127.0.0.9' }, 'http://127.0.0.9:8080', ['127.0.0.9:8080', '127.0.0.1:8080']],
    [{ host: '10.0.0.5' }, 'http://10.0.0.5:8080', ['10.0.0.5:8080']],
    [
      { host: '0.0.0.0' },
      'http://127.0.0.1:8080',
      ['10.0.0.5:8080', '[fe80::1]:8080', 'localhost:8080'],
    ],
    [{ host: '::' }, 'http://127.0.0.1:8080', ['10.0.0.5:8080', '[::1]:8080']],
    [{ port: 80 }, 'http://127.0.0.1', ['localhost', '127.0.0.1']],
  ])('%j: links begin with %s', (more, publicUrl, expected) => {
    const origins = allowedOrigins({ ...listening, ...more });
    expect(origins.publicUrl).toBe(publicUrl);
    for (const one of expected) {
      expect(origins.all).toContain(one.includes('://') ? one : `http://${one}`);
    }
  });

  test('with PUBLIC_URL nowhere else, and on one address not under the names of others', () => {
    expect(allowedOrigins({ ...listening, publicUrl: 'https://o.example' }).all.size).toBe(1);
    expect(allowedOrigins({ ...listening, host: '10.0.0.5' }).all.size).toBe(1);
  });
});

test.each([
  ['127.0.0.1', true] as const,
  ['127.255.0.9', true] as const,
  ['::1', true] as const,
  ['localhost', true] as const,
  ['0.0.0.0', false] as const,
  ['::', false] as const,
  ['10.0.0.1', false] as const,
  ['127.evil.example', false] as const,
  ['127', false] as const,
  ['localhost.evil.example', false] as const,
  ['1127.0.0.1', false] as const,
])('%s is a loopback address: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

const local = allowedOrigins(listening);
const secure = allowedOrigins({ ...listening, publicUrl: 'https://o.example' });
const plain = allowedOrigins({ ...listening, publicUrl: 'http://o.example' });

describe('the host', () => {
  test.each([
    [local, '127.0.0.1:8080', true],
    [local, 'localhost:8080', true],
    [local, 'LOCALHOST:8080', true],
    [local, '[::1]:8080', true],
    [local, '127.0.0.1', false],
    [local, '127.0.0.1:80', false],
    [local, 'localhost.:8080', false],
    [local, 'evil.example:8080', false],
    [local, 'localhost:8080.evil.example', false],
    [local, 'evil.example@localhost:8080', false],
    [local, '127.1:8080', false],
    [local, '2130706433:8080', false],
    [local, '::1:8080', false],
    [local, '', false],
    [secure, 'o.example', true],
    [secure, 'O.Example', true],
    [secure, 'o.example:443', true],
    [secure, 'o.example:80', false],
    [plain, 'o.example:80', true],
    [secure, 'o.example.', false],
    [secure, 'x.o.example', false],
    [secure, '127.0.0.1:8080', false],
  ] as [AllowedOrigins, string, boolean][])('%# %s', (origins, host, isOwn) => {
    const check = () => refuseForeignHost(origins, { host });
    if (isOwn) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  });
});

type Case = [
  string,
  AllowedOrigins,
  string,
  string,
  Record<string, string | undefined>,
  string | null,
];

const [at, json] = ['127.0.0.1:8080', { 'content-type': 'application/json' }];
const mine = { origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-origin', ...json };
const others = { origin: 'https://o.example', 'sec-fetch-site': 'same-origin', ...json };
const unsafe = { origin: 'http://o.example', ...json };

/** What is sent to which host, and the kind of the refusal. */
const CASES: readonly Case[] = [
  ['our own page', local, 'POST', at, mine, null],
  ['our own page, PATCH', local, 'PATCH', at, mine, null],
  [
    'our own page, with a charset',
    local,
    'POST',
    at,
    { ...mine, 'content-type': 'Application/JSON ; charset=utf-8' },
    null,
  ],
  ['our own page over https', secure, 'POST', 'o.example', others, null],
  [
    'our own page over IPv6',
    local,
    'POST',
    '[::1]:8080',
    { ...mine, origin: 'http://[::1]:8080' },
    null,
  ],
  ['a DELETE without a body', local, 'DELETE', at, { ...mine, 'content-type': undefined }, null],
  ['another origin', local, 'POST', at, { ...mine, origin: 'http://evil.example' }, 'forbidden'],
  ['no origin', local, 'POST', at, { ...mine, origin: undefined }, 'forbidden'],
  ['the origin of a sandbox', local, 'POST', at, { ...mine, origin: 'null' }, 'forbidden'],
  [
    'the origin in capitals',
    local,
    'POST',
    at,
    { ...mine, origin: 'HTTP://127.0.0.1:8080' },
    'forbidden',
  ],
  [
    'an origin with a slash',
    local,
    'POST',
    at,
    { ...mine, origin: `${mine.origin}/` },
    'forbidden',
  ],
  [
    'an origin that begins like ours',
    local,
    'POST',
    at,
    { ...mine, origin: `${mine.origin}.evil.example` },
    'forbidden',
  ],
  [
    'another of our origins than the host',
    local,
    'POST',
    at,
    { ...mine, origin: 'http://localhost:8080' },
    'forbidden',
  ],
  [
    'http for https',
    secure,
    'POST',
    'o.example',
    { ...others, origin: 'http://o.example' },
    'forbidden',
  ],
  ['another port', local, 'POST', at, { ...mine, origin: 'http://127.0.0.1:8081' }, 'forbidden'],
  [
    'a page of another site',
    local,
    'POST',
    at,
    { ...mine, 'sec-fetch-site': 'cross-site' },
    'forbidden',
  ],
  [
    'a page of a neighbour',
    local,
    'POST',
    at,
    { ...mine, 'sec-fetch-site': 'same-site' },
    'forbidden',
  ],
  ['no page at all', local, 'POST', at, { ...mine, 'sec-fetch-site': 'none' }, 'forbidden'],
  [
    'the header twice',
    local,
    'POST',
    at,
    { ...mine, 'sec-fetch-site': 'same-origin, same-origin' },
    'forbidden',
  ],
  [
    'no Sec-Fetch-Site where browsers send it',
    local,
    'POST',
    at,
    { ...mine, 'sec-fetch-site': undefined },
    'forbidden',
  ],
  [
    'no Sec-Fetch-Site over https',
    secure,
    'POST',
    'o.example',
    { ...others, 'sec-fetch-site': undefined },
    'forbidden',
  ],
  ['no Sec-Fetch-Site where browsers leave it out', plain, 'POST', 'o.example', unsafe, null],
  ['another host', local, 'POST', 'evil.example', mine, 'forbidden'],
  [
    'a form',
    local,
    'POST',
    at,
    { ...mine, 'content-type': 'application/x-www-form-urlencoded' },
    'unsupported_media',
  ],
  [
    'text that is JSON',
    local,
    'POST',
    at,
    { ...mine, 'content-type': 'text/plain' },
    'unsupported_media',
  ],
  [
    'parts',
    local,
    'POST',
    at,
    { ...mine, 'content-type': 'multipart/form-data; boundary=application/json' },
    'unsupported_media',
  ],
  [
    'text that says JSON later',
    local,
    'POST',
    at,
    { ...mine, 'content-type': 'text/plain; application/json' },
    'unsupported_media',
  ],
  [
    'a relative of JSON',
    local,
    'POST',
    at,
    { ...mine, 'content-type': 'application/json-patch+json' },
    'unsupported_media',
  ],
  [
    'two types',
    local,
    'POST',
    at,
    { ...mine, 'content-type': 'application/json, text/plain' },
    'unsupported_media',
  ],
  ['no type', local, 'POST', at, { ...mine, 'content-type': undefined }, 'unsupported_media'],
  ['reading by our page', local, 'GET', at, { 'sec-fetch-site': 'same-origin' }, null],
  ['reading by typing the address', local, 'GET', at, { 'sec-fetch-site': 'none' }, null],
  ['reading by a tool', local, 'GET', at, {}, null],
  ['reading by another site', local, 'GET', at, { 'sec-fetch-site': 'cross-site' }, 'forbidden'],
  ['reading by a neighbour', local, 'GET', at, { 'sec-fetch-site': 'same-site' }, 'forbidden'],
  ['reading under another host', local, 'GET', 'evil.example', {}, 'forbidden'],
];

describe('a request of a page', () => {
  test.each(CASES)('%s', (_what, origins, method, host, headers, refusal) => {
    let kind: string | null = null;
    try {
      refuseForeignPage(origins, { method, host, headers });
    } catch (error) {
      kind = (error as Problem).kind;
    }
    expect(kind).toBe(refusal);
  });

  test('the refusal does not repeat a host of any length', () => {
    expect(() => refuseForeignHost(local, { host: 'x'.repeat(5_000) })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{0,250}$/) }),
    );
  });
});
