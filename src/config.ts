// The table of settings, from which parsing, the documentation page and the start-up summary
// derive. The only file that reads the environment.
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { bounds } from './foundation/bounds.ts';
import { LOG_LEVELS } from './foundation/log.ts';
import { parseEncryptionKeys } from './foundation/secret.ts';

type Setting<Value> = {
  meaning: string;
  /** Allowed values, for the documentation and the error message. */
  allowed: string;
  /** The default, written as in the environment; null when there is none. */
  fallback: string | null;
  /** The default in words, when it is not a fixed value. */
  fallbackInWords?: string;
  /** Never printed. */
  isSecret?: boolean;
  /** Returns the value, or undefined when the text is not allowed. */
  parse(text: string): Value | undefined;
};

const text = (value: string) => value;
const oneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (value: string): Word | undefined =>
    words.find((word) => word === value);
const wholeNumber = (min: number, max: number) => (value: string) =>
  /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max
    ? Number(value)
    : undefined;
const address =
  (...schemes: readonly string[]) =>
  (value: string) =>
    schemes.some((scheme) => value.startsWith(`${scheme}://`) && value.length > scheme.length + 3)
      ? value
      : undefined;
/** Refuses user and password: the start-up summary prints the URL, and not the token. */
const webAddress = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' ? value : undefined;
};
/** Scheme, host and port only. */
const webOrigin = (value: string) => {
  const url = webAddress(value) === undefined ? null : new URL(value);
  return url !== null && url.href === `${url.origin}/` ? url.origin : undefined;
};
const productCodes = (value: string): readonly string[] | undefined => {
  const codes = value.split(',').map((code) => code.trim());
  return codes.length <= 10 && codes.every((code) => /^\d{1,20}$/.test(code)) ? codes : undefined;
};
const networks = (value: string) =>
  value.split(',').every((part) => isNetwork(part.trim())) ? value : undefined;

function isNetwork(text: string): boolean {
  const [ip = '', prefix, ...more] = text.split('/');
  const bits = isIP(ip) === 4 ? 32 : 128;
  const fits = prefix === undefined || wholeNumber(0, bits)(prefix) !== undefined;
  return isIP(ip) !== 0 && fits && more.length === 0;
}

const cores = () => Math.min(128, availableParallelism());

/** Keeps the default's type, so that only settings without a default can be null. */
function setting<Value, Fallback extends string | null>(
  definition: Setting<Value> & { fallback: Fallback },
): Setting<Value> & { fallback: Fallback } {
  return definition;
}

export const SETTINGS = {
  HOST: setting({
    meaning: 'Address to listen on.',
    allowed: 'an IP address or host name',
    fallback: '127.0.0.1',
    parse: (value) => (/^[\w.:-]+$/.test(value) ? value : undefined),
  }),
  PORT: setting({
    meaning:
      'Port to listen on; 0 picks a free one. A worker serves only /healthz, /readyz and /metrics.',
    allowed: 'a whole number from 0 to 65535',
    fallback: '8080',
    parse: wholeNumber(0, 65_535),
  }),
  DATA_DIR: setting({
    meaning:
      'Folder of the embedded PostgreSQL, generated secrets and the journal of unresolved charges.',
    allowed: 'a folder, without control characters',
    fallback: './data',
    parse: (value) => (/\p{Cc}/u.test(value) ? undefined : value),
  }),
  DATABASE_URL: setting({
    meaning: 'Use this PostgreSQL (15 or newer) instead of the embedded one.',
    allowed: 'postgres://… or postgresql://…',
    fallback: null,
    isSecret: true,
    parse: address('postgres', 'postgresql'),
  }),
  DATABASE_CONNECTIONS: setting({
    meaning:
      'Database connections of this process at most, for charges, heavy reads and loops together. All processes together must stay below max_connections of the server or pooler.',
    allowed: `a whole number from ${bounds.databaseConnectionsMin} to 1000`,
    fallback: String(bounds.databaseConnectionsDefault),
    parse: wholeNumber(bounds.databaseConnectionsMin, 1_000),
  }),
  DATABASE_POOLER: setting({
    meaning:
      'A pooler in transaction mode at DATABASE_URL: transaction, or transaction-prepared for one that keeps named statements (PgBouncer from 1.21 on with max_prepared_statements). Session settings become defaults of the role in this database.',
    allowed: 'none, transaction or transaction-prepared',
    fallback: 'none',
    parse: oneOf('none', 'transaction', 'transaction-prepared'),
  }),
  DATABASE_DIRECT_URL: setting({
    meaning:
      'The PostgreSQL behind the pooler of DATABASE_URL, for migrations and operator commands.',
    allowed: 'postgres://… or postgresql://…',
    fallback: null,
    isSecret: true,
    parse: address('postgres', 'postgresql'),
  }),
  REDIS_URL: setting({
    meaning: 'Valkey or Redis for rate limits shared by several API processes.',
    allowed: 'redis://…, rediss://… or redis+cluster://…',
    fallback: null,
    isSecret: true,
    parse: address('redis', 'rediss', 'redis+cluster'),
  }),
  ROLE: setting({
    meaning: 'What this process does. api and worker need DATABASE_URL.',
    allowed: 'all, api or worker',
    fallback: 'all',
    parse: oneOf('all', 'api', 'worker'),
  }),
  PROCESSES: setting({
    meaning:
      'Processes on this machine, under one parent and on one port; auto: one per core. With ROLE=all a quarter of them, at least one, work in the background and the others serve requests.',
    allowed: 'a whole number from 1 to 128, or auto',
    fallback: '1',
    parse: (value) => wholeNumber(1, 128)(value === 'auto' ? String(cores()) : value),
  }),
  MARKETPLACE: setting({
    meaning: 'Where product data comes from.',
    allowed: 'simulated, feed or pages',
    fallback: 'simulated',
    parse: oneOf('simulated', 'feed', 'pages'),
  }),
  MARKETPLACE_URL: setting({
    meaning: 'Base URL of the feed, or page URL with {code}.',
    allowed: 'http://… or https://…, without user and password',
    fallback: null,
    parse: webAddress,
  }),
  MARKETPLACE_TOKEN: setting({
    meaning: 'Sent to the marketplace as Authorization: Bearer.',
    allowed: 'any text',
    fallback: null,
    isSecret: true,
    parse: text,
  }),
  MARKETPLACE_CONCURRENCY: setting({
    meaning: 'Concurrent requests to a feed, per process.',
    allowed: 'a whole number from 1 to 1000',
    fallback: '32',
    parse: wholeNumber(1, 1_000),
  }),
  MARKETPLACE_REQUESTS_PER_SECOND: setting({
    meaning:
      'Requests per second to a feed, of all processes together. A batch of 100 products is one request.',
    allowed: 'a whole number from 1 to 100000',
    fallback: '200',
    parse: wholeNumber(1, 100_000),
  }),
  FEE_SCHEDULE: setting({
    meaning: 'Marketplace fees, a JSON file like src/catalog/default-fee-schedule.json.',
    allowed: 'a file, without control characters',
    fallback: null,
    fallbackInWords: 'the default schedule',
    parse: (value) => (/\p{Cc}/u.test(value) ? undefined : value),
  }),
  PAGE_MAPS: setting({
    meaning: 'With MARKETPLACE=pages: where hosts keep their product data, a folder of JSON files.',
    allowed: 'a folder, without control characters',
    fallback: null,
    fallbackInWords: 'page-maps/',
    parse: (value) => (/\p{Cc}/u.test(value) ? undefined : value),
  }),
  HIGH_VOLUME_LOOKS_PER_MINUTE: setting({
    meaning:
      'Snapshots per minute of fast-selling products nobody tracks, of all workers together; 0: none.',
    allowed: 'a whole number from 0 to 100000',
    fallback: '60',
    parse: wholeNumber(0, 100_000),
  }),
  CLOCK_SPEED: setting({
    meaning:
      'Time lapse: seconds that pass per real second. Only with the simulated marketplace. A database that was used in time lapse stays in it.',
    allowed: 'a whole number from 1 to 86400',
    fallback: '1',
    parse: wholeNumber(1, 86_400),
  }),
  ALLOW_PRIVATE_TARGETS: setting({
    meaning: 'Allow webhooks to private addresses and plain http, for local trials.',
    allowed: 'true or false',
    fallback: 'false',
    parse: (value) => oneOf('true', 'false')(value) && value === 'true',
  }),
  SAMPLE_PRODUCTS: setting({
    meaning: 'Products whose data is free for everybody in the dashboard.',
    allowed: 'up to ten product codes, separated by commas',
    fallback: null,
    fallbackInWords: 'three products of the simulated marketplace, with other ones none',
    parse: productCodes,
  }),
  DEMO: setting({
    meaning: 'Create a demo account (plan Pro) and catalogue on the first start.',
    allowed: 'true or false',
    fallback: null,
    fallbackInWords: 'true with the embedded database and the simulated marketplace, else false',
    parse: (value) => oneOf('true', 'false')(value) && value === 'true',
  }),
  ENCRYPTION_KEY: setting({
    meaning: 'Encrypts webhook secrets at rest. In a list, the first encrypts and all decrypt.',
    allowed: '32 bytes in base64 or hex, or several separated by commas',
    fallback: null,
    fallbackInWords: 'generated into DATA_DIR/secrets with the embedded database; else required',
    isSecret: true,
    parse: (value) => parseEncryptionKeys(value) ?? undefined,
  }),
  AUTH_SECRET: setting({
    meaning: 'Signs dashboard sessions.',
    allowed: 'at least 32 characters',
    fallback: null,
    fallbackInWords: 'generated into DATA_DIR/secrets with the embedded database; else required',
    isSecret: true,
    parse: (value) => (value.length >= 32 ? value : undefined),
  }),
  TRUST_PROXY: setting({
    meaning: 'Proxies whose forwarded headers are trusted.',
    allowed: 'IP addresses or networks, separated by commas',
    fallback: null,
    parse: networks,
  }),
  PUBLIC_URL: setting({
    meaning:
      'URL at which customers reach the service. Sessions may change data only from pages of this origin; with https, cookies are Secure.',
    allowed: 'http://… or https://…, without path, user and password',
    fallback: null,
    fallbackInWords: 'http://HOST:PORT',
    parse: webOrigin,
  }),
  SMTP_URL: setting({
    meaning:
      'Server for outgoing e-mail. Without it, sign-up links are written to the log; password-reset links too, but only when HOST is a loopback address.',
    allowed: 'smtp://… or smtps://…',
    fallback: null,
    isSecret: true,
    parse: address('smtp', 'smtps'),
  }),
  MAIL_FROM: setting({
    meaning: 'Sender of outgoing e-mail.',
    allowed: 'an e-mail address, or "Name <address>"',
    fallback: null,
    fallbackInWords: 'Oversight <no-reply@ and the host of PUBLIC_URL>',
    parse: (value) =>
      /^(?:[^\s@<>]+@[^\s@<>]+|[^@<>\p{Cc}]+<[^\s@<>]+@[^\s@<>]+>)$/u.test(value)
        ? value
        : undefined,
  }),
  OPERATOR_EMAIL: setting({
    meaning:
      'Where requests of customers for another plan are e-mailed. Without it, or without SMTP_URL, they are written to the log.',
    allowed: 'an e-mail address',
    fallback: null,
    parse: (value) => (/^[^\s@<>]+@[^\s@<>]+$/.test(value) ? value : undefined),
  }),
  LOG_LEVEL: setting({
    meaning: 'How much is logged.',
    allowed: LOG_LEVELS.join(', '),
    fallback: 'info',
    parse: oneOf(...LOG_LEVELS),
  }),
} as const;

type Name = keyof typeof SETTINGS;
type ValueOf<S> = S extends Setting<infer Value> ? Value : never;

export type Settings = {
  [N in Name]: (typeof SETTINGS)[N]['fallback'] extends null
    ? ValueOf<(typeof SETTINGS)[N]> | null
    : ValueOf<(typeof SETTINGS)[N]>;
};

/** An invalid setting. The message is one line: its name, its value and the allowed values. */
export class BadSetting extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

export function readSettings(env: Environment = process.env): Settings {
  const settings = Object.fromEntries(
    (Object.keys(SETTINGS) as Name[]).map((name) => [name, readOne(name, env[name])]),
  ) as Settings;
  refuseContradictions(settings);
  return settings;
}

function readOne(name: Name, variable: string | undefined): unknown {
  const definition: Setting<unknown> = SETTINGS[name];
  const value = variable === undefined || variable === '' ? definition.fallback : variable;
  if (value === null) return null;
  const parsed = definition.parse(value);
  if (parsed === undefined) {
    // As JSON, so that line breaks in the value are escaped.
    const shown = definition.isSecret ? '(not shown)' : JSON.stringify(value);
    throw new BadSetting(`${name} is ${shown}, but must be ${definition.allowed}.`);
  }
  return parsed;
}

function refuseContradictions(settings: Settings): void {
  const { ROLE, MARKETPLACE, CLOCK_SPEED, DATABASE_URL } = settings;
  if (ROLE !== 'all' && DATABASE_URL === null) {
    throw new BadSetting(`ROLE is "${ROLE}", which needs DATABASE_URL; without it only all works.`);
  }
  if (DATABASE_URL === null && settings.DATABASE_POOLER !== 'none') {
    throw new BadSetting(
      `DATABASE_POOLER is "${settings.DATABASE_POOLER}", which needs DATABASE_URL.`,
    );
  }
  if (DATABASE_URL === null && settings.DATABASE_DIRECT_URL !== null) {
    throw new BadSetting('DATABASE_DIRECT_URL is set, which needs DATABASE_URL.');
  }
  if (CLOCK_SPEED > 1 && MARKETPLACE !== 'simulated') {
    throw new BadSetting(
      `CLOCK_SPEED is "${CLOCK_SPEED}", but must be 1 unless MARKETPLACE is simulated.`,
    );
  }
  if (MARKETPLACE !== 'simulated' && settings.MARKETPLACE_URL === null) {
    throw new BadSetting(`MARKETPLACE is "${MARKETPLACE}", which needs MARKETPLACE_URL.`);
  }
  if (MARKETPLACE === 'feed' && /[?#]/.test(settings.MARKETPLACE_URL ?? '')) {
    throw new BadSetting(
      `MARKETPLACE_URL is ${JSON.stringify(settings.MARKETPLACE_URL)}, but a feed's must be without ? and #: paths are added to it.`,
    );
  }
  if (MARKETPLACE !== 'simulated' && settings.DEMO === true) {
    throw new BadSetting(`DEMO is "true", but must be false unless MARKETPLACE is simulated.`);
  }
}

/**
 * With DATABASE_URL the secrets must be set too: processes on other machines need the same ones.
 */
export function refuseMissingSecrets(settings: Settings): void {
  if (settings.DATABASE_URL === null) return;
  for (const name of ['ENCRYPTION_KEY', 'AUTH_SECRET'] as const) {
    if (settings[name] === null) {
      throw new BadSetting(
        `${name} is missing; it is required with DATABASE_URL. Generate one and use it for all processes: head -c 32 /dev/urandom | base64`,
      );
    }
  }
}

/** The start-up summary: every setting that is set, with secrets shown as "(set)". */
export function settingsSummary(env: Environment = process.env): string {
  const names = (Object.keys(SETTINGS) as Name[]).filter((name) => env[name]);
  return names.map((name) => `${name}=${SETTINGS[name].isSecret ? '(set)' : env[name]}`).join(' ');
}
