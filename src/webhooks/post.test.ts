// Outcomes of single deliveries against real sockets.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { atEnd } from '../../test/support/at-end.ts';
import { BUILT_IN_RECEIVER, createPoster, type Delivery, type PosterOptions } from './post.ts';

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
/** Responds to every request with exactly these bytes, and keeps the connection. */
const speaker = (said: string) =>
  listening(
    createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.write(said));
    }),
  );

const post = (url: string, more: Partial<Delivery> = {}, options: Partial<PosterOptions> = {}) =>
  openPoster(options).postDelivery({ url, headers: {}, body: '{"a":1}', ...more });

describe('a delivery', () => {
  test('is a POST of exactly the body with the signature headers', async () => {
    let seen: unknown;
    const url = await receiver(async (request, response) => {
      const { method, headers } = request;
      seen = { method, url: request.url, headers, body: await text(request) };
      response.end('thanks');
    });
    const body = '{"name":"Kaffeemühle"}';
    const outcome = await post(url, { body, headers: { 'webhook-id': 'msg_1' } });
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/hook?x=1',
      body,
      headers: {
        'webhook-id': 'msg_1',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Oversight-Webhooks/1.0',
      },
    });
    expect(outcome).toEqual({
      status: 200,
      responseBody: 'thanks',
      reason: null,
      retryAfterSeconds: null,
      gone: false,
      durationMs: expect.any(Number),
    });
    expect(Number.isInteger(outcome.durationMs)).toBe(true);
  });

  test.each([
    [200, null],
    [201, null],
    [202, 'responded with 202; only 200 and 201 count as received'],
    [204, 'responded with 204; only 200 and 201 count as received'],
    [301, 'responded with 301; redirects are not followed'],
    [307, 'responded with 307; redirects are not followed'],
    [400, 'responded with 400'],
    [410, 'responded with 410; the endpoint is gone'],
    [500, 'responded with 500'],
  ])('responded with %i has the reason %j', async (status, reason) => {
    let requests = 0;
    const url = await receiver((_, response) => {
      requests++;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await post(url)).toMatchObject({ status, reason, gone: status === 410 });
    expect(requests).toBe(1);
  });

  test.each([
    [204, null],
    [299, null],
    [301, 'responded with 301; redirects are not followed'],
    [500, 'responded with 500'],
  ])('if any 2xx counts, responded with %i has the reason %j', async (status, reason) => {
    const url = await receiver((_, response) => response.writeHead(status).end());
    expect(await post(url, { acceptsAny2xx: true })).toMatchObject({ status, reason });
  });

  test('returns Retry-After', async () => {
    const url = await receiver((_, response) => {
      response.writeHead(503, { 'retry-after': '120' }).end();
    });
    expect(await post(url)).toMatchObject({ status: 503, retryAfterSeconds: 120 });
  });

  test('counts only the final response, not informational ones', async () => {
    const url = await speaker(
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok',
    );
    expect(await post(url)).toMatchObject({ status: 201, responseBody: 'ok', reason: null });
  });

  test('is not received with only an informational response', async () => {
    const url = await speaker('HTTP/1.1 102 Processing\r\n\r\n');
    expect(await post(url, { timeoutMs: 100 })).toMatchObject({
      status: null,
      reason: 'no response within 0.1 s',
    });
  });

  test('reuses connections, and opens no more than allowed', async () => {
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

  test('uses no proxy from the environment', async () => {
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

describe('a response body', () => {
  test('is kept to 2 KB; the rest is not waited for', async () => {
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

  test('becomes text that the database accepts, at most 2 KB', async () => {
    const url = await receiver((_, response) =>
      response.end(Buffer.alloc(2_048, '\0\xff', 'latin1')),
    );
    const { responseBody } = await post(url);
    expect(responseBody).toMatch(/^\ufffd+$/);
    expect(Buffer.byteLength(responseBody)).toBeLessThanOrEqual(2_048);
  });

  test('without an end is aborted by closing the connection', async () => {
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

  test('that arrives slowly is aborted at the timeout; the status counts', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await receiver((_, response) => {
      closed = once(response, 'close');
      response.writeHead(200).write('drip');
    });
    expect(await post(url, { timeoutMs: 100 })).toMatchObject({
      status: 200,
      reason: null,
      responseBody: 'drip',
    });
    await closed;
  });

  test('that breaks off after the status does not matter: the status counts', async () => {
    const url = await listening(
      createTcpServer((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nhalf'));
      }),
    );
    expect(await post(url)).toMatchObject({
      status: 500,
      reason: 'responded with 500',
      responseBody: 'half',
    });
  });
});

describe('no response', () => {
  const nothing = { status: null, responseBody: '', retryAfterSeconds: null, gone: false };

  test('within the timeout ends the attempt and closes the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await receiver((request) => {
      closed = once(request.socket, 'close');
    });
    const { durationMs, ...outcome } = await post(url, { timeoutMs: 100 });
    expect(outcome).toEqual({ ...nothing, reason: 'no response within 0.1 s' });
    expect(durationMs).toBeGreaterThanOrEqual(99);
    await closed;
  });

  test('is reported while its name does not resolve, and nothing is sent later', async () => {
    let requests = 0;
    const url = new URL(await receiver((_, response) => response.end(String(++requests))));
    url.hostname = 'hooks.example';
    const late = Promise.withResolvers<string[]>();
    const poster = openPoster({ resolve: () => late.promise });
    const one = (timeoutMs: number) =>
      poster.postDelivery({ url: url.href, headers: {}, body: '{}', timeoutMs });
    expect(await one(50)).toMatchObject({ ...nothing, reason: 'no response within 0.05 s' });
    const second = one(5_000);
    late.resolve(['127.0.0.1']);
    expect(await second).toMatchObject({ status: 200, responseBody: '1' });
    expect(requests).toBe(1);
  });

  test('is reported when the receiver closes the connection', async () => {
    const closing = await receiver((request) => request.socket.destroy());
    const reason = 'connection closed before a response';
    expect(await post(closing)).toMatchObject({ ...nothing, reason });
    const resetting = await listening(
      createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    );
    expect(await post(resetting)).toMatchObject({ ...nothing, reason });
  });

  test.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH\r\n', /^the response is not valid HTTP: /],
    [
      'has huge headers',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
      /^the response headers are too large$/,
    ],
    [
      'switches protocols',
      'HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      /^the response is not valid HTTP: bad upgrade$/,
    ],
  ])('is reported for a response that %s', async (_, said, reason) => {
    const outcome = await post(await speaker(said), { timeoutMs: 2_000 });
    expect(outcome).toMatchObject({ ...nothing, reason: expect.stringMatching(reason) });
  });

  test('is reported when nobody listens', async () => {
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
  ])('is requested from %s', async (url, reason) => {
    expect(await post(url, {}, { rules: strict })).toMatchObject({ ...nothing, reason });
  });

  test.each([
    '10.0.0.1',
    '8.8.8.8 ::1',
    '169.254.169.254',
    '',
    'ENOTFOUND',
    'ETIMEOUT',
    'ESERVFAIL',
  ])('is requested from a name that resolves to %j, without revealing it', async (resolved) => {
    const resolve = async () => {
      if (resolved.startsWith('E')) throw Object.assign(new Error('no'), { code: resolved });
      return resolved.split(' ').filter(Boolean);
    };
    expect(await post('https://hooks.example/', {}, { rules: strict, resolve })).toEqual({
      status: null,
      responseBody: '',
      retryAfterSeconds: null,
      gone: false,
      durationMs: 0,
      reason: 'the name does not resolve to addresses that a webhook may go to',
    });
  });

  test('is reported after the service has stopped', async () => {
    const arrived = Promise.withResolvers<void>();
    const url = await receiver(() => arrived.resolve());
    const poster = openPoster();
    const one = () => poster.postDelivery({ url, headers: {}, body: '{}' });
    const inFlight = one();
    await arrived.promise;
    await poster.close();
    expect(await inFlight).toMatchObject({ ...nothing, reason: 'the service was stopped' });
    expect(await one()).toMatchObject({ ...nothing, reason: 'the service was stopped' });
  });

  test('is reported for a delivery that cannot be sent', async () => {
    const url = await receiver((_, response) => response.end());
    const outcome = await post(url, { headers: { 'webhook-id': 'a\r\nb' } });
    expect(outcome).toMatchObject({ ...nothing, reason: expect.stringContaining('header') });
  });
});

test('the built-in receiver receives without a connection, and only under its exact name', async () => {
  const poster = openPoster({
    rules: strict,
    resolve: () => Promise.reject(new Error('resolved')),
  });
  const delivery = { headers: {}, body: '{}', url: BUILT_IN_RECEIVER };
  expect(await poster.postDelivery(delivery)).toMatchObject({ status: 200, reason: null });
  for (const url of [`${BUILT_IN_RECEIVER}/x`, 'built-in://127.0.0.1', 'built-in://Receiver']) {
    expect((await poster.postDelivery({ ...delivery, url })).status).toBeNull();
  }
});
