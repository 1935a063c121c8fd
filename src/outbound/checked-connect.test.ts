// Name resolution, address checks and TLS of outgoing connections, against local servers.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { atEnd } from '../../test/support/at-end.ts';
import { createPoster } from '../webhooks/post.ts';
import {
  type CheckedConnectOptions,
  ConnectFailure,
  createCheckedConnect,
  createNameResolver,
  findAddresses,
  machineAddresses,
} from './checked-connect.ts';

const service = { addresses: [], port: 8080 };
const strict = { allowPrivateTargets: false, service };
const lenient = { allowPrivateTargets: true, service };
const leadsTo =
  (...addresses: string[]) =>
  async () =>
    addresses;

function connect(url: string, options: Partial<CheckedConnectOptions>) {
  const { hostname, protocol, port } = new URL(url);
  const dial = createCheckedConnect({ rules: lenient, connectMs: 5_000, ...options });
  return new Promise<{ address: string | undefined; servername: unknown }>((resolve, reject) => {
    dial({ hostname, protocol, port }, (error, socket) => {
      if (error !== null) return reject(error);
      const { servername } = socket as { servername?: unknown };
      resolve({ address: socket.remoteAddress, servername });
      socket.destroy();
    });
  });
}

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  server.on('connection', (socket) => socket.on('error', () => {}));
  server.listen(0, host);
  await once(server, 'listening');
  atEnd(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('a name', () => {
  const target = { hostname: 'hooks.example', protocol: 'https:', port: '' };
  const find = (...addresses: string[]) =>
    findAddresses(target, { rules: strict, connectMs: 1_000, resolve: leadsTo(...addresses) });

  test('is allowed when all its addresses are', async () => {
    expect(await find('8.8.8.8', '2600::1')).toEqual({ addresses: ['8.8.8.8', '2600::1'] });
  });

  test.each([
    [['10.0.0.1'], 'address 10.0.0.1 is private and not allowed'],
    [
      ['8.8.8.8', '169.254.169.254'],
      'address 169.254.169.254 is a metadata service and not allowed',
    ],
    [
      ['8.8.8.8', '::ffff:8.8.8.8'],
      'address ::ffff:8.8.8.8 is an IPv4 address inside IPv6 and not allowed',
    ],
    [['not an address'], 'address not an address is not an IP address and not allowed'],
    [[], 'the name does not resolve'],
  ])('that resolves to %j is refused', async (addresses, refused) => {
    expect(await find(...addresses)).toEqual({ refused });
  });

  test.each([
    ['ENOTFOUND', 'the name does not resolve'],
    ['ENODATA', 'the name does not resolve'],
    ['ETIMEOUT', 'the name did not resolve in time'],
    ['ESERVFAIL', 'the name could not be resolved (ESERVFAIL)'],
  ])('whose resolution fails with %s gets a reason', async (code, refused) => {
    const resolve = async () => {
      throw Object.assign(new Error('no'), { code });
    };
    expect(await findAddresses(target, { rules: strict, connectMs: 9, resolve })).toEqual({
      refused,
    });
  });

  test('of this machine is not resolved, and refused without private targets', async () => {
    const resolve = leadsTo('8.8.8.8');
    for (const hostname of ['localhost', 'LOCALHOST.', 'app.localhost']) {
      const of = (rules: typeof strict) =>
        findAddresses({ ...target, hostname }, { rules, connectMs: 9, resolve });
      expect(await of(strict)).toEqual({
        refused: 'address 127.0.0.1 is loopback and not allowed',
      });
      expect(await of(lenient)).toEqual({ addresses: ['127.0.0.1', '::1'] });
    }
  });
});

describe('a connection', () => {
  test('goes to the address that was checked', async () => {
    const port = await listening(createServer());
    const { address } = await connect(`http://hooks.example:${port}`, {
      resolve: leadsTo('127.0.0.1'),
    });
    expect(address).toBe('127.0.0.1');
  });

  test('is checked each time, since a name may resolve differently the second time', async () => {
    const port = await listening(createServer());
    const responses = [['127.0.0.1'], ['169.254.169.254']];
    const resolve = async () => responses.shift() ?? [];
    const options = { rules: lenient, resolve };
    await connect(`http://hooks.example:${port}`, options);
    await expect(connect(`http://hooks.example:${port}`, options)).rejects.toThrow(
      'address 169.254.169.254 is a metadata service and not allowed',
    );
  });

  test.each([
    'https://127.0.0.1:9/',
    'https://[::1]:9/',
    'https://localhost:9/',
    'https://[::ffff:7f00:1]/',
  ])('to %s is refused without resolving a name', async (url) => {
    const attempt = connect(url, { rules: strict });
    await expect(attempt).rejects.toThrow(
      /^address (127.0.0.1|::1|::ffff:7f00:1) is .* not allowed$/,
    );
    await expect(attempt).rejects.toBeInstanceOf(ConnectFailure);
  });

  test('tries the addresses in turn', async () => {
    const port = await listening(createServer());
    // Nothing listens at the first address.
    const { address } = await connect(`http://hooks.example:${port}`, {
      resolve: leadsTo('127.0.0.9', '127.0.0.1'),
    });
    expect(address).toBe('127.0.0.1');
  });

  test('that nobody accepts fails with a reason', async () => {
    const server = createServer();
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    await expect(connect(`http://127.0.0.1:${port}`, {})).rejects.toThrow('connection refused');
  });

  test('that takes too long fails', async () => {
    const port = await listening(createServer()); // accepts, and never shakes hands
    await expect(connect(`https://127.0.0.1:${port}`, { connectMs: 100 })).rejects.toThrow(
      'no connection within 0.1 s',
    );
  });
});

describe('name servers', () => {
  test('are queried for IPv4 and IPv6 addresses', async () => {
    const resolve = createNameResolver([
      await nameServer((type) => (type === 1 ? Buffer.from([8, 8, 8, 8]) : Buffer.alloc(16, 0x26))),
    ]);
    expect(await resolve('hooks.example', 5_000)).toEqual([
      '8.8.8.8',
      '2626:2626:2626:2626:2626:2626:2626:2626',
    ]);
  });

  test('may have only one of them', async () => {
    const resolve = createNameResolver([
      await nameServer((type) => (type === 1 ? null : Buffer.alloc(16, 0x26))),
    ]);
    expect(await resolve('hooks.example', 5_000)).toHaveLength(1);
  });

  test('may have neither', async () => {
    const resolve = createNameResolver([await nameServer(() => null)]);
    await expect(resolve('hooks.example', 5_000)).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('that do not respond end in a timeout', async () => {
    const resolve = createNameResolver([await nameServer(() => undefined)]);
    await expect(resolve('hooks.example', 100)).rejects.toMatchObject({ code: 'ECANCELLED' });
  });
});

describe('TLS', async () => {
  const good = selfSigned({ names: ['hooks.example'] });
  const expired = selfSigned({ names: ['hooks.example'], until: '200101000000Z' });
  const serverPort = (pair: { key: string; cert: string }) =>
    listening(createTlsServer(pair, (socket) => socket.end(OK)));
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const resolve = leadsTo('127.0.0.1');
  const [port, expiredPort] = [await serverPort(good), await serverPort(expired)];

  test('verifies the name while the checked address is dialled', async () => {
    const { address, servername } = await connect(`https://hooks.example.:${port}`, {
      resolve,
      ca: good.cert,
    });
    expect({ address, servername }).toEqual({ address: '127.0.0.1', servername: 'hooks.example' });
  });

  test.each([
    [
      'another name',
      `https://other.example:${port}`,
      good.cert,
      /^TLS: .*not in the cert's altnames/,
    ],
    ['an address', `https://127.0.0.1:${port}`, good.cert, /^TLS: .*not in the cert's/],
    [
      'nobody we trust',
      `https://hooks.example:${port}`,
      undefined,
      /^TLS: self-signed certificate$/,
    ],
    [
      'the past',
      `https://hooks.example:${expiredPort}`,
      expired.cert,
      /^TLS: certificate has expired$/,
    ],
  ])('refuses a certificate for %s', async (_, url, ca, reason) => {
    const options = ca === undefined ? { resolve } : { resolve, ca };
    await expect(connect(url, options)).rejects.toThrow(reason);
  });

  test('fails against a server without TLS', async () => {
    const plain = await listening(
      createServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    );
    await expect(connect(`https://127.0.0.1:${plain}`, {})).rejects.toThrow(
      /^TLS: wrong version number$/,
    );
    const closing = await listening(createServer((socket) => void socket.destroy()));
    await expect(connect(`https://127.0.0.1:${closing}`, {})).rejects.toThrow(
      'TLS: connection closed during the handshake',
    );
  });

  test('carries a delivery, and its failure is the logged reason', async () => {
    const ca = good.cert + expired.cert;
    const poster = createPoster({ rules: lenient, resolve, ca });
    const post = (url: string) => poster.postDelivery({ url, headers: {}, body: '{}' });
    expect(await post(`https://hooks.example:${port}/`)).toMatchObject({
      status: 200,
      reason: null,
    });
    expect(await post(`https://hooks.example:${expiredPort}/`)).toMatchObject({
      status: null,
      reason: 'TLS: certificate has expired',
    });
    await poster.close();
  });
});

test('the addresses of this machine include its loopback', () => {
  expect(machineAddresses()).toContain('127.0.0.1');
});

/**
 * Responds to A (1) and AAAA (28) queries: an address, null for none, undefined for no response.
 */
async function nameServer(resolveTo: (type: number) => Buffer | null | undefined): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const nameEnd = question.indexOf(0, 12) + 1;
    const type = question.readUInt16BE(nameEnd);
    const data = resolveTo(type);
    if (data === undefined) return;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(data === null ? 0 : 1, 6);
    header.writeUInt32BE(0, 8);
    // A pointer to the queried name, type, class, a TTL of 60 s, length.
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data?.length ?? 0]);
    const response = data === null ? [] : [record, data];
    socket.send(
      Buffer.concat([header, question.subarray(12, nameEnd + 4), ...response]),
      from.port,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  atEnd(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

/** A self-signed certificate, written as DER by hand (RFC 5280), and its key. */
function selfSigned(made: { names: readonly string[]; until?: string }): {
  key: string;
  cert: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = (tag: number, ...parts: (Buffer | string)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const size = body.length;
    const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
    return Buffer.concat([Buffer.from([tag, ...length]), body]);
  };
  const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
  const id = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
  const ecdsaWithSha256 = sequence(id('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(id('550403'), der(0x0c, 'test'))));
  const altNames = sequence(...made.names.map((one) => der(0x82, one)));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(der(0x17, '200101000000Z'), der(0x17, made.until ?? '491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(id('551d11'), der(0x04, altNames)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const cert = sequence(content, ecdsaWithSha256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}
