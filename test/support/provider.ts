// A provider of data whose every answer the test decides, and which can go away and come back.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type Asked = {
  method: string;
  url: string;
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any;
};

export type Provider = {
  url: string;
  /** All requests so far. */
  asked: Asked[];
  /** All connections so far. */
  connections: number;
  /** How many were being answered at the same time, at most. */
  atOnceMax: number;
  answer: (asked: Asked, response: ServerResponse) => unknown;
  /** Cuts every connection and refuses new ones. */
  goAway(): Promise<void>;
  /** At the same address as before. */
  comeBack(): Promise<void>;
};

export async function startProvider(): Promise<Provider> {
  const sockets = new Set<Socket>();
  let atOnce = 0;
  const server = createServer(async (request, response) => {
    atOnce += 1;
    own.atOnceMax = Math.max(own.atOnceMax, atOnce);
    response.on('close', () => {
      atOnce -= 1;
    });
    const body = await text(request);
    const asked = {
      ...{ method: request.method ?? '', url: request.url ?? '', headers: request.headers },
      body: body === '' ? null : JSON.parse(body),
    };
    own.asked.push(asked);
    await own.answer(asked, response);
  });
  server.on('connection', (socket) => {
    own.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const own: Provider = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    connections: 0,
    atOnceMax: 0,
    answer: (_, response) => sendJson(response, {}, 404),
    async goAway() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async comeBack() {
      await listen(port);
    },
  };
  return own;
}

export function sendJson(
  response: ServerResponse,
  json: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(json));
}
