// The endpoints of the deliver bench, in a separate process: /ok responds 200, /fail 500, /hang
// never.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url?.startsWith('/hang')) return;
    response.writeHead(request.url?.startsWith('/fail') ? 500 : 200).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
