// Bytes after a paid request do not change its outcome: a charged request gets its response, and a
// refused one is not charged.
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type Customer, startService } from '../support/service.ts';

const TIMES = 20;
const service = await startService();
await service.server.listen({ host: '127.0.0.1', port: 0 });
const { port } = service.server.server.address() as AddressInfo;
const path = `/retailer/product/details?retailer_product_code=${service.products[0]?.code}`;

const head = ({ apiKey }: Customer) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n\r\n`;

/** Sends text and returns everything received. */
async function exchange(bytes: string, { halfClose }: { halfClose: boolean }): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  if (halfClose) socket.end(bytes);
  else socket.write(bytes);
  const received = await text(socket);
  socket.destroy();
  return received;
}

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => Number(match[1]));

test('a paid GET with an unframed body gets its response, and only then is the body refused', async () => {
  const customer = await service.newCustomer({ perSecond: 1_000 });
  for (let nth = 0; nth < TIMES; nth++) {
    const received = await exchange(`${head(customer)}{"not":"expected"}`, { halfClose: false });
    expect(statuses(received)).toEqual([200, 400]);
    expect(received).toContain('x-credits-charged: 1');
  }
  expect(await service.used(customer)).toBe(TIMES);
});

test('the same as a client of Node sends it', async () => {
  const customer = await service.newCustomer();
  const sent = request({ port, path, method: 'GET', headers: { 'x-api-key': customer.apiKey } });
  sent.on('error', () => {}); // the unexpected body
  sent.write('{"not":"expected"}');
  sent.end();
  const [response] = await once(sent, 'response');
  expect([response.statusCode, response.headers['x-credits-charged']]).toEqual([200, '1']);
  expect(await service.used(customer)).toBe(1);
});

test('a client that half-closes after its request gets its response', async () => {
  const customer = await service.newCustomer({ perSecond: 1_000 });
  for (let nth = 0; nth < TIMES; nth++) {
    const received = await exchange(head(customer), { halfClose: true });
    expect(statuses(received)).toEqual([200]);
  }
  const received = await exchange(head(customer).repeat(3), { halfClose: true });
  expect(statuses(received)).toEqual([200, 200, 200]);
  expect(await service.used(customer)).toBe(TIMES + 3);
});

test('bytes that are not a request are refused at once if nothing came before them', async () => {
  expect(statuses(await exchange('this is no request\r\n\r\n', { halfClose: false }))).toEqual([
    400,
  ]);
});
