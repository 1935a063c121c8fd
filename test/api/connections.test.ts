// Connections that request much and read little, over real sockets: their cost is bounded and other
// clients are not affected.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { type ConnectionLimits, createConnectionBounds } from '../../src/api/connection-bounds.ts';
import { bounds } from '../../src/foundation/bounds.ts';
import { atEnd } from '../support/at-end.ts';
import { startService } from '../support/service.ts';
import { eventually } from '../support/session.ts';

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {}); // cut off
  await once(socket, 'connect');
  return socket;
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const ahead = (count: number, path = '/') =>
  Array.from({ length: count }, (_, n) => get(`${path}?${n}`)).join('');

/** Returns the bodies of the first `count` responses. */
function bodies(socket: Socket, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    const bodiesRead: string[] = [];
    socket.on('close', () => reject(new Error(`closed after ${bodiesRead.length} responses`)));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (;;) {
        const head = /^HTTP\/1\.1 \d+[\s\S]*?content-length: (\d+)[\s\S]*?\r\n\r\n/i.exec(text);
        const end = (head?.[0].length ?? 0) + Number(head?.[1] ?? 0);
        if (head === null || text.length < end) return;
        bodiesRead.push(text.slice(head[0].length, end));
        text = text.slice(end);
        if (bodiesRead.length === count) resolve(bodiesRead);
      }
    });
  });
}

async function start(listener: RequestListener, limits: Partial<ConnectionLimits> = {}) {
  const limited = createConnectionBounds({ ...bounds, connectionsSweepMs: 20, ...limits });
  const server = limited.watch(createServer(limited.bounded(listener)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** The server's ends of the connections: a client that reads nothing does not notice a cut. */
  const serverSockets: Socket[] = [];
  server.on('connection', (socket) => serverSockets.push(socket));
  const cutOff = (at: number) => eventually(() => serverSockets[at]?.destroyed || undefined);
  return { port, cutOff, isOpen: (at: number) => serverSockets[at]?.destroyed === false };
}

const LARGE = Buffer.alloc(500_000, 'x');
const send =
  (body: string | Buffer): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-length': body.length }).end(body);
  };

describe('a client that sends requests ahead and reads', () => {
  test('gets all responses in order, with a bounded number in progress', async () => {
    let [underWay, most] = [0, 0];
    const { port } = await start((request, response) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => {
        underWay--;
        const body = String(request.url);
        response.writeHead(200, { 'content-length': body.length }).end(body);
      }, Math.random());
    });
    const socket = await open(port);
    const received = bodies(socket, 5_000);
    socket.write(ahead(5_000));
    expect(await received).toEqual(Array.from({ length: 5_000 }, (_, n) => `/?${n}`));
    expect(most).toBe(bounds.connectionRequestsMax);
  });

  test('so does one with large responses, and one that pauses for a while', async () => {
    const { port } = await start(send(LARGE), { connectionUnreadMaxMs: 5_000 });
    const socket = await open(port);
    socket.write(ahead(40));
    await sleep(100);
    expect(await bodies(socket, 40)).toEqual(Array(40).fill(LARGE.toString()));
  });

  test('so do requests with bodies between others', async () => {
    const { port } = await start(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(200, { 'content-length': body.length }).end(body);
    });
    const socket = await open(port);
    const received = bodies(socket, 300);
    const post = (n: number) => {
      const body = `${n}:${'y'.repeat(n * 37)}`;
      return `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    };
    socket.write(Array.from({ length: 300 }, (_, n) => post(n)).join(''));
    expect((await received).map((body) => Number.parseInt(body, 10))).toEqual(
      Array.from({ length: 300 }, (_, n) => n),
    );
  });
});

describe('a client that reads nothing', () => {
  test('is not read from beyond a bound, and is cut off', async () => {
    let started = 0;
    const { port, cutOff } = await start(
      (request, response) => {
        started++;
        send(LARGE)(request, response);
      },
      { connectionUnreadMaxMs: 300 },
    );
    (await open(port)).pause().write(ahead(20_000));
    await cutOff(0);
    // Those in the socket buffers, and those in progress.
    expect(started).toBeLessThan(60);
  });

  test('a slow client that keeps reading a little gets every response', async () => {
    const { port } = await start(send(LARGE), { connectionUnreadMaxMs: 300 });
    const socket = await open(port);
    socket.write(ahead(20));
    const received = bodies(socket, 20);
    const timer = setInterval(() => (socket.isPaused() ? socket.resume() : socket.pause()), 20);
    expect(await received).toHaveLength(20);
    clearInterval(timer);
  });

  test('of clients that send far ahead the last are cut off; one slightly ahead is not', async () => {
    const never: RequestListener = () => {};
    const limits = { pipelinedRequestsMax: 10, pipelinedTotalMax: 100 };
    const { port, cutOff, isOpen } = await start(
      (request, response) =>
        request.url?.startsWith('/never')
          ? never(request, response)
          : send('ok')(request, response),
      limits,
    );
    (await open(port)).write(ahead(500, '/never'));
    await cutOff(0);
    const [one, two] = [await open(port), await open(port)];
    one.write(ahead(110, '/never'));
    two.write(ahead(20, '/never'));
    const third = await open(port);
    const received = bodies(third, 20);
    third.write(ahead(20));
    expect(await received).toHaveLength(20);
    expect([isOpen(1), isOpen(2)]).toEqual([true, true]);
  });

  test('when all together have too much unread, those with the most are cut off', async () => {
    const { port, cutOff, isOpen } = await start(
      (request, response) => send(Buffer.alloc(Number(request.url?.slice(1))))(request, response),
      { unsentBytesTotalMax: 25_000_000 },
    );
    const small = (await open(port)).pause();
    small.write(get('/8000000'));
    (await open(port)).pause().write(get('/40000000'));
    await cutOff(1);
    expect(isOpen(0)).toBe(true);
    small.resume();
    expect((await bodies(small, 1))[0]).toHaveLength(8_000_000);
  });
});

describe('the service', async () => {
  const service = await startService();
  const customer = await service.newCustomer({ perSecond: 100_000 });
  const address = await service.server.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(address).port);
  const heap = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;

  test.each(['/openapi.json', '/', '/nothing'])(
    'ten connections that send 1,680 requests for %s ahead and read nothing',
    async (path) => {
      await fetch(`${address}${path}`, { headers: { host: 'localhost:8080' } });
      const before = heap();
      let most = 0;
      const watching = setInterval(() => {
        most = Math.max(most, heap());
      }, 5);
      const request = `GET ${path} HTTP/1.1\r\nhost: localhost:8080\r\n\r\n`;
      const hostile = await Promise.all(Array.from({ length: 10 }, () => open(port)));
      for (const socket of hostile) socket.pause().write(request.repeat(1_680));
      for (let n = 0; n < 10; n++) {
        const reply = await fetch(`${address}/user/credits`, {
          headers: { 'x-api-key': customer.apiKey },
        });
        expect(reply.status).toBe(200);
        await sleep(5);
      }
      clearInterval(watching);
      for (const socket of hostile) socket.destroy();
      expect((most - before) / 1e6).toBeLessThan(150);
    },
  );

  test('pipelined requests with an unknown Expect header are bounded too', async () => {
    const socket = await open(port);
    const received = bodies(socket, 1_000);
    socket.write(get('/healthz', 'expect: miracles\r\n').repeat(1_000));
    expect(new Set((await received).map((body) => JSON.parse(body).error))).toEqual(new Set([417]));
  });

  test('a customer that pipelines paid requests gets every response, each charged once', async () => {
    const code = service.products[0]?.code;
    const before = await service.used(customer);
    const socket = await open(port);
    const received = bodies(socket, 200);
    const path = `/retailer/product/details?retailer_product_code=${code}`;
    socket.write(get(path, `x-api-key: ${customer.apiKey}\r\n`).repeat(200));
    for (const body of await received) {
      expect(JSON.parse(body)).toMatchObject({ retailer_product_code: code });
    }
    const price = (await eventually(() => service.used(customer))) - before;
    expect(price % 200).toBe(0);
    expect(price).toBeGreaterThan(0);
  });
});
