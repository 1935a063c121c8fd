// Settings: their defaults, their allowed values, and the one-line error for other values.
import { availableParallelism } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BadSetting,
  type Environment,
  readSettings,
  refuseMissingSecrets,
  SETTINGS,
  type Settings,
  settingsSummary,
} from './config.ts';
import { newEncryptionKey } from './foundation/secret.ts';

type Name = keyof Settings;

const KEY_HEX = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const KEY = Buffer.from(KEY_HEX, 'hex');
const DATABASE_URL = 'postgres://user:hunter2@db.example/oversight';

/** One row for each setting: its default, what is read from allowed texts, and what is refused. */
const table: { [N in Name]: Row<Settings[N]> } = {
  HOST: {
    byDefault: '127.0.0.1',
    allowed: { '0.0.0.0': '0.0.0.0', '::1': '::1', 'api.example.com': 'api.example.com' },
    refused: ['a b', 'http://x', 'a,b', '[::1]'],
    says: 'an IP address or host name',
  },
  PORT: {
    byDefault: 8080,
    allowed: { '0': 0, '1': 1, '65535': 65_535 },
    refused: ['65536', '-1', '80.5', 'http', '8080 ', '1e3', '0x50', '99999999999'],
    says: 'a whole number from 0 to 65535',
  },
  DATA_DIR: {
    byDefault: './data',
    allowed: { '/var/lib/oversight': '/var/lib/oversight', 'a folder': 'a folder' },
    refused: [],
    says: 'a folder',
  },
  DATABASE_URL: {
    byDefault: null,
    allowed: {
      'postgres://db.example/oversight': 'postgres://db.example/oversight',
      'postgresql://db.example/oversight': 'postgresql://db.example/oversight',
    },
    refused: ['mysql://db.example/x', 'db.example', 'https://db.example', 'postgres://'],
    says: 'postgres://… or postgresql://…',
  },
  DATABASE_CONNECTIONS: {
    byDefault: 12,
    allowed: { '6': 6, '1000': 1_000 },
    refused: ['5', '0', '1001', 'many'],
    says: 'a whole number from 6 to 1000',
  },
  DATABASE_POOLER: {
    byDefault: 'none',
    allowed: {
      none: 'none',
      transaction: 'transaction',
      'transaction-prepared': 'transaction-prepared',
    },
    refused: ['session', 'true', 'pgbouncer'],
    says: 'none, transaction or transaction-prepared',
    with: { DATABASE_URL },
  },
  DATABASE_DIRECT_URL: {
    byDefault: null,
    allowed: { 'postgres://db.example/oversight': 'postgres://db.example/oversight' },
    refused: ['mysql://db.example/x', 'db.example'],
    says: 'postgres://… or postgresql://…',
    with: { DATABASE_URL },
  },
  REDIS_URL: {
    byDefault: null,
    allowed: {
      'redis://h:6379': 'redis://h:6379',
      'rediss://u:p@h': 'rediss://u:p@h',
      'redis+cluster://a,b': 'redis+cluster://a,b',
    },
    refused: ['localhost:6379', 'http://h:6379', 'redis:/h', 'redis://'],
    says: 'redis://…, rediss://… or redis+cluster://…',
  },
  ROLE: {
    byDefault: 'all',
    allowed: { all: 'all', api: 'api', worker: 'worker' },
    refused: ['API', 'dashboard', 'api,worker'],
    says: 'all, api or worker',
    with: { DATABASE_URL },
  },
  PROCESSES: {
    byDefault: 1,
    allowed: { '1': 1, '128': 128, auto: Math.min(128, availableParallelism()) },
    refused: ['0', '129', '-1', 'all', 'Auto'],
    says: 'a whole number from 1 to 128, or auto',
  },
  MARKETPLACE: {
    byDefault: 'simulated',
    allowed: { simulated: 'simulated', feed: 'feed', pages: 'pages' },
    refused: ['amazon', 'Feed'],
    says: 'simulated, feed or pages',
    with: { MARKETPLACE_URL: 'https://shop.example/{code}' },
  },
  MARKETPLACE_URL: {
    byDefault: null,
    allowed: {
      'https://feed.example': 'https://feed.example',
      'http://feed.example/{code}': 'http://feed.example/{code}',
      'http://127.0.0.1:9301': 'http://127.0.0.1:9301',
    },
    refused: [
      'feed.example',
      'ftp://feed.example',
      'https://',
      'http:// x',
      'http://a:b:c',
      'https://user@feed.example',
      'https://user:hunter2@feed.example',
    ],
    says: 'http://… or https://…, without user and password',
  },
  MARKETPLACE_TOKEN: {
    byDefault: null,
    allowed: { 'any text': 'any text' },
    refused: [],
    says: 'any text',
  },
  MARKETPLACE_CONCURRENCY: {
    byDefault: 32,
    allowed: { '1': 1, '1000': 1_000 },
    refused: ['0', '1001', 'many', '1.5'],
    says: 'a whole number from 1 to 1000',
  },
  MARKETPLACE_REQUESTS_PER_SECOND: {
    byDefault: 200,
    allowed: { '1': 1, '100000': 100_000 },
    refused: ['0', '100001', '-1', '0.5'],
    says: 'a whole number from 1 to 100000',
  },
  FEE_SCHEDULE: {
    byDefault: null,
    allowed: { '/etc/oversight/fees.json': '/etc/oversight/fees.json', 'own fees': 'own fees' },
    refused: [],
    says: 'a file',
  },
  PAGE_MAPS: {
    byDefault: null,
    allowed: { '/etc/oversight/page-maps': '/etc/oversight/page-maps' },
    refused: [],
    says: 'a folder',
  },
  HIGH_VOLUME_LOOKS_PER_MINUTE: {
    byDefault: 60,
    allowed: { '0': 0, '100000': 100_000 },
    refused: ['100001', '-1', '0.5'],
    says: 'a whole number from 0 to 100000',
  },
  CLOCK_SPEED: {
    byDefault: 1,
    allowed: { '1': 1, '3600': 3600, '86400': 86_400 },
    refused: ['0', '86401', '-5', '1.5', 'fast'],
    says: 'a whole number from 1 to 86400',
  },
  ALLOW_PRIVATE_TARGETS: {
    byDefault: false,
    allowed: { true: true, false: false },
    refused: ['yes', '1', 'TRUE', '0'],
    says: 'true or false',
  },
  SAMPLE_PRODUCTS: {
    byDefault: null,
    allowed: { '501447399': ['501447399'], '1, 2': ['1', '2'] },
    refused: ['x', '1,,2', '1'.repeat(21), Array(11).fill('1').join()],
    says: 'up to ten product codes, separated by commas',
  },
  DEMO: {
    byDefault: null,
    allowed: { true: true, false: false },
    refused: ['yes', '1', 'True'],
    says: 'true or false',
  },
  ENCRYPTION_KEY: {
    byDefault: null,
    allowed: {
      [KEY_HEX]: [KEY],
      [KEY.toString('base64')]: [KEY],
      [`${KEY_HEX},${KEY.toString('base64')}`]: [KEY, KEY],
    },
    refused: ['short', KEY_HEX.slice(2), `${KEY_HEX},`, `${KEY_HEX} ${KEY_HEX}`],
    says: '32 bytes in base64 or hex, or several separated by commas',
  },
  AUTH_SECRET: {
    byDefault: null,
    allowed: { ['x'.repeat(32)]: 'x'.repeat(32) },
    refused: ['x'.repeat(31)],
    says: 'at least 32 characters',
  },
  TRUST_PROXY: {
    byDefault: null,
    allowed: { '10.0.0.1': '10.0.0.1', '10.0.0.0/8, ::1': '10.0.0.0/8, ::1' },
    refused: ['proxy.example', 'true', '*', 'abc', '10.0.0.0/33', '10.0.0.0/8/9', '10.0.0.1,'],
    says: 'IP addresses or networks, separated by commas',
  },
  PUBLIC_URL: {
    byDefault: null,
    allowed: { 'https://oversight.example': 'https://oversight.example', 'http://h': 'http://h' },
    refused: [
      'oversight.example',
      'ws://oversight.example',
      'https://oversight.example/app',
      'https://u:p@oversight.example',
      'https://oversight.example/?a',
      'http://',
    ],
    says: 'http://… or https://…, without path, user and password',
  },
  SMTP_URL: {
    byDefault: null,
    allowed: {
      'smtp://mail.example': 'smtp://mail.example',
      'smtps://u:p@h:465': 'smtps://u:p@h:465',
    },
    refused: ['mail.example', 'https://mail.example'],
    says: 'smtp://… or smtps://…',
  },
  MAIL_FROM: {
    byDefault: null,
    allowed: {
      'no-reply@oversight.example': 'no-reply@oversight.example',
      'Oversight <a@b.example>': 'Oversight <a@b.example>',
    },
    refused: ['nobody', 'two@ats@here.example', 'a@'],
    says: 'an e-mail address, or "Name <address>"',
  },
  OPERATOR_EMAIL: {
    byDefault: null,
    allowed: { 'operator@oversight.example': 'operator@oversight.example' },
    refused: ['nobody', 'Name <a@b.example>', 'two@ats@here.example', 'a@'],
    says: 'an e-mail address',
  },
  LOG_LEVEL: {
    byDefault: 'info',
    allowed: { silent: 'silent', debug: 'debug' },
    refused: ['verbose', 'INFO', '3'],
    says: 'fatal, error, warn, info, debug, trace, silent',
  },
};
type Row<Value> = {
  byDefault: Value;
  allowed: Record<string, Value>;
  refused: readonly string[];
  says: string;
  /** Other settings that this one requires. */
  with?: Environment;
};

const SECRETS: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'MARKETPLACE_TOKEN',
  'ENCRYPTION_KEY',
  'AUTH_SECRET',
  'SMTP_URL',
];

function refusal(env: Environment): string {
  try {
    readSettings(env);
  } catch (error) {
    expect(error).toBeInstanceOf(BadSetting);
    return (error as Error).message;
  }
  throw new Error(`${JSON.stringify(env)} was not refused`);
}

test('every setting has a row here', () => {
  expect(Object.keys(table)).toEqual(Object.keys(SETTINGS));
});

test('without an environment every setting is at its default', () => {
  const defaults = Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, row.byDefault]),
  );
  expect(readSettings({})).toEqual(defaults);
});

describe.each(Object.entries(table))('%s', (name, row: Row<unknown>) => {
  test('an empty value counts as not set', () => {
    expect(readSettings({ [name]: '' })[name as Name]).toEqual(row.byDefault);
  });

  test.each(Object.entries(row.allowed))('may be %s', (text, value) => {
    expect(readSettings({ ...row.with, [name]: text })[name as Name]).toEqual(value);
  });

  if (row.refused.length > 0) {
    test.each(row.refused)('may not be %j; the error names the allowed values', (text) => {
      const line = refusal({ ...row.with, [name]: text });
      const shown = SECRETS.includes(name) ? '(not shown)' : `"${text}"`;
      expect(line).toBe(`${name} is ${shown}, but must be ${row.says}.`);
    });
  }
});

test('an error is one line and shows no secret, for any value', () => {
  const names = fc.constantFrom(...(Object.keys(SETTINGS) as Name[]));
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\nb'), fc.constant('a\rb'));
  fc.assert(
    fc.property(names, texts, (name, text) => {
      try {
        readSettings({ [name]: text });
      } catch (error) {
        expect(error).toBeInstanceOf(BadSetting);
        const { message } = error as Error;
        expect(message.startsWith(`${name} is `)).toBe(true);
        expect(message).not.toMatch(/[\n\r]/);
        if (SECRETS.includes(name) && text.length > 3) expect(message).not.toContain(text);
      }
    }),
    { numRuns: 1_000 },
  );
});

describe('contradictions', () => {
  test.each([
    [{ ROLE: 'api' }, 'ROLE is "api", which needs DATABASE_URL; without it only all works.'],
    [{ ROLE: 'worker' }, 'ROLE is "worker", which needs DATABASE_URL; without it only all works.'],
    [
      { CLOCK_SPEED: '60', MARKETPLACE: 'feed', MARKETPLACE_URL: 'https://feed.example' },
      'CLOCK_SPEED is "60", but must be 1 unless MARKETPLACE is simulated.',
    ],
    [{ MARKETPLACE: 'feed' }, 'MARKETPLACE is "feed", which needs MARKETPLACE_URL.'],
    [{ MARKETPLACE: 'pages' }, 'MARKETPLACE is "pages", which needs MARKETPLACE_URL.'],
    [
      { MARKETPLACE: 'feed', MARKETPLACE_URL: 'https://feed.example/?key=1' },
      `MARKETPLACE_URL is "https://feed.example/?key=1", but a feed's must be without ? and #: paths are added to it.`,
    ],
    [
      { MARKETPLACE: 'feed', MARKETPLACE_URL: 'https://feed.example', DEMO: 'true' },
      'DEMO is "true", but must be false unless MARKETPLACE is simulated.',
    ],
    [
      { DATABASE_POOLER: 'transaction' },
      'DATABASE_POOLER is "transaction", which needs DATABASE_URL.',
    ],
    [
      { DATABASE_DIRECT_URL: DATABASE_URL },
      'DATABASE_DIRECT_URL is set, which needs DATABASE_URL.',
    ],
  ])('%j are refused', (env, line) => {
    expect(refusal(env)).toBe(line);
  });

  test.each([
    { ROLE: 'api', DATABASE_URL },
    { CLOCK_SPEED: '60' },
    { MARKETPLACE: 'feed', MARKETPLACE_URL: 'https://feed.example' },
    { MARKETPLACE: 'feed', MARKETPLACE_URL: 'https://feed.example', DEMO: 'false' },
    { DATABASE_URL, DEMO: 'true' },
  ])('%j are allowed', (env) => {
    readSettings(env);
  });
});

describe('secrets', () => {
  const secrets = { ENCRYPTION_KEY: newEncryptionKey(), AUTH_SECRET: newEncryptionKey() };

  test('are optional with the embedded database', () => {
    refuseMissingSecrets(readSettings({}));
  });

  test('are required with DATABASE_URL; the error has a command that generates one', () => {
    refuseMissingSecrets(readSettings({ DATABASE_URL, ...secrets }));
    for (const name of Object.keys(secrets)) {
      const settings = readSettings({ DATABASE_URL, ...secrets, [name]: undefined });
      const refuse = () => refuseMissingSecrets(settings);
      expect(refuse).toThrow(BadSetting);
      expect(refuse).toThrow(
        new RegExp(`^${name} is missing; .* DATABASE_URL\\. .*head -c 32 /dev/urandom`),
      );
    }
  });
});

describe('the start-up summary', () => {
  test('lists the settings that are set, in the order of the table', () => {
    expect(settingsSummary({})).toBe('');
    expect(settingsSummary({ PATH: '/bin', ROLE: 'api', PORT: '81', HOST: '' })).toBe(
      'PORT=81 ROLE=api',
    );
  });

  test.each(SECRETS)('shows only that %s is set', (name) => {
    expect(settingsSummary({ [name]: 'hunter2-hunter2' })).toBe(`${name}=(set)`);
  });
});
