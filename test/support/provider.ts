// An HTTP data provider whose responses the test decides, and which can stop and restart.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type ProviderRequest = {
  method: string;
  url: string;
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any body
  body: any;
};

export type Provider = {
  url: string;
  /** All requests so far. */
  requests: ProviderRequest[];
  /** All connections so far. */
  connections: number;
  /** The highest number of requests in flight. */
  atOnceMax: number;
  respond: (request: ProviderRequest, response: ServerResponse) => unknown;
  /** Cuts every connection and refuses new ones. */
  stop(): Promise<void>;
  /** Listens at the same address again. */
  restart(): Promise<void>;
};

export async function startProvider(): Promise<Provider> {
  const sockets = new Set<Socket>();
  let atOnce = 0;
  const server = createServer(async (request, response) => {
    atOnce += 1;
    provider.atOnceMax = Math.max(provider.atOnceMax, atOnce);
    response.on('close', () => {
      atOnce -= 1;
    });
    const body = await text(request);
    const received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: body === '' ? null : JSON.parse(body),
    };
    provider.requests.push(received);
    await provider.respond(received, response);
  });
  server.on('connection', (socket) => {
    provider.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const provider: Provider = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    connections: 0,
    atOnceMax: 0,
    respond: (_, response) => sendJson(response, {}, 404),
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async restart() {
      await listen(port);
    },
  };
  return provider;
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
