// Makes hostile requests from a seed: valid for their route, except for one odd part.
import { createRandom, type Random } from '../support/random.ts';
import {
  BROKEN_BODIES,
  ODD_CURSORS,
  ODD_HOSTS,
  ODD_JSON,
  ODD_TEXTS,
  ODD_TIMES,
  ODD_TYPES,
} from './odd-values.ts';
import type { Route, Schema } from './routes.ts';

export type HostileRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  payload?: string | Buffer;
  remoteAddress: string;
};

/** What the requests use: valid credentials, and ids of existing things, some of other accounts. */
export type Belongings = {
  apiKey: string;
  cookie: string;
  /** Of a session that can be ended. */
  spareCookie: string;
  tokens: readonly string[];
  origin: string;
  codes: readonly string[];
  ids: readonly string[];
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** The same for the same seed and index, whatever was sent before. */
export function hostileRequest(
  routes: readonly Route[],
  input: { seed: number; index: number; belongings: Belongings },
): HostileRequest {
  const { seed, index, belongings } = input;
  const random = createRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const route = random.pick(routes);
  const method = random.chance(0.05) ? random.pick(METHODS) : route.method;
  const headers = headersFor(random, route, belongings);
  const request: HostileRequest = {
    method,
    headers,
    url: urlFor(random, route, belongings),
    remoteAddress: `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
  };
  const hasBody = route.body !== null ? random.chance(0.97) : random.chance(0.03);
  if (!hasBody) return request;
  headers['content-type'] = random.chance(0.04) ? random.pick(ODD_TYPES) : 'application/json';
  if (random.chance(0.01)) headers['content-encoding'] = random.pick(['gzip', 'identity', 'x']);
  return { ...request, payload: bodyFor(random, route.body ?? {}, belongings) };
}

/** Ends the session, or all but a new one. */
const ENDING = /sign-out$|change-password$/;

function headersFor(random: Random, route: Route, belongings: Belongings): Record<string, string> {
  const headers: Record<string, string> = { host: new URL(belongings.origin).host };
  const caller = random.chance(0.95)
    ? route.caller
    : random.pick(['key', 'session', 'token', 'nobody'] as const);
  const isLive = route.path === '/session/live';
  if (caller === 'key') headers['x-api-key'] = belongings.apiKey;
  if (caller === 'token') headers.authorization = `Bearer ${random.pick(belongings.tokens)}`;
  if (caller === 'session' && !isLive) {
    headers.cookie = ENDING.test(route.path) ? belongings.spareCookie : belongings.cookie;
  }
  if (route.caller === 'session') {
    Object.assign(headers, { origin: belongings.origin, 'sec-fetch-site': 'same-origin' });
  }
  if (random.chance(0.05)) headers.host = random.pick(ODD_HOSTS);
  if (random.chance(0.12)) {
    const name = random.pick([
      'x-api-key',
      'x-max-credits',
      'cookie',
      'origin',
      'authorization',
      'x-request-id',
      'accept',
      'accept-encoding',
      'if-none-match',
      'range',
      'sec-fetch-mode',
      'x-account-id',
      'x-forwarded-for',
      'x-forwarded-host',
      'user-agent',
      'accept-version',
      'expect',
      'content-length',
      'sec-fetch-site',
      'x-http-method-override',
      'if-modified-since',
    ]);
    if (!(isLive && name === 'cookie')) headers[name] = headerText(random.pick(ODD_TEXTS));
  }
  return headers;
}

/** Limits a text to what a header can hold; the rest is sent over real sockets. */
const headerText = (text: string) =>
  text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 4_000);

function urlFor(random: Random, route: Route, belongings: Belongings): string {
  const query: string[] = [];
  let { path } = route;
  for (const { in: where, name, schema } of route.parameters) {
    const isOdd = random.chance(0.4);
    const value = isOdd
      ? oddText(random, belongings)
      : String(sample(random, { schema, name }, belongings));
    if (where === 'path') path = path.replace(`{${name}}`, encoded(random, value));
    if (where !== 'query' || random.chance(name === 'retailer_product_code' ? 0.1 : 0.4)) continue;
    query.push(`${name}=${encoded(random, value)}`);
    if (random.chance(0.03)) query.push(`${name}=${encoded(random, oddText(random, belongings))}`);
    if (random.chance(0.02)) query.push(`${name}[]=1`, `${name}.x=1`, `__proto__[${name}]=1`);
  }
  if (random.chance(0.02)) path += random.pick(['/', '//', '/..', '%2f', ';x', '%00', '%', '%zz']);
  if (random.chance(0.03))
    query.push(random.pick(['&&', '=', '%', '%00', 'dry_run=true', '__proto__=1']));
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function oddText(random: Random, belongings: Belongings): string {
  const from = random.below(10);
  if (from < 2) return random.pick(belongings.ids);
  if (from < 3) return random.pick(ODD_TIMES);
  return from < 5 ? random.pick(ODD_CURSORS) : random.pick(ODD_TEXTS);
}

function encoded(random: Random, text: string): string {
  if (random.chance(0.05)) return headerText(text).replaceAll(/[\s#?&]/g, '');
  // Lone surrogates as the bytes that they would be.
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

/** A value that the schema allows, so that the odd part gets as far as possible. */
function sample(
  random: Random,
  of: { schema: Schema; name: string },
  belongings: Belongings,
): unknown {
  const { schema, name } = of;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (schema.anyOf !== undefined)
    return sample(random, { schema: random.pick(schema.anyOf), name }, belongings);
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? 0;
      return least + random.below(Math.min((schema.maximum ?? least + 100) - least, 1_000) + 1);
    }
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: 1 + random.below(3) }, () =>
        sample(random, { schema: schema.items ?? {}, name }, belongings),
      );
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([member, inner]) => [
          member,
          sample(random, { schema: inner, name: member }, belongings),
        ]),
      );
    default:
      return sampleText(random, { schema, name }, belongings);
  }
}

function sampleText(
  random: Random,
  of: { schema: Schema; name: string },
  belongings: Belongings,
): string {
  const { schema, name } = of;
  if (schema.format === 'date-time') return '2026-11-14T12:00:00Z';
  if (/product_code|^code$/.test(name)) return random.pick(belongings.codes);
  if (/id$/.test(name)) return random.pick(belongings.ids);
  if (name === 'after') return random.pick(ODD_CURSORS);
  if (name === 'url') return `https://hooks${random.below(50)}.example.com/x`;
  if (name === 'email') return `who${random.below(1e6)}@example.com`;
  if (/password/.test(name)) return 'correct horse battery';
  if (name === 'upc') return '036000291452';
  if (name === 'ean') return '4006381333931';
  return 'Some text';
}

function bodyFor(random: Random, schema: Schema, belongings: Belongings): string | Buffer {
  if (random.chance(0.06)) return random.pick(BROKEN_BODIES);
  if (random.chance(0.06)) return random.pick(ODD_JSON);
  const body = sample(random, { schema, name: '' }, belongings);
  const text = JSON.stringify(body ?? {});
  const members = [...text.matchAll(/"(\w+)":/g)];
  if (members.length === 0 || random.chance(0.1)) return text;
  // One value is replaced as text, so that it can be something that no JavaScript value is.
  const member = random.pick(members);
  const odd = random.chance(0.5)
    ? random.pick(ODD_JSON)
    : JSON.stringify(oddText(random, belongings));
  const name = String(member[1]);
  if (random.chance(0.1)) return text.replace(/\}$/, `,"${name}":${odd}}`);
  if (random.chance(0.1)) return text.replace(/\}$/, `,${odd.slice(0, 200)}:1}`);
  return replaceValue(text, member.index + member[0].length, odd);
}

function replaceValue(text: string, start: number, odd: string): string {
  let levels = 0;
  let isText = false;
  for (let index = start; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '"' && text[index - 1] !== '\\') isText = !isText;
    if (isText) continue;
    if ('[{'.includes(char)) levels++;
    if (levels === 0 && ',]}'.includes(char)) return text.slice(0, start) + odd + text.slice(index);
    if (']}'.includes(char)) levels--;
  }
  return text.slice(0, start) + odd;
}
