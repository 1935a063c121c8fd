import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { atEnd } from '../../test/support/at-end.ts';
import { createPoster, type Delivery, type PosterOptions } from './post.ts';

const service = { addresses: [], port: 1 };
const lenient = { allowPrivateTargets: true, service };
const strict = { allowPrivateTargets: false, service };

const posters = new Set<ReturnType<typeof createPoster>>();
const openPoster = (options: Partial<PosterOptions> = {}) => {
  const poster = createPoster({ rules: lenient, ...options });
  posters.add(poster);
  return poster;
};
afterEach(async () => {
  for (const poster of posters) await poster.close();
  posters.clear();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?x=1`;
}
const receiver = (listener: RequestListener) =>
  listening(createServer({ maxHeaderSize: 65_536 }, listener));
/** Says exactly these bytes to whoever asks, and keeps the connection. */
const speaker = (said: string) =>
  listening(
    createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.write(said));
    }),
  );

const post = (url: string, more: Partial<Delivery> = {}, options: Partial<PosterOptions> = {}) =>
  openPoster(options).postDelivery({ url, headers: {}, body: '{"a":1}', ...more });

describe('a delivery', () => {
  test('is a POST of exactly the body, with the headers of its signature', async () => {
    let seen: unknown;
    const url = await receiver(async (request, response) => {
      const { method, headers } = request;
      seen = { method, url: request.url, headers, body: await text(request) };
      response.end('thanks');
    });
    const body = '{"name":"Kaffeemühle"}';
    const outcome = await post(url, { body, headers: { 'webhook-id': 'msg_1' } });
    expect(seen).toMatchObject({
      ...{ method: 'POST', url: '/hook?x=1', body },
      headers: {
        'webhook-id': 'msg_1',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Oversight-Webhooks/1.0',
      },
    });
    expect(outcome).toEqual({
      ...{ status: 200, responseBody: 'thanks', reason: null, retryAfterSeconds: null },
      ...{ gone: false, durationMs: expect.any(Number) },
    });
    expect(Number.isInteger(outcome.durationMs)).toBe(true);
  });

  test.each([
    [200, null],
    [201, null],
    [202, 'answered 202; only 200 and 201 count as received'],
    [204, 'answered 204; only 200 and 201 count as received'],
    [301, 'answered 301; redirects are not followed'],
    [307, 'answered 307; redirects are not followed'],
    [400, 'answered 400'],
    [410, 'answered 410; the endpoint is gone'],
    [500, 'answered 500'],
  ])('answered %i has the reason %j', async (status, reason) => {
    let requests = 0;
    const url = await receiver((_, response) => {
      requests++;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await post(url)).toMatchObject({ status, reason, gone: status === 410 });
    expect(requests).toBe(1);
  });

  test('that is asked to wait says how long', async () => {
    const url = await receiver((_, response) => {
      response.writeHead(503, { 'retry-after': '120' }).end();
    });
    expect(await post(url)).toMatchObject({ status: 503, retryAfterSeconds: 120 });
  });

  test('counts only the final answer, not what comes before it', async () => {
    const url = await speaker(
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok',
    );
    expect(await post(url)).toMatchObject({ status: 201, responseBody: 'ok', reason: null });
  });

  test('is not received as long as only something before the final answer came', async () => {
    const url = await speaker('HTTP/1.1 102 Processing\r\n\r\n');
    expect(await post(url, { timeoutMs: 100 })).toMatchObject({
      ...{ status: null, reason: 'no answer within 0.1 s' },
    });
  });

  test('uses a connection again, and no more of them than allowed', async () => {
    const connections = new Set<unknown>();
    const url = await receiver((request, response) => {
      connections.add(request.socket);
      request.resume().on('end', () => response.end('x'.repeat(5_000)));
    });
    const poster = openPoster({ connectionsPerOriginMax: 2 });
    const one = () => poster.postDelivery({ url, headers: {}, body: '{}' });
    const outcomes = await Promise.all(Array.from({ length: 10 }, one));
    expect(outcomes.filter(({ reason }) => reason !== null)).toEqual([]);
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  test('goes through no proxy of the environment', async () => {
    const { env } = process;
    const before = { ...env };
    Object.assign(env, { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' });
    Object.assign(env, { NODE_USE_ENV_PROXY: '1' });
    try {
      expect(await post(await receiver((_, response) => response.end()))).toMatchObject({
        reason: null,
      });
    } finally {
      process.env = before;
    }
  });
});

describe('an answer', () => {
  test('is kept to 2 KB and not waited for beyond', async () => {
    const url = await receiver((_, response) => {
      response.write('é'.repeat(2_000)); // and never ends
    });
    const { status, reason, responseBody } = await post(url);
    expect({ status, reason }).toEqual({ status: 200, reason: null });
    expect(responseBody).toBe('é'.repeat(1_024));
  });

  test('cut inside a character loses that character', async () => {
    const url = await receiver((_, response) => response.end(`a${'😀'.repeat(1_000)}`));
    expect((await post(url)).responseBody).toBe(`a${'😀'.repeat(511)}`);
  });

  test('is text that a database takes, at most 2 KB, whatever it was', async () => {
    const url = await receiver((_, response) =>
      response.end(Buffer.alloc(2_048, '\0\xff', 'latin1')),
    );
    const { responseBody } = await post(url);
    expect(responseBody).toMatch(/^\ufffd+$/);
    expect(Buffer.byteLength(responseBody)).toBeLessThanOrEqual(2_048);
  });

  test('without an end is cut off by closing the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await receiver((_, response) => {
      closed = once(response, 'close');
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
    });
    expect(await post(url)).toMatchObject({ status: 200, reason: null });
    await closed;
  });

  test('that drips counts by its status, and is cut when the time is over', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await receiver((_, response) => {
      closed = once(response, 'close');
      response.writeHead(200).write('drip');
    });
    expect(await post(url, { timeoutMs: 100 })).toMatchObject({
      ...{ status: 200, reason: null, responseBody: 'drip' },
    });
    await closed;
  });

  test('that breaks off after its status counts by its status', async () => {
    const url = await listening(
      createTcpServer((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nhalf'));
      }),
    );
    expect(await post(url)).toMatchObject({
      ...{ status: 500, reason: 'answered 500', responseBody: 'half' },
    });
  });
});

describe('no answer', () => {
  const nothing = { status: null, responseBody: '', retryAfterSeconds: null, gone: false };

  test('in time is given up, and the connection closed', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await receiver((request) => {
      closed = once(request.socket, 'close');
    });
    const { durationMs, ...outcome } = await post(url, { timeoutMs: 100 });
    expect(outcome).toEqual({ ...nothing, reason: 'no answer within 0.1 s' });
    expect(durationMs).toBeGreaterThanOrEqual(99);
    await closed;
  });

  test('is taken for one while its name hangs, and nothing goes out later', async () => {
    let requests = 0;
    const url = new URL(await receiver((_, response) => response.end(String(++requests))));
    url.hostname = 'hooks.example';
    const late = Promise.withResolvers<string[]>();
    const poster = openPoster({ resolve: () => late.promise });
    const one = (timeoutMs: number) =>
      poster.postDelivery({ url: url.href, headers: {}, body: '{}', timeoutMs });
    expect(await one(50)).toMatchObject({ ...nothing, reason: 'no answer within 0.05 s' });
    const second = one(5_000);
    late.resolve(['127.0.0.1']);
    expect(await second).toMatchObject({ status: 200, responseBody: '1' });
    expect(requests).toBe(1);
  });

  test('comes from one who closes', async () => {
    const closing = await receiver((request) => request.socket.destroy());
    const reason = 'connection closed before an answer';
    expect(await post(closing)).toMatchObject({ ...nothing, reason });
    const resetting = await listening(
      createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    );
    expect(await post(resetting)).toMatchObject({ ...nothing, reason });
  });

  test.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH\r\n', /^the answer is not valid HTTP: /],
    [
      'has huge headers',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
      /^the headers of the answer are too large$/,
    ],
    [
      'switches protocols',
      'HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      /^the answer is not valid HTTP: bad upgrade$/,
    ],
  ])('is what %s', async (_, said, reason) => {
    const outcome = await post(await speaker(said), { timeoutMs: 2_000 });
    expect(outcome).toMatchObject({ ...nothing, reason: expect.stringMatching(reason) });
  });

  test('comes from where nobody listens', async () => {
    const server = createTcpServer();
    const url = await listening(server);
    server.close();
    await once(server, 'close');
    expect(await post(url)).toMatchObject({ ...nothing, reason: 'connection refused' });
  });

  test.each([
    ['https://10.0.0.1/', 'address 10.0.0.1 is private and not allowed'],
    ['https://localhost:9000/', 'address localhost is loopback and not allowed'],
    ['http://example.com/', 'the address must begin with https://'],
    ['nonsense', 'the address is not a URL'],
  ])('is asked for at %s', async (url, reason) => {
    expect(await post(url, {}, { rules: strict })).toMatchObject({ ...nothing, reason });
  });

  test.each([
    ...['10.0.0.1', '8.8.8.8 ::1', '169.254.169.254', '', 'ENOTFOUND', 'ETIMEOUT', 'ESERVFAIL'],
  ])('is asked for at a name that leads to %j: which, is not told', async (found) => {
    const resolve = async () => {
      if (found.startsWith('E')) throw Object.assign(new Error('no'), { code: found });
      return found.split(' ').filter(Boolean);
    };
    expect(await post('https://hooks.example/', {}, { rules: strict, resolve })).toEqual({
      ...{ status: null, responseBody: '', retryAfterSeconds: null, gone: false, durationMs: 0 },
      reason: 'the name does not resolve to addresses that a webhook may go to',
    });
  });

  test('comes after the end of the service', async () => {
    const arrived = Promise.withResolvers<void>();
    const url = await receiver(() => arrived.resolve());
    const poster = openPoster();
    const one = () => poster.postDelivery({ url, headers: {}, body: '{}' });
    const underWay = one();
    await arrived.promise;
    await poster.close();
    expect(await underWay).toMatchObject({ ...nothing, reason: 'the service was stopped' });
    expect(await one()).toMatchObject({ ...nothing, reason: 'the service was stopped' });
  });

  test('comes to a delivery that cannot be sent', async () => {
    const url = await receiver((_, response) => response.end());
    const outcome = await post(url, { headers: { 'webhook-id': 'a\r\nb' } });
    expect(outcome).toMatchObject({ ...nothing, reason: expect.stringContaining('header') });
  });
});
