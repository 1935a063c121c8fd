// Listens while the service waits for its database: /healthz succeeds, the rest is "not ready".
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { errorBody } from './error-reply.ts';

/** `reusePort`: other processes listen there too, and the kernel divides the connections. */
export type ListenOn = { host: string; port: number; reusePort?: boolean };

export type WaitingServer = { address: string; close(): Promise<void> };

export async function startWaitingServer(
  listenOn: ListenOn,
  reason: () => string,
): Promise<WaitingServer> {
  const server = createServer((request, response) => {
    const requestId = newId();
    const isAlive = request.url?.split('?')[0] === '/healthz';
    const problem = new Problem('not_ready', `Not ready: ${reason()}.`);
    const body = JSON.stringify(isAlive ? { status: 'ok' } : errorBody(problem, requestId));
    response.writeHead(isAlive ? 200 : 503, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
      // The next request must reach the service itself.
      connection: 'close',
      ...(isAlive ? {} : { 'retry-after': '1' }),
    });
    response.end(request.method === 'HEAD' ? '' : body);
    request.resume();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listenOn, () => resolve());
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
