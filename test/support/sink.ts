// A customer's endpoint: records requests and responds as configured.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { atEnd } from './at-end.ts';

export type Received = { headers: IncomingHttpHeaders; body: string; path: string };

export type Sink = {
  url: string;
  received: Received[];
  /** A status, or a function that writes the response; can be changed at any time. */
  respond: number | ((response: ServerResponse, request: Received) => void);
};

/** Call it inside a test; it is closed at the end of the test. */
export async function openSink(respond: Sink['respond'] = 200): Promise<Sink> {
  // The sink never closes an idle connection: only configured failures happen.
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const seen = { headers: request.headers, body: await text(request), path: request.url ?? '' };
    sink.received.push(seen);
    if (typeof sink.respond === 'number') response.writeHead(sink.respond).end();
    else sink.respond(response, seen);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const sink: Sink = { url: `http://127.0.0.1:${port}/hook`, received: [], respond };
  return sink;
}
