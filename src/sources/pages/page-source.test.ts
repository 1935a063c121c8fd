// The page source against a real server on the loopback: politeness, limits, and all kinds of
// responses.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../foundation/clock.ts';
import { createLog } from '../../foundation/log.ts';
import { createMetrics } from '../../foundation/metrics.ts';
import type { FetchOutcome } from '../source.ts';
import { createPageSource, type PageSourceOptions } from './page-source.ts';

const CODE = '123456789';
const NOW = Date.parse('2026-11-15T12:00:00Z');

const pageOf = (code: string, price = '19.99', name = 'Tern Kettle') =>
  `<html><script type="application/ld+json">${JSON.stringify({
    '@type': 'Product',
    name,
    sku: code,
    offers: { '@type': 'Offer', price, priceCurrency: 'USD', availability: 'InStock' },
  })}</script></html>`;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/**
 * A shop, its requests as they came, and a source that reads it; robots.txt is absent unless
 * handled.
 */
async function openShop(
  handlers: Record<string, Handler>,
  options: Partial<PageSourceOptions> = {},
) {
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const handler = handlers[path] ?? ((_, absent) => absent.writeHead(404).end());
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = manualClock(NOW);
  const metrics = createMetrics();
  const source = createPageSource({
    url: `${origin}/ip/{code}`,
    clock,
    metrics,
    log: createLog('silent'),
    delayMs: 0,
    ...options,
  });
  ending.push(async () => {
    await source.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const fetchOne = async (code = CODE) => (await source.fetchBatch([code]))[0] as FetchOutcome;
  const paths = () => requests.map(({ path }) => path);
  return { source, fetchOne, handlers, requests, paths, origin, clock, metrics };
}

const html =
  (text: string, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(text);
const status =
  (code: number, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(code, headers).end('<html></html>');
const robots = (text: string) => ({ '/robots.txt': html(text, { 'content-type': 'text/plain' }) });
const ip = `/ip/${CODE}`;

describe('a page', () => {
  test('becomes a snapshot with the current time', async () => {
    const { fetchOne, requests } = await openShop({ [ip]: html(pageOf(CODE)) });
    expect(await fetchOne()).toMatchObject({
      kind: 'snapshot',
      snapshot: {
        code: CODE,
        observedAtMs: NOW,
        name: 'Tern Kettle',
        buybox: { priceCents: 1999 },
      },
    });
    expect(requests.map(({ path }) => path)).toEqual(['/robots.txt', ip]);
    for (const { headers } of requests) expect(headers['user-agent']).toMatch(/^Oversight\//);
  });

  test('may be compressed and in another charset', async () => {
    const text = Buffer.from(pageOf(CODE, '19.99', 'Caf\xe9 Kettle'), 'latin1');
    const { fetchOne } = await openShop({
      [ip]: (_, response) =>
        response
          .writeHead(200, {
            'content-type': 'text/html; charset=windows-1252',
            'content-encoding': 'gzip',
          })
          .end(gzipSync(text)),
    });
    expect(await fetchOne()).toMatchObject({ snapshot: { name: 'Café Kettle' } });
  });

  test('is requested with the token, robots.txt without', async () => {
    const { fetchOne, requests } = await openShop(
      { [ip]: html(pageOf(CODE)) },
      { token: 'sesame' },
    );
    await fetchOne();
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      'Bearer sesame',
    ]);
  });

  test.each<[string, Handler, object]>([
    ['404', status(404), { kind: 'not_found' }],
    ['410', status(410), { kind: 'not_found' }],
    ['429', status(429, { 'retry-after': '7' }), { kind: 'unavailable', retryAfterMs: 7_000 }],
    ['429 without a time', status(429), { kind: 'unavailable', retryAfterMs: 30_000 }],
    ['500', status(500), { kind: 'unavailable', reason: expect.stringMatching('500') }],
    ['503', status(503, { 'retry-after': '9' }), { kind: 'unavailable', retryAfterMs: 9_000 }],
    ['403', status(403), { kind: 'bad_response', reason: expect.stringMatching('403') }],
    ['304 to an unconditional request', status(304), { kind: 'bad_response' }],
    [
      'no product',
      html('<h1>hello</h1>'),
      { kind: 'bad_response', reason: expect.stringMatching('no product') },
    ],
    [
      'another product',
      html(pageOf('987654321')),
      { kind: 'bad_response', reason: expect.stringMatching('another') },
    ],
    [
      'JSON',
      html('{}', { 'content-type': 'application/json' }),
      { kind: 'bad_response', reason: expect.stringMatching('not HTML') },
    ],
    [
      'an unsupported encoding',
      html('x', { 'content-encoding': 'zstd' }),
      { kind: 'bad_response' },
    ],
  ])('with a response of %s', async (_, handler, outcome) => {
    const { fetchOne } = await openShop({ [ip]: handler });
    expect(await fetchOne()).toMatchObject(outcome);
  });

  test('that is refused is counted under its fault', async () => {
    const { fetchOne, metrics } = await openShop({ [ip]: html(pageOf('987654321')) });
    await fetchOne();
    expect(await metrics.registry.metrics()).toMatch(
      /oversight_source_refused_total\{source="pages",reason="other_product"\} 1/,
    );
  });

  test('fails alone in a batch, and outcomes are in order', async () => {
    const { source } = await openShop({
      '/ip/1': html(pageOf('1')),
      '/ip/2': status(500),
      '/ip/4': html(pageOf('4')),
    });
    const outcomes = await source.fetchBatch(['1', '2', '3', '4', 'x']);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'snapshot',
      'unavailable',
      'not_found',
      'snapshot',
      'not_found',
    ]);
  });
});

describe('a page that has not changed', () => {
  test.each<[string, string, string]>([
    ['etag', '"v1"', 'if-none-match'],
    ['last-modified', 'Sun, 15 Nov 2026 08:00:00 GMT', 'if-modified-since'],
  ])('by its %s gives the last snapshot with a new time', async (name, value, condition) => {
    const { fetchOne, clock, requests } = await openShop({
      [ip]: (request, response) => {
        if (request.headers[condition] === value) return response.writeHead(304).end();
        return html(pageOf(CODE), { [name]: value })(request, response);
      },
    });
    const first = await fetchOne();
    clock.advanceMs(60_000);
    const second = await fetchOne();
    expect(requests[2]?.headers[condition]).toBe(value);
    expect(first).toMatchObject({ snapshot: { observedAtMs: NOW } });
    expect(second).toEqual({
      ...first,
      snapshot: { ...(first as { snapshot: object }).snapshot, observedAtMs: NOW + 60_000 },
    });
  });

  test('is read again when it has changed', async () => {
    let version = 0;
    const { fetchOne } = await openShop({
      [ip]: (request, response) => {
        version++;
        html(pageOf(CODE, `${version}.00`), { etag: `"${version}"` })(request, response);
      },
    });
    await fetchOne();
    expect(await fetchOne()).toMatchObject({ snapshot: { buybox: { priceCents: 200 } } });
  });
});

describe('robots.txt', () => {
  test('that forbids the page is obeyed', async () => {
    const { fetchOne, paths } = await openShop({
      ...robots('User-agent: *\nDisallow: /ip/'),
      [ip]: html(pageOf(CODE)),
    });
    expect(await fetchOne()).toMatchObject({
      kind: 'bad_response',
      reason: expect.stringMatching('robots'),
    });
    expect(paths()).toEqual(['/robots.txt']);
  });

  test.each<[string, Handler]>([
    ['fails', status(500)],
    ['is rate limited', status(429)],
    ['redirects elsewhere', status(302, { location: 'http://elsewhere.test/robots.txt' })],
    ['breaks off', (request) => void request.socket.destroy()],
  ])('that %s forbids everything for now', async (_, handler) => {
    const { fetchOne, paths } = await openShop({
      '/robots.txt': handler,
      [ip]: html(pageOf(CODE)),
    });
    expect(await fetchOne()).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringMatching('robots.txt'),
      retryAfterMs: expect.any(Number),
    });
    expect(paths()).not.toContain(ip);
  });

  test.each([401, 403, 404])('with status %i allows everything', async (code) => {
    const { fetchOne } = await openShop({ '/robots.txt': status(code), [ip]: html(pageOf(CODE)) });
    expect(await fetchOne()).toMatchObject({ kind: 'snapshot' });
  });

  test('is read up to its limit and requested once', async () => {
    const long = `User-agent: *\nDisallow: /no\n${'#'.repeat(10_000)}`;
    const { source, paths } = await openShop(
      { ...robots(long), '/ip/1': html(pageOf('1')), '/ip/2': html(pageOf('2')) },
      { limits: { robotsBytesMax: 100 } },
    );
    const outcomes = await source.fetchBatch(['1', '2']);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['snapshot', 'snapshot']);
    expect(paths().filter((path) => path === '/robots.txt')).toHaveLength(1);
  });
});

/** Time passes only by sleeping, and at once. */
function leapingTimer() {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    sleepMs: async (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('the request rate', () => {
  test('spaces all requests to the host', async () => {
    const timer = leapingTimer();
    const starts: number[] = [];
    const marked =
      (handler: Handler): Handler =>
      (request, response) => {
        starts.push(timer.nowMs());
        handler(request, response);
      };
    const { fetchOne } = await openShop(
      {
        '/robots.txt': marked(status(404)),
        '/ip/1': marked(html(pageOf('1'))),
        '/ip/2': marked(status(301, { location: '/ip/two/2' })),
        '/ip/two/2': marked(html(pageOf('2'))),
      },
      { delayMs: 1_000, timer },
    );
    await fetchOne('1');
    await fetchOne('2');
    expect(starts).toEqual([0, 1_000, 2_000, 3_000]);
  });

  test('follows Crawl-delay, and refuses at once a slot that would come too late', async () => {
    const timer = leapingTimer();
    const { source, paths } = await openShop(
      {
        ...robots('User-agent: *\nCrawl-delay: 8.5'),
        '/ip/1': html(pageOf('1')),
        '/ip/2': html(pageOf('2')),
      },
      { delayMs: 10, timer },
    );
    const outcomes = await source.fetchBatch(['1', '2']);
    expect(outcomes).toMatchObject([
      { kind: 'snapshot' },
      { kind: 'unavailable', reason: expect.stringMatching('waiting'), retryAfterMs: 8_500 },
    ]);
    expect(paths()).not.toContain('/ip/2');
  });

  test('pauses at the host’s request', async () => {
    const { fetchOne, paths } = await openShop({
      '/ip/1': status(429, { 'retry-after': '60' }),
      '/ip/2': html(pageOf('2')),
    });
    await fetchOne('1');
    const second = await fetchOne('2');
    expect(second).toMatchObject({ kind: 'unavailable', retryAfterMs: expect.any(Number) });
    expect(second.kind === 'unavailable' && second.retryAfterMs).toBeGreaterThan(50_000);
    expect(paths()).not.toContain('/ip/2');
  });
});

describe('a redirect', () => {
  test('on the host is followed, and robots.txt is checked for each URL', async () => {
    const { fetchOne, paths } = await openShop({
      ...robots('User-agent: *\nDisallow: /secret'),
      '/ip/1': status(301, { location: '/ip/kettle/1' }),
      '/ip/kettle/1': html(pageOf('1')),
      '/ip/2': status(302, { location: '/secret/2' }),
      '/secret/2': html(pageOf('2')),
    });
    expect(await fetchOne('1')).toMatchObject({ kind: 'snapshot' });
    expect(await fetchOne('2')).toMatchObject({
      kind: 'bad_response',
      reason: expect.stringMatching('robots'),
    });
    expect(paths()).not.toContain('/secret/2');
  });

  const anywhere = { allowPrivateTargets: true, service: { addresses: [], port: 1 } };

  test('to another host is followed if its own robots.txt allows, without the token', async () => {
    const other = await openShop({
      ...robots('User-agent: *\nDisallow: /ip/2'),
      [ip]: html(pageOf(CODE)),
      '/ip/2': html(pageOf('2')),
    });
    const { fetchOne, requests, origin } = await openShop(
      {
        [ip]: status(302, { location: `${other.origin}${ip}` }),
        '/ip/2': status(302, { location: `${other.origin}/ip/2` }),
        '/ip/3': status(302, { location: `${other.origin}/ip/3` }),
        '/ip/kettle/3': html(pageOf('3')),
      },
      { token: 'sesame', elsewhereRules: anywhere },
    );
    expect(await fetchOne()).toMatchObject({ kind: 'snapshot', snapshot: { code: CODE } });
    expect(await fetchOne('2')).toMatchObject({ reason: expect.stringMatching('robots') });
    expect(other.paths()).toEqual(['/robots.txt', ip]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
    ]);
    // And back again, where the token goes.
    other.handlers['/ip/3'] = status(302, { location: `${origin}/ip/kettle/3` });
    expect(await fetchOne('3')).toMatchObject({ kind: 'snapshot' });
    expect(requests.at(-1)).toMatchObject({
      path: '/ip/kettle/3',
      headers: { authorization: 'Bearer sesame' },
    });
  });

  test.each([
    ['a private address', 'https://10.0.0.5', /10\.0\.0\.5 is private/],
    ['loopback', 'https://127.0.0.1:8443', /127\.0\.0\.1 is loopback/],
    ['a name that leads to a private address', 'https://cdn.test', /192\.168\.7\.7 is private/],
    ['plain http', 'http://public.test', /must begin with https/],
  ])('to %s is refused, and no request is sent there', async (_, to, reason) => {
    const { fetchOne, paths } = await openShop(
      { [ip]: status(302, { location: `${to}${ip}` }) },
      { resolveName: async () => ['93.184.215.14', '192.168.7.7'] },
    );
    expect(await fetchOne()).toEqual({
      kind: 'bad_response',
      reason: expect.stringMatching(reason),
    });
    expect(paths()).toEqual(['/robots.txt', ip]);
  });

  test('to another port of the same host is checked like another host', async () => {
    const other = await openShop({ [ip]: html(pageOf(CODE)) });
    const { fetchOne } = await openShop({
      [ip]: status(302, { location: `${other.origin}${ip}` }),
    });
    expect(await fetchOne()).toMatchObject({ kind: 'bad_response' });
    expect(other.requests).toEqual([]);
  });

  test('is followed three times, not four', async () => {
    const { fetchOne } = await openShop({
      '/ip/1': status(307, { location: '/a' }),
      '/a': status(308, { location: '/b' }),
      '/b': status(303, { location: '/c' }),
      '/c': html(pageOf('1')),
      '/ip/2': status(302, { location: '/ip/1' }),
      '/ip/3': status(302, { location: '/ip/3' }),
    });
    expect(await fetchOne('1')).toMatchObject({ kind: 'snapshot' });
    expect(await fetchOne('2')).toMatchObject({
      kind: 'bad_response',
      reason: expect.stringMatching('redirects'),
    });
    expect(await fetchOne('3')).toMatchObject({
      kind: 'bad_response',
      reason: expect.stringMatching('redirects'),
    });
  });

  test('to another product’s page is refused', async () => {
    const { fetchOne } = await openShop({
      [ip]: status(302, { location: '/ip/987654321' }),
      '/ip/987654321': html(pageOf(CODE).replace(`"sku":"${CODE}",`, '')),
    });
    expect(await fetchOne()).toMatchObject({
      kind: 'bad_response',
      reason: expect.stringMatching('another'),
    });
  });
});

describe('limits', () => {
  test('an endless page is read up to the limit and dropped', async () => {
    let left: Promise<unknown> | undefined;
    const { fetchOne } = await openShop(
      {
        [ip]: (_, response) => {
          left = once(response, 'close');
          response.writeHead(200, { 'content-type': 'text/html' });
          const more = () => {
            while (response.writable && response.write('x'.repeat(10_000)));
          };
          response.on('drain', more);
          more();
        },
      },
      { limits: { pageBytesMax: 1_000_000 } },
    );
    expect(await fetchOne()).toMatchObject({
      kind: 'bad_response',
      reason: expect.stringMatching('larger'),
    });
    await left;
  });

  test('a page is limited by its decompressed size and by its Content-Length', async () => {
    const packed = gzipSync(Buffer.alloc(5_000_000, 32));
    const { fetchOne } = await openShop(
      {
        '/ip/1': (_, response) =>
          response
            .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
            .end(packed),
        // Nothing follows: it is refused before a byte of it came.
        '/ip/2': (_, response) => {
          response.writeHead(200, { 'content-type': 'text/html', 'content-length': '200000' });
          response.flushHeaders();
        },
      },
      { limits: { pageBytesMax: 100_000 } },
    );
    for (const code of ['1', '2']) {
      expect(await fetchOne(code)).toMatchObject({
        kind: 'bad_response',
        reason: expect.stringMatching('larger'),
      });
    }
  });

  test.each<[string, Handler]>([
    ['the whole response', () => {}],
    [
      'the rest of its body',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'),
    ],
  ])('a page that never sends %s times out', async (_, handler) => {
    const { fetchOne } = await openShop({ [ip]: handler }, { limits: { wholeMs: 300 } });
    expect(await fetchOne()).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringMatching('in time'),
      retryAfterMs: expect.any(Number),
    });
  });

  test('a reset connection is retried once, not twice', async () => {
    let requests = 0;
    const cutting =
      (times: number): Handler =>
      (request, response) =>
        requests++ < times ? request.socket.destroy() : html(pageOf(CODE))(request, response);
    const { fetchOne } = await openShop({ [ip]: cutting(1) });
    expect(await fetchOne()).toMatchObject({ kind: 'snapshot' });
    requests = 0;
    const worse = await openShop({ [ip]: cutting(2) });
    expect(await worse.fetchOne()).toMatchObject({ kind: 'unavailable' });
    expect(requests).toBe(2);
  });

  test('a refused connection is unavailable', async () => {
    const { origin } = await openShop({});
    await Promise.all(ending.splice(0).map((end) => end()));
    const source = createPageSource({
      url: `${origin}/{code}`,
      clock: manualClock(NOW),
      log: createLog('silent'),
      delayMs: 0,
    });
    ending.push(() => source.close());
    expect(await source.fetchBatch([CODE])).toMatchObject([{ kind: 'unavailable' }]);
  });
});

describe('the contract', () => {
  test('it has no search by GTIN and no history', async () => {
    const { source } = await openShop({});
    expect(source.name).toBe('pages');
    expect(await source.findByGtin('00036000291452')).toEqual({ kind: 'unsupported' });
    expect(source.history(CODE, { fromMs: 0, toMs: 1 })).toBeNull();
    expect(await source.fetchBatch([])).toEqual([]);
  });

  test('it can be closed twice', async () => {
    const { source, fetchOne } = await openShop({ [ip]: html(pageOf(CODE)) });
    await fetchOne();
    await source.close();
    await source.close();
  });

  test('closing aborts requests in flight', async () => {
    const requested = Promise.withResolvers<void>();
    const { source } = await openShop({ [ip]: () => requested.resolve() });
    const outcomes = source.fetchBatch([CODE]);
    await requested.promise;
    await source.close();
    expect(await outcomes).toMatchObject([{ kind: 'unavailable' }]);
    expect(await source.fetchBatch([CODE])).toMatchObject([{ kind: 'unavailable' }]);
  });

  test('closing aborts requests waiting for a slot', async () => {
    const asleep = Promise.withResolvers<void>();
    const sleepMs = (_: number, signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        asleep.resolve();
      });
    const timer = { nowMs: () => 0, sleepMs };
    const { source } = await openShop({ [ip]: html(pageOf(CODE)) }, { delayMs: 1_000, timer });
    const outcomes = source.fetchBatch([CODE]);
    await asleep.promise;
    await source.close();
    expect(await outcomes).toMatchObject([
      { kind: 'unavailable', reason: expect.stringMatching('closed') },
    ]);
  });

  test('a URL without {code} stops the start', () => {
    const options = { clock: manualClock(NOW), log: createLog('silent') };
    expect(() => createPageSource({ ...options, url: 'https://shop.test/' })).toThrow(
      /MARKETPLACE_URL/,
    );
  });
});
