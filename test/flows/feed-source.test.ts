// The feed source with a provider that behaves, and with every kind of failure.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { writeSnapshot } from '../../src/catalog/write-snapshot.ts';
import { manualClock, monotonicMs } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';
import { createMetrics, type Metrics } from '../../src/foundation/metrics.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import type { FeedLimits } from '../../src/sources/feed/feed-client.ts';
import { createFeedSource } from '../../src/sources/feed/feed-source.ts';
import type { Source } from '../../src/sources/source.ts';
import {
  type Provider,
  type ProviderRequest,
  sendJson,
  startProvider,
} from '../support/provider.ts';

const NOW = Date.parse('2026-11-14T12:00:00.000Z');

let provider: Provider;
let metrics: Metrics;
let logged: { level: number; msg: string }[];
const opened: Source[] = [];

beforeEach(async () => {
  provider = await startProvider();
  provider.respond = respondWell;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.close()));
  await provider.stop();
});

/** Short backoff, so that tests need not wait. */
function openFeed(limits: Partial<FeedLimits> = {}, more: { url?: string } = {}): Source {
  metrics = createMetrics();
  logged = [];
  const log = createLog('info', { write: (line: string) => void logged.push(JSON.parse(line)) });
  const source = createFeedSource({
    url: provider.url,
    token: null,
    clock: manualClock(NOW),
    log,
    metrics,
    ...more,
    limits: { backoffMs: 2, ...limits },
  });
  opened.push(source);
  return source;
}

const snapshotOf = (code: string, atMs = NOW): Snapshot => ({
  code,
  observedAtMs: atMs,
  gtins: [],
  name: `Product ${code}`,
  offersComplete: false,
});
const recordOf = (code: string) => writeSnapshot(snapshotOf(code));

function respondWell({ url, body }: ProviderRequest, response: ServerResponse): void {
  if (body === null) sendJson(response, recordOf(url.split('/').at(-1) as string));
  else sendJson(response, { snapshots: body.codes.map(recordOf), missing: [] });
}

const fetchOne = async (source: Source, code = '1') => (await source.fetchBatch([code]))[0];

const metricByReason = async (name: string) => {
  const metric = await metrics.registry.getSingleMetric(name)?.get();
  return Object.fromEntries(
    (metric?.values ?? []).map(({ labels, value }) => [String(labels.reason ?? ''), value]),
  );
};

describe('a request', () => {
  test('for one code is a GET below the base URL with the token', async () => {
    const url = `${provider.url}/v1/shop/`;
    metrics = createMetrics();
    const parts = { clock: manualClock(NOW), log: createLog('silent'), metrics };
    const source = createFeedSource({ ...parts, url, token: 'sesame' });
    opened.push(source);
    expect(await fetchOne(source, '42')).toMatchObject({ snapshot: { code: '42' } });
    expect(provider.requests).toMatchObject([
      {
        method: 'GET',
        url: '/v1/shop/products/42',
        headers: { authorization: 'Bearer sesame' },
      },
    ]);
  });

  test('without a token has no Authorization header', async () => {
    await fetchOne(openFeed());
    expect(provider.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('for many codes is split into batches of a hundred, each code once', async () => {
    const codes = Array.from({ length: 250 }, (_, index) => String(index));
    const outcomes = await openFeed().fetchBatch([...codes, '7']);
    expect(outcomes.map((one) => one.kind === 'snapshot' && one.snapshot.code)).toEqual([
      ...codes,
      '7',
    ]);
    const sizes = provider.requests.map(({ method, url, body }) => [
      method,
      url,
      body.codes.length,
    ]);
    expect(sizes.sort((a, b) => b[2] - a[2])).toEqual([
      ['POST', '/products/batch', 100],
      ['POST', '/products/batch', 100],
      ['POST', '/products/batch', 50],
    ]);
  });

  test('for a GTIN returns its codes, or unsupported', async () => {
    provider.respond = (_, response) => sendJson(response, { codes: ['5', '6'] });
    expect(await openFeed().findByGtin('00044579413717')).toEqual({
      kind: 'codes',
      codes: ['5', '6'],
    });
    expect(provider.requests[0]?.url).toBe('/products?gtin=00044579413717');
    provider.respond = (_, response) => sendJson(response, {}, 404);
    expect(await openFeed().findByGtin('00044579413717')).toEqual({ kind: 'unsupported' });
  });

  // Right after a response the pool may not have its connection back yet and open a second one.
  test('reuses connections', async () => {
    const source = openFeed();
    for (let index = 0; index < 30; index++) await fetchOne(source, String(index));
    expect(provider.connections).toBeLessThanOrEqual(2);
  });

  test('reuses connections after unwanted responses', async () => {
    const source = openFeed();
    for (const status of [404, 400, 404, 500, 302, 404, 400, 404, 500, 200]) {
      provider.respond = (_, response) => sendJson(response, recordOf('1'), status);
      await fetchOne(source);
    }
    expect(provider.connections).toBeLessThanOrEqual(2);
  });

  test('releases its slot however it ends', async () => {
    const source = openFeed({ concurrency: 1, attemptsMax: 1 });
    const long = { more: 'x'.repeat(1_000_000) };
    for (const end of [
      (response: ServerResponse) => sendJson(response, {}, 404),
      (response: ServerResponse) => sendJson(response, long, 500),
      (response: ServerResponse) => sendJson(response, long, 400),
      (response: ServerResponse) => response.destroy(),
      (response: ServerResponse) => void response.end('rubbish'),
      (response: ServerResponse) => sendJson(response, [long, long]),
    ]) {
      provider.respond = (_, response) => end(response);
      expect(await fetchOne(source)).not.toMatchObject({ kind: 'snapshot' });
      provider.respond = respondWell;
      expect(await fetchOne(source)).toMatchObject({ kind: 'snapshot' });
    }
  });

  test('obeys the concurrency limit', async () => {
    const source = openFeed({ concurrency: 3 });
    const held: (() => void)[] = [];
    provider.respond = (request, response) => {
      held.push(() => respondWell(request, response));
      if (held.length === 3) for (const release of held.splice(0)) release();
    };
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => fetchOne(source, String(index))),
    );
    expect(outcomes.every((outcome) => outcome?.kind === 'snapshot')).toBe(true);
    expect(provider.atOnceMax).toBe(3);
    expect(provider.connections).toBeLessThanOrEqual(3);
  });

  test('is refused at once when too many wait', async () => {
    const responses: (() => void)[] = [];
    provider.respond = (request, response) => responses.push(() => respondWell(request, response));
    const source = openFeed({ concurrency: 1, waitingMax: 1 });
    const first = fetchOne(source, '1');
    await vi.waitUntil(() => responses.length === 1);
    const second = fetchOne(source, '2');
    expect(await fetchOne(source, '3')).toMatchObject({
      kind: 'unavailable',
      reason: 'too many requests wait for the marketplace',
    });
    responses[0]?.();
    await first;
    await vi.waitUntil(() => responses.length === 2);
    responses[1]?.();
    expect(await second).toMatchObject({ kind: 'snapshot' });
  });
});

/** Fails the first request with `fail`, then responds well. */
function failOnce(fail: (response: ServerResponse) => void): void {
  provider.respond = (request, response) => {
    if (provider.requests.length === 1) fail(response);
    else respondWell(request, response);
  };
}

describe('a retry', () => {
  test.each([429, 502, 503, 504])('follows a %d', async (status) => {
    failOnce((response) => sendJson(response, {}, status));
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    expect(provider.requests).toHaveLength(2);
  });

  test('follows a connection cut before or during the response', async () => {
    failOnce((response) => response.destroy());
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    provider.requests = [];
    failOnce((response) => void response.socket?.resetAndDestroy());
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    provider.requests = [];
    failOnce((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"retailer', () => response.destroy());
    });
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    expect(provider.requests).toHaveLength(2);
  });

  test('follows a response that does not start, or stalls', async () => {
    failOnce(() => {});
    expect(await fetchOne(openFeed({ headersMs: 100 }))).toMatchObject({ kind: 'snapshot' });
    provider.requests = [];
    failOnce((response) => void response.write('{'));
    expect(await fetchOne(openFeed({ bodyIdleMs: 100 }))).toMatchObject({ kind: 'snapshot' });
    expect(provider.requests).toHaveLength(2);
  });

  test('happens at most twice', async () => {
    provider.respond = (_, response) => sendJson(response, {}, 503);
    const outcome = await fetchOne(openFeed());
    expect(outcome).toEqual({ kind: 'unavailable', reason: 'status 503' });
    expect(provider.requests).toHaveLength(3);
  });

  test('waits for the Retry-After of the provider', async () => {
    failOnce((response) => sendJson(response, {}, 429, { 'retry-after': '1' }));
    const startMs = monotonicMs();
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    expect(monotonicMs() - startMs).toBeGreaterThan(990);
  });

  test('does not happen if Retry-After is too long; the time is passed on', async () => {
    provider.respond = (_, response) => sendJson(response, {}, 503, { 'retry-after': '60' });
    expect(await fetchOne(openFeed())).toMatchObject({ retryAfterMs: 60_000 });
    expect(provider.requests).toHaveLength(1);
  });

  test('does not exceed the overall time limit', async () => {
    provider.respond = () => {};
    const startMs = monotonicMs();
    expect(await fetchOne(openFeed({ wholeMs: 150 }))).toEqual({
      kind: 'unavailable',
      reason: 'no response within 0.15 s',
    });
    expect(monotonicMs() - startMs).toBeLessThan(2_000);
    expect(provider.requests).toHaveLength(1);
  });
});

describe('no retry', () => {
  test.each([
    [401, 'unavailable', 'status 401: MARKETPLACE_TOKEN is missing or wrong'],
    [403, 'unavailable', 'status 403: MARKETPLACE_TOKEN is missing or wrong'],
    [408, 'unavailable', 'status 408'],
    [500, 'unavailable', 'status 500'],
    [501, 'unavailable', 'status 501'],
    [204, 'bad_response', 'status 204'],
    [400, 'bad_response', 'status 400'],
    [422, 'bad_response', 'status 422'],
  ])('after a %d', async (status, kind, reason) => {
    provider.respond = (_, response) => sendJson(response, recordOf('1'), status);
    expect(await fetchOne(openFeed())).toMatchObject({ kind, reason });
    expect(provider.requests).toHaveLength(1);
  });

  test('after a 404, which means not found', async () => {
    provider.respond = (_, response) => sendJson(response, {}, 404);
    expect(await fetchOne(openFeed())).toEqual({ kind: 'not_found' });
    expect(provider.requests).toHaveLength(1);
  });

  test('after a 404 to a batch, which is not a feed', async () => {
    provider.respond = (_, response) => sendJson(response, {}, 404);
    const outcomes = await openFeed().fetchBatch(['1', '2']);
    expect(outcomes).toMatchObject([{ kind: 'bad_response' }, { kind: 'bad_response' }]);
  });

  test('after a redirect, which is not followed', async () => {
    const location = `${provider.url}/products/1`;
    provider.respond = (_, response) => sendJson(response, {}, 302, { location });
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'bad_response' });
    expect(provider.requests).toHaveLength(1);
  });

  test('after an unusable response', async () => {
    provider.respond = (_, response) => void response.end('{"retailer_product_code":');
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'bad_response' });
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a refusal', () => {
  test('of an endless response comes as soon as it is too large', async () => {
    const closed = new Promise<void>((resolve) => {
      provider.respond = (_, response) => {
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more).on('close', () => resolve());
        more();
      };
    });
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'too_large' });
    await closed;
  });

  test.each([
    ['of invalid HTTP', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
    ['of endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('%s', async (_name, bytes) => {
    provider.respond = (_, response) => void response.socket?.end(bytes);
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'protocol' });
  });

  test('of an encoding that was not requested, and of text that is not UTF-8', async () => {
    provider.respond = (_, response) =>
      sendJson(response, recordOf('1'), 200, { 'content-encoding': 'gzip' });
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'protocol' });
    provider.respond = (_, response) => void response.end(Buffer.from([0x22, 0xff, 0x22]));
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'not_json' });
  });

  test('of one record in a batch is counted by its class and logged in one line', async () => {
    provider.respond = (_, response) =>
      sendJson(response, {
        snapshots: [recordOf('1'), { ...recordOf('2'), brand: 7 }, recordOf('9')],
        missing: ['3'],
      });
    const outcomes = await openFeed().fetchBatch(['1', '2', '3', '4']);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'snapshot',
      'bad_response',
      'not_found',
      'bad_response',
    ]);
    expect(await metricByReason('oversight_source_refused_total')).toEqual({
      record: 1,
      incomplete: 1,
      wrong_code: 1,
    });
    expect(logged).toMatchObject([
      { msg: 'the feed sent an unusable response', refused: 3, codes: 4 },
    ]);
  });
});

describe('a failing provider', () => {
  const impatient = { attemptsMax: 1, failuresMax: 3, firstProbeMs: 20, probeEveryMaxMs: 50 };

  test('gets no requests after several failures, and is used again when it is back', async () => {
    // Long enough for a busy machine: the probe must not come before the fourth request.
    const source = openFeed({ ...impatient, firstProbeMs: 1_000, probeEveryMaxMs: 1_000 });
    await fetchOne(source);
    await provider.stop();
    for (let index = 0; index < 3; index++) {
      expect(await fetchOne(source)).toMatchObject({ kind: 'unavailable' });
    }
    expect(await fetchOne(source)).toEqual({
      kind: 'unavailable',
      reason: 'the marketplace has been failing',
      retryAfterMs: expect.any(Number),
    });
    expect(await metricByReason('oversight_source_failing')).toEqual({ '': 1 });
    await provider.restart();
    await vi.waitUntil(async () => (await fetchOne(source))?.kind === 'snapshot', 20_000);
    expect(await fetchOne(source)).toMatchObject({ kind: 'snapshot' });
    expect(await metricByReason('oversight_source_failing')).toEqual({ '': 0 });
    expect(logged.map(({ level }) => level)).toEqual([40, 30]);
  });

  test('gets only probes while the breaker is open', async () => {
    provider.respond = (_, response) => sendJson(response, {}, 500);
    const source = openFeed({ ...impatient, firstProbeMs: 60_000, probeEveryMaxMs: 60_000 });
    for (let index = 0; index < 50; index++) await fetchOne(source);
    await source.findByGtin('00044579413717');
    expect(provider.requests).toHaveLength(3);
  });

  test('gets one probe without retries, and then no requests again', async () => {
    provider.respond = (_, response) => sendJson(response, {}, 503);
    const source = openFeed({ ...impatient, attemptsMax: 3, probeEveryMaxMs: 60_000 });
    for (let index = 0; index < 3; index++) await fetchOne(source);
    expect(provider.requests).toHaveLength(9);
    await vi.waitUntil(async () => {
      const outcome = await fetchOne(source);
      return outcome?.kind === 'unavailable' && outcome.reason === 'status 503';
    });
    expect(await fetchOne(source)).toMatchObject({ reason: 'the marketplace has been failing' });
    expect(provider.requests).toHaveLength(10);
  });

  test('is not one that sends rubbish or only 404s', async () => {
    const source = openFeed(impatient);
    provider.respond = (_, response) => void response.end('<html>');
    for (let index = 0; index < 5; index++) await fetchOne(source);
    provider.respond = (_, response) => sendJson(response, {}, 404);
    for (let index = 0; index < 5; index++) await fetchOne(source);
    expect(provider.requests).toHaveLength(10);
  });

  test('does not delay outcomes after closing', async () => {
    provider.respond = () => {};
    const source = openFeed();
    const waiting = fetchOne(source);
    await vi.waitUntil(() => provider.requests.length === 1);
    await source.close();
    expect(await waiting).toMatchObject({ kind: 'unavailable' });
    expect(await fetchOne(source)).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a history', () => {
  const range = { fromMs: NOW - 10 * DAY_MS, toMs: NOW };
  const lineAt = (days: number, code = '1') =>
    JSON.stringify(writeSnapshot(snapshotOf(code, NOW - days * DAY_MS)));
  const daysOf = async (source: Source) => {
    const days: number[] = [];
    for await (const one of source.history('1', range) ?? []) {
      days.push((NOW - one.observedAtMs) / DAY_MS);
    }
    return days;
  };

  test('is requested with its range', async () => {
    provider.respond = (_, response) => void response.end('');
    expect(await daysOf(openFeed())).toEqual([]);
    expect(provider.requests[0]?.url).toBe(
      '/products/1/history?from=2026-11-04T12%3A00%3A00.000Z&to=2026-11-14T12%3A00%3A00.000Z',
    );
  });

  test('skips unusable lines and counts them', async () => {
    const long = `{"more":"${'x'.repeat(1_000_001)}"}`;
    const lines = [
      lineAt(10),
      '',
      'no JSON',
      lineAt(9),
      lineAt(8, '2'),
      lineAt(9.5),
      lineAt(7),
      long,
      lineAt(6),
      lineAt(11),
      lineAt(0),
    ];
    provider.respond = (_, response) => void response.end(lines.join('\n'));
    expect(await daysOf(openFeed())).toEqual([10, 9, 7, 6]);
    expect(await metricByReason('oversight_source_refused_total')).toEqual({
      record: 1,
      wrong_code: 1,
      order: 3,
      too_large: 1,
    });
  });

  test('is empty if the provider has none', async () => {
    provider.respond = (_, response) => sendJson(response, {}, 404);
    expect(await daysOf(openFeed())).toEqual([]);
  });

  test('is streamed', async () => {
    let sendMore = () => {};
    provider.respond = (_, response) => {
      response.write(`${lineAt(3)}\n`);
      sendMore = () => void response.end(lineAt(2));
    };
    const history = openFeed().history('1', range)?.[Symbol.asyncIterator]();
    expect(await history?.next()).toMatchObject({ value: { observedAtMs: NOW - 3 * DAY_MS } });
    sendMore();
    expect(await history?.next()).toMatchObject({ value: { observedAtMs: NOW - 2 * DAY_MS } });
    expect(await history?.next()).toMatchObject({ done: true });
  });

  test('that is cut short throws', async () => {
    provider.respond = (_, response) => {
      response.write(`${lineAt(3)}\n`, () => response.destroy());
    };
    await expect(daysOf(openFeed())).rejects.toMatchObject({ kind: 'source_unavailable' });
    provider.respond = (_, response) => sendJson(response, {}, 500);
    await expect(daysOf(openFeed())).rejects.toMatchObject({ kind: 'source_unavailable' });
  });

  test('that the reader leaves early is ended at the provider', async () => {
    const closed = new Promise<void>((resolve) => {
      provider.respond = (_, response) => {
        response.on('close', resolve);
        response.write(`${lineAt(3)}\n`);
      };
    });
    const source = openFeed({ concurrency: 1 });
    for await (const one of source.history('1', range) ?? []) {
      expect(one.code).toBe('1');
      break;
    }
    await closed;
    provider.respond = respondWell;
    expect(await fetchOne(source)).toMatchObject({ kind: 'snapshot' });
  });
});
