// Malformed HTTP, for real sockets.
import type { Random } from '../support/random.ts';

const LINES = [
  'GET / HTTP/1.1',
  'GET /healthz HTTP/1.0',
  'GET /healthz',
  'GET  /healthz  HTTP/1.1',
  '\0',
  'get /healthz HTTP/1.1',
  'GET /healthz HTTP/9.9',
  'GET http:///x HTTP/1.1',
  'GET * HTTP/1.1',
  'GET /\0 HTTP/1.1',
  'GET /\x80\xff HTTP/1.1',
  'PRI * HTTP/2.0',
  'CONNECT x:1 HTTP/1.1',
  'POST /session/sign-in HTTP/1.1',
  'GET /docs HTTP/1.1',
  'GET /openapi.json HTTP/1.1',
  'GET //evil.example/%2e%2e HTTP/1.1',
  `GET /${'x'.repeat(20_000)} HTTP/1.1`,
  'OPTIONS * HTTP/1.1',
  'GET /user/credits#x HTTP/1.1',
  'GET user/credits HTTP/1.1',
  'GET ?x HTTP/1.1',
  'GET',
  'POST /ingest/snapshots HTTP/1.1',
  'GET /session/live HTTP/1.1',
  'SOURCE / HTTP/1.1',
  '',
];

const HEADERS = [
  'host: x',
  'host:',
  'host: a\r\nhost: b',
  'host : x',
  ' folded: x',
  'x: \0',
  'x: \x01',
  'content-length: 5',
  'content-length: -1',
  'content-length: 1\r\ncontent-length: 2',
  'content-length: 99999999999999999999',
  'content-length: +5',
  'content-length: 0x5',
  'transfer-encoding: chunked',
  'transfer-encoding: x',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding: chunked\r\ncontent-length: 3',
  'connection: upgrade\r\nupgrade: h2c',
  'expect: 100-continue',
  'expect: x',
  'connection: close',
  'content-type: application/json',
  ':authority: x',
  'x-api-key: \xff',
  `x: ${'y'.repeat(17_000)}`,
  'no colon',
  ': empty',
  '\r',
  'cookie: oversight.session_token=%00.%00',
  'cookie: =;=;',
  'x-max-credits: 1e3',
  `${'a: b\r\n'.repeat(2_500)}c: d`,
];

const BODIES = [
  '',
  '{}',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  'ffffffffffffffff\r\nx',
  '-1\r\n\r\n',
  '0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n',
  '0\r\nx: y\r\n\r\n',
  '5;ext=\0\r\nhello\r\n',
  '\0\0\0',
];

export function rawRequest(random: Random): string {
  const headers = Array.from({ length: random.below(4) }, () => random.pick(HEADERS));
  const end = random.chance(0.9) ? '\r\n\r\n' : random.pick(['\n\n', '\r\r', '']);
  const line = random.pick(LINES);
  return [line, ...headers].join(random.chance(0.95) ? '\r\n' : '\n') + end + random.pick(BODIES);
}
