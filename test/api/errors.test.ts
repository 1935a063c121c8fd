// Responses to unexpected requests, over a real connection: one error format, never a 5xx.
import { connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { replyWithError } from '../../src/api/error-reply.ts';
import { readJsonBodies } from '../../src/api/request-body.ts';
import { bounds } from '../../src/foundation/bounds.ts';
import { atEnd } from '../support/at-end.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const customer = await service.newCustomer({ perSecond: 100_000 });
const address = await service.server.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** Sends raw bytes and returns everything received until the server closes the connection. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    sockets.push(socket);
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}

async function expectError(reply: Response, status: number, code: string) {
  expect(reply.status).toBe(status);
  const body = (await reply.json()) as Record<string, unknown>;
  expect(body).toMatchObject({ error: status, code, doc_url: `/docs/errors#${code}` });
  expect(typeof body.message).toBe('string');
  return body;
}

const key = { 'x-api-key': customer.apiKey };

describe('errors have one format', () => {
  test('404 for an unknown path, with and without a key', async () => {
    await expectError(await fetch(`${address}/nothing/here`), 404, 'endpoint_not_found');
    const slash = await fetch(`${address}/user/credits/`, { headers: key });
    await expectError(slash, 404, 'endpoint_not_found');
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND'])(
    '405 for %s where only GET is allowed, with the allowed methods',
    async (method) => {
      const reply = await fetch(`${address}/retailer/product/details`, { method, headers: key });
      expect(reply.status).toBe(405);
      expect(reply.headers.get('allow')).toBe('GET');
    },
  );

  test('a wrong method does not charge', async () => {
    const url = `${address}/retailer/product/details?retailer_product_code=${service.products[0]?.code}`;
    expect((await fetch(url, { method: 'HEAD', headers: key })).status).toBe(405);
    expect(await service.used(customer)).toBe(0);
  });

  test('400 for a malformed percent-encoding', async () => {
    await expectError(await fetch(`${address}/user/%E0%A4%A`), 400, 'url_malformed');
  });

  test('405 and 404 do not wait for an unneeded body', async () => {
    const unfinished =
      'HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{';
    expect(await raw(`POST /user/credits ${unfinished}`)).toMatch(/^HTTP\/1.1 405 .*"error":405/s);
    expect(await raw(`POST /nothing ${unfinished}`)).toMatch(/^HTTP\/1.1 404 .*"error":404/s);
  });

  test('405 however the path is written', async () => {
    const end = 'HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    expect(await raw(`POST http://x/user/credits ${end}`)).toMatch(/^HTTP\/1.1 405 /);
    expect(await raw(`POST /user/%63redits ${end}`)).toMatch(/^HTTP\/1.1 405 /);
    expect(await raw(`QUERY /user/credits ${end}`)).toMatch(/^HTTP\/1.1 405 /);
    expect(await raw('CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(/405 .*"error":405/s);
  });

  test('a request with a response does not keep its connection open for a missing body', async () => {
    const request = `GET /user/credits HTTP/1.1\r\nhost: x\r\nx-api-key: ${customer.apiKey}\r\ncontent-length: 10\r\n\r\n{`;
    expect(await raw(request)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('417 for an unknown Expect header; a missing Host is accepted', async () => {
    const send = (more: string) => raw(`GET /healthz HTTP/1.1\r\n${more}connection: close\r\n\r\n`);
    expect(await send('host: x\r\nexpect: miracles\r\n')).toMatch(/^HTTP\/1.1 417 .*"error":417/s);
    expect(await send('')).toMatch(/^HTTP\/1.1 200 /);
  });

  test('400 for what is not HTTP, 431 for headers that are too large', async () => {
    expect(await raw('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"error":400/s);
    const huge = `GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'a'.repeat(20_000)}\r\n\r\n`;
    expect(await raw(huge)).toMatch(/^HTTP\/1.1 431 .*"error":431/s);
  });
});

// No paid route takes a body so far; routes made for this test show how bodies are read.
describe('bodies', async () => {
  const app = fastify({ bodyLimit: bounds.bodyBytesMax });
  app.setErrorHandler((error, request, reply) =>
    replyWithError(service.app.log, error, request, reply),
  );
  readJsonBodies(app, { bodyTimeoutMs: 200 });
  const schema = { body: { type: 'object', required: ['name'] } };
  app.post('/needs-body', { schema }, async (request) => ({ got: request.body }));
  app.post('/no-body', async (request) => ({ got: request.body ?? null }));
  app.delete('/thing', async (request) => ({ got: request.body ?? null }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(() => app.close());
  const json = { 'content-type': 'application/json' };
  const post = (path: string, body: string | undefined, headers: Record<string, string> = json) =>
    fetch(origin + path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });

  test('JSON is read', async () => {
    expect(await (await post('/needs-body', '{"name":"x"}')).json()).toEqual({
      got: { name: 'x' },
    });
  });

  test('an empty body counts as none, whatever its type', async () => {
    for (const headers of [json, { 'content-type': 'text/plain' }, {}]) {
      expect((await post('/no-body', '', headers)).status).toBe(200);
      expect((await fetch(`${origin}/thing`, { method: 'DELETE', headers })).status).toBe(200);
    }
  });

  test('400 only where a body is required', async () => {
    const body = await expectError(await post('/needs-body', ''), 400, 'body_required');
    expect(body.message).toContain('body');
  });

  test.each(['{', '{"name":}', 'nul', '"\u0001', '{"__proto__":{"a":1}}', '[1,]'])(
    '400 for broken JSON %j',
    async (text) => {
      await expectError(await post('/needs-body', text), 400, 'body_malformed');
    },
  );

  test('413 over 64 KB, announced or not', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(bounds.bodyBytesMax) });
    await expectError(await post('/needs-body', large), 413, 'body_too_large');
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
      },
    });
    const request = { method: 'POST', headers: json, body: chunks, duplex: 'half' } as RequestInit;
    const streamed = await fetch(`${origin}/needs-body`, request).catch(() => null);
    // The server may close before the client has sent everything; it never buffers more.
    if (streamed !== null) expect(streamed.status).toBe(413);
  });

  test('415 for other types and for compressed bodies', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await expectError(await post('/needs-body', 'name=x', form), 415, 'media_type_unsupported');
    const zipped = { ...json, 'content-encoding': 'gzip' };
    const compressed = await post('/needs-body', '{"name":"x"}', zipped);
    await expectError(compressed, 415, 'content_encoding_unsupported');
  });

  test('408 for a client that does not finish its body', async () => {
    const ownPort = Number(new URL(origin).port);
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(ownPort, '127.0.0.1');
      sockets.push(socket);
      socket.write(
        'POST /needs-body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"na',
      );
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(response).toMatch(/^HTTP\/1.1 408 .*"error":408/s);
  });
});

const broken = await startService();

test('an unexpected failure is a plain message with the request id, and free', async () => {
  const customer = await broken.newCustomer();
  const fail = () => Promise.reject(new Error('the disk is on fire'));
  Object.assign(broken.app.lookUp, { byCode: fail });
  const reply = await broken.get(customer, '/retailer/product/details?retailer_product_code=1');
  expect(reply.status).toBe(500);
  expect(reply.body.message).not.toContain('fire');
  expect(reply.body.request_id).toBe(reply.headers['x-request-id']);
  expect(await broken.used(customer)).toBe(0);
});
