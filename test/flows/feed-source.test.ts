// The feed as a source when its provider behaves, and in all the ways in which one does not.
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
import { type Asked, type Provider, sendJson, startProvider } from '../support/provider.ts';

const NOW = Date.parse('2026-11-14T12:00:00.000Z');

let provider: Provider;
let metrics: Metrics;
let logged: { level: number; msg: string }[];
const opened: Source[] = [];

beforeEach(async () => {
  provider = await startProvider();
  provider.answer = respondWell;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.close()));
  await provider.goAway();
});

/** Fast to give up and to come back, so that tests need not wait. */
function openFeed(limits: Partial<FeedLimits> = {}, more: { url?: string } = {}): Source {
  metrics = createMetrics();
  logged = [];
  const log = createLog('info', { write: (line: string) => void logged.push(JSON.parse(line)) });
  const source = createFeedSource({
    ...{ url: provider.url, token: null, clock: manualClock(NOW), log, metrics, ...more },
    limits: { backoffMs: 2, ...limits },
  });
  opened.push(source);
  return source;
}

const snapshotOf = (code: string, atMs = NOW): Snapshot => ({
  ...{ code, observedAtMs: atMs, gtins: [], name: `Product ${code}`, offersComplete: false },
});
const recordOf = (code: string) => writeSnapshot(snapshotOf(code));

function respondWell({ url, body }: Asked, response: ServerResponse): void {
  if (body === null) sendJson(response, recordOf(url.split('/').at(-1) as string));
  else sendJson(response, { snapshots: body.codes.map(recordOf), missing: [] });
}

const fetchOne = async (source: Source, code = '1') => (await source.fetchBatch([code]))[0];

const figure = async (name: string) => {
  const found = await metrics.registry.getSingleMetric(name)?.get();
  return Object.fromEntries(
    (found?.values ?? []).map(({ labels, value }) => [String(labels.reason ?? ''), value]),
  );
};

describe('what it asks', () => {
  test('one code with GET, under the base address, with the token', async () => {
    const url = `${provider.url}/v1/shop/`;
    metrics = createMetrics();
    const parts = { clock: manualClock(NOW), log: createLog('silent'), metrics };
    const source = createFeedSource({ ...parts, url, token: 'sesame' });
    opened.push(source);
    expect(await fetchOne(source, '42')).toMatchObject({ snapshot: { code: '42' } });
    expect(provider.asked).toMatchObject([
      {
        method: 'GET',
        url: '/v1/shop/products/42',
        headers: { authorization: 'Bearer sesame' },
      },
    ]);
  });

  test('no token, no header', async () => {
    await fetchOne(openFeed());
    expect(provider.asked[0]?.headers).not.toHaveProperty('authorization');
  });

  test('many codes in batches of a hundred, each code once', async () => {
    const codes = Array.from({ length: 250 }, (_, nth) => String(nth));
    const outcomes = await openFeed().fetchBatch([...codes, '7']);
    expect(outcomes.map((one) => one.kind === 'snapshot' && one.snapshot.code)).toEqual([
      ...codes,
      '7',
    ]);
    const sizes = provider.asked.map(({ method, url, body }) => [method, url, body.codes.length]);
    expect(sizes.sort((a, b) => b[2] - a[2])).toEqual([
      ['POST', '/products/batch', 100],
      ['POST', '/products/batch', 100],
      ['POST', '/products/batch', 50],
    ]);
  });

  test('a GTIN', async () => {
    provider.answer = (_, response) => sendJson(response, { codes: ['5', '6'] });
    expect(await openFeed().findByGtin('00044579413717')).toEqual({
      kind: 'codes',
      codes: ['5', '6'],
    });
    expect(provider.asked[0]?.url).toBe('/products?gtin=00044579413717');
    provider.answer = (_, response) => sendJson(response, {}, 404);
    expect(await openFeed().findByGtin('00044579413717')).toEqual({ kind: 'unsupported' });
  });

  // Asked right after an answer, the pool may not have its connection back yet and open a second.
  test('over the connections that it has', async () => {
    const source = openFeed();
    for (let nth = 0; nth < 30; nth++) await fetchOne(source, String(nth));
    expect(provider.connections).toBeLessThanOrEqual(2);
  });

  test('over the same connections after answers that are not wanted', async () => {
    const source = openFeed();
    for (const status of [404, 400, 404, 500, 302, 404, 400, 404, 500, 200]) {
      provider.answer = (_, response) => sendJson(response, recordOf('1'), status);
      await fetchOne(source);
    }
    expect(provider.connections).toBeLessThanOrEqual(2);
  });

  test('again and again in its only turn, however the one before has ended', async () => {
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
      provider.answer = (_, response) => end(response);
      expect(await fetchOne(source)).not.toMatchObject({ kind: 'snapshot' });
      provider.answer = respondWell;
      expect(await fetchOne(source)).toMatchObject({ kind: 'snapshot' });
    }
  });

  test('no more at once than it may', async () => {
    const source = openFeed({ concurrency: 3 });
    const held: (() => void)[] = [];
    provider.answer = (asked, response) => {
      held.push(() => respondWell(asked, response));
      if (held.length === 3) for (const answer of held.splice(0)) answer();
    };
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => fetchOne(source, String(nth))),
    );
    expect(outcomes.every((outcome) => outcome?.kind === 'snapshot')).toBe(true);
    expect(provider.atOnceMax).toBe(3);
    expect(provider.connections).toBeLessThanOrEqual(3);
  });

  test('nothing more when too many wait already', async () => {
    const responses: (() => void)[] = [];
    provider.answer = (asked, response) => responses.push(() => respondWell(asked, response));
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

/** Fails as told at first, then answers well. */
function failOnce(fail: (response: ServerResponse) => void): void {
  provider.answer = (asked, response) => {
    if (provider.asked.length === 1) fail(response);
    else respondWell(asked, response);
  };
}

describe('what is tried again', () => {
  test.each([429, 502, 503, 504])('a %d', async (status) => {
    failOnce((response) => sendJson(response, {}, status));
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    expect(provider.asked).toHaveLength(2);
  });

  test('a connection that is cut before or amid the answer', async () => {
    failOnce((response) => response.destroy());
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    provider.asked = [];
    failOnce((response) => void response.socket?.resetAndDestroy());
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    provider.asked = [];
    failOnce((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"retailer', () => response.destroy());
    });
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    expect(provider.asked).toHaveLength(2);
  });

  test('an answer that does not begin, or does not go on', async () => {
    failOnce(() => {});
    expect(await fetchOne(openFeed({ headersMs: 100 }))).toMatchObject({ kind: 'snapshot' });
    provider.asked = [];
    failOnce((response) => void response.write('{'));
    expect(await fetchOne(openFeed({ bodyIdleMs: 100 }))).toMatchObject({ kind: 'snapshot' });
    expect(provider.asked).toHaveLength(2);
  });

  test('not more than twice', async () => {
    provider.answer = (_, response) => sendJson(response, {}, 503);
    const outcome = await fetchOne(openFeed());
    expect(outcome).toEqual({ kind: 'unavailable', reason: 'it answered 503' });
    expect(provider.asked).toHaveLength(3);
  });

  test('not before the time that the provider names', async () => {
    failOnce((response) => sendJson(response, {}, 429, { 'retry-after': '1' }));
    const startMs = monotonicMs();
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'snapshot' });
    expect(monotonicMs() - startMs).toBeGreaterThan(990);
  });

  test('not at all when that time is too long, which is passed on', async () => {
    provider.answer = (_, response) => sendJson(response, {}, 503, { 'retry-after': '60' });
    expect(await fetchOne(openFeed())).toMatchObject({ retryAfterMs: 60_000 });
    expect(provider.asked).toHaveLength(1);
  });

  test('not beyond the time that someone waits', async () => {
    provider.answer = () => {};
    const startMs = monotonicMs();
    expect(await fetchOne(openFeed({ wholeMs: 150 }))).toEqual({
      kind: 'unavailable',
      reason: 'it did not answer within 0.15 s',
    });
    expect(monotonicMs() - startMs).toBeLessThan(2_000);
    expect(provider.asked).toHaveLength(1);
  });
});

describe('what is not tried again', () => {
  test.each([
    [401, 'unavailable', 'it refuses us (401): MARKETPLACE_TOKEN is missing or wrong'],
    [403, 'unavailable', 'it refuses us (403): MARKETPLACE_TOKEN is missing or wrong'],
    [408, 'unavailable', 'it answered 408'],
    [500, 'unavailable', 'it answered 500'],
    [501, 'unavailable', 'it answered 501'],
    [204, 'bad_answer', 'it answered 204'],
    [400, 'bad_answer', 'it answered 400'],
    [422, 'bad_answer', 'it answered 422'],
  ])('a %d', async (status, kind, reason) => {
    provider.answer = (_, response) => sendJson(response, recordOf('1'), status);
    expect(await fetchOne(openFeed())).toMatchObject({ kind, reason });
    expect(provider.asked).toHaveLength(1);
  });

  test('a 404, which is no such product', async () => {
    provider.answer = (_, response) => sendJson(response, {}, 404);
    expect(await fetchOne(openFeed())).toEqual({ kind: 'not_found' });
    expect(provider.asked).toHaveLength(1);
  });

  test('a 404 to a batch, which is no feed', async () => {
    provider.answer = (_, response) => sendJson(response, {}, 404);
    const outcomes = await openFeed().fetchBatch(['1', '2']);
    expect(outcomes).toMatchObject([{ kind: 'bad_answer' }, { kind: 'bad_answer' }]);
  });

  test('a redirect, which is not followed either', async () => {
    const location = `${provider.url}/products/1`;
    provider.answer = (_, response) => sendJson(response, {}, 302, { location });
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'bad_answer' });
    expect(provider.asked).toHaveLength(1);
  });

  test('an answer that cannot be used', async () => {
    provider.answer = (_, response) => void response.end('{"retailer_product_code":');
    expect(await fetchOne(openFeed())).toMatchObject({ kind: 'bad_answer' });
    expect(provider.asked).toHaveLength(1);
  });
});

describe('what is refused', () => {
  test('an answer without end, as soon as it is too large', async () => {
    const gone = new Promise<void>((resolve) => {
      provider.answer = (_, response) => {
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more).on('close', () => resolve());
        more();
      };
    });
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'too_large' });
    await gone;
  });

  test.each([
    ['what is not HTTP', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('%s', async (_name, bytes) => {
    provider.answer = (_, response) => void response.socket?.end(bytes);
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'protocol' });
  });

  test('an encoding that was not asked for, and texts that are not UTF-8', async () => {
    provider.answer = (_, response) =>
      sendJson(response, recordOf('1'), 200, { 'content-encoding': 'gzip' });
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'protocol' });
    provider.answer = (_, response) => void response.end(Buffer.from([0x22, 0xff, 0x22]));
    expect(await fetchOne(openFeed())).toMatchObject({ reasonClass: 'not_json' });
  });

  test('one bad record of a batch alone, counted by its class and told in one line', async () => {
    provider.answer = (_, response) =>
      sendJson(response, {
        snapshots: [recordOf('1'), { ...recordOf('2'), brand: 7 }, recordOf('9')],
        missing: ['3'],
      });
    const outcomes = await openFeed().fetchBatch(['1', '2', '3', '4']);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      ...['snapshot', 'bad_answer', 'not_found', 'bad_answer'],
    ]);
    expect(await figure('oversight_source_refused_total')).toEqual({
      ...{ record: 1, incomplete: 1, wrong_code: 1 },
    });
    expect(logged).toMatchObject([{ msg: 'bad answer of the feed', refused: 3, codes: 4 }]);
  });
});

describe('a provider that fails', () => {
  const impatient = { attemptsMax: 1, failuresMax: 3, firstProbeMs: 20, probeEveryMaxMs: 50 };

  test('is left alone after some failures, and used again by itself when it is back', async () => {
    // Long enough for a busy machine: the probe must not come before the fourth request does.
    const source = openFeed({ ...impatient, firstProbeMs: 1_000, probeEveryMaxMs: 1_000 });
    await fetchOne(source);
    await provider.goAway();
    for (let nth = 0; nth < 3; nth++) {
      expect(await fetchOne(source)).toMatchObject({ kind: 'unavailable' });
    }
    expect(await fetchOne(source)).toEqual({
      ...{ kind: 'unavailable', reason: 'it has been failing', retryAfterMs: expect.any(Number) },
    });
    expect(await figure('oversight_source_failing')).toEqual({ '': 1 });
    await provider.comeBack();
    await vi.waitUntil(async () => (await fetchOne(source))?.kind === 'snapshot', 20_000);
    expect(await fetchOne(source)).toMatchObject({ kind: 'snapshot' });
    expect(await figure('oversight_source_failing')).toEqual({ '': 0 });
    expect(logged.map(({ level }) => level)).toEqual([40, 30]);
  });

  test('is asked only now and then while it is left alone', async () => {
    provider.answer = (_, response) => sendJson(response, {}, 500);
    const source = openFeed({ ...impatient, firstProbeMs: 60_000, probeEveryMaxMs: 60_000 });
    for (let nth = 0; nth < 50; nth++) await fetchOne(source);
    await source.findByGtin('00044579413717');
    expect(provider.asked).toHaveLength(3);
  });

  test('once again, at the one probe, and is then left alone again', async () => {
    provider.answer = (_, response) => sendJson(response, {}, 503);
    const source = openFeed({ ...impatient, attemptsMax: 3, probeEveryMaxMs: 60_000 });
    for (let nth = 0; nth < 3; nth++) await fetchOne(source);
    expect(provider.asked).toHaveLength(9);
    await vi.waitUntil(async () => {
      const outcome = await fetchOne(source);
      return outcome?.kind === 'unavailable' && outcome.reason === 'it answered 503';
    });
    expect(await fetchOne(source)).toMatchObject({ reason: 'it has been failing' });
    expect(provider.asked).toHaveLength(10);
  });

  test('that answers rubbish, or knows nothing, does not fail', async () => {
    const source = openFeed(impatient);
    provider.answer = (_, response) => void response.end('<html>');
    for (let nth = 0; nth < 5; nth++) await fetchOne(source);
    provider.answer = (_, response) => sendJson(response, {}, 404);
    for (let nth = 0; nth < 5; nth++) await fetchOne(source);
    expect(provider.asked).toHaveLength(10);
  });

  test('is answered for at once after closing', async () => {
    provider.answer = () => {};
    const source = openFeed();
    const waiting = fetchOne(source);
    await vi.waitUntil(() => provider.asked.length === 1);
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

  test('is asked for by time', async () => {
    provider.answer = (_, response) => void response.end('');
    expect(await daysOf(openFeed())).toEqual([]);
    expect(provider.asked[0]?.url).toBe(
      '/products/1/history?from=2026-11-04T12%3A00%3A00.000Z&to=2026-11-14T12%3A00%3A00.000Z',
    );
  });

  test('leaves out lines that cannot be used, and counts them', async () => {
    const long = `{"more":"${'x'.repeat(1_000_001)}"}`;
    const lines = [
      ...[lineAt(10), '', 'no JSON', lineAt(9), lineAt(8, '2'), lineAt(9.5), lineAt(7)],
      ...[long, lineAt(6), lineAt(11), lineAt(0)],
    ];
    provider.answer = (_, response) => void response.end(lines.join('\n'));
    expect(await daysOf(openFeed())).toEqual([10, 9, 7, 6]);
    expect(await figure('oversight_source_refused_total')).toEqual({
      ...{ record: 1, wrong_code: 1, order: 3, too_large: 1 },
    });
  });

  test('is none where the provider has none', async () => {
    provider.answer = (_, response) => sendJson(response, {}, 404);
    expect(await daysOf(openFeed())).toEqual([]);
  });

  test('comes as it is sent', async () => {
    let sendMore = () => {};
    provider.answer = (_, response) => {
      response.write(`${lineAt(3)}\n`);
      sendMore = () => void response.end(lineAt(2));
    };
    const history = openFeed().history('1', range)?.[Symbol.asyncIterator]();
    expect(await history?.next()).toMatchObject({ value: { observedAtMs: NOW - 3 * DAY_MS } });
    sendMore();
    expect(await history?.next()).toMatchObject({ value: { observedAtMs: NOW - 2 * DAY_MS } });
    expect(await history?.next()).toMatchObject({ done: true });
  });

  test('that is cut short does not pass for a whole one', async () => {
    provider.answer = (_, response) => {
      response.write(`${lineAt(3)}\n`, () => response.destroy());
    };
    await expect(daysOf(openFeed())).rejects.toMatchObject({ kind: 'source_unavailable' });
    provider.answer = (_, response) => sendJson(response, {}, 500);
    await expect(daysOf(openFeed())).rejects.toMatchObject({ kind: 'source_unavailable' });
  });

  test('that is left early is ended at the provider', async () => {
    const gone = new Promise<void>((resolve) => {
      provider.answer = (_, response) => {
        response.on('close', resolve);
        response.write(`${lineAt(3)}\n`);
      };
    });
    const source = openFeed({ concurrency: 1 });
    for await (const one of source.history('1', range) ?? []) {
      expect(one.code).toBe('1');
      break;
    }
    await gone;
    provider.answer = respondWell;
    expect(await fetchOne(source)).toMatchObject({ kind: 'snapshot' });
  });
});
