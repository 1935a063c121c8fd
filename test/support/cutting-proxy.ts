// A proxy in front of PostgreSQL that reads its protocol and cuts connections around chosen
// statements, so that the client cannot know their outcome.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * What happens to a request. `before`: cut and never forwarded. `during`: forwarded, then cut while
 * the server executes it. `after`: cut when the server has responded. `late`: cut, and forwarded
 * only by `deliverLate`.
 */
export type Fate = 'pass' | 'before' | 'during' | 'after' | 'late';

/** A prepared statement, or plain text with an empty name. */
export type Statement = { name: string; text: string };

export type CuttingProxy = {
  connection: { host: string; port: number; ssl: false };
  /** Decides the fate of each request; set by the test. */
  fateOf: (statement: Statement) => Fate;
  /** Number of cut requests. */
  cuts: number;
  /** Cuts every connection and refuses new ones. */
  goAway(): void;
  comeBack(): void;
  /** Forwards the requests held back; returns the server's error messages. */
  deliverLate(): Promise<string[]>;
  close(): Promise<void>;
};

/** `host` is the folder of the server's socket, as in pg. */
export async function startCuttingProxy(server: {
  host: string;
  port: number;
}): Promise<CuttingProxy> {
  const path = join(server.host, `.s.PGSQL.${server.port}`);
  const clients = new Set<Socket>();
  const upstreams = new Set<Socket>();
  const held: (() => Promise<string[]>)[] = [];
  let away = false;

  const listener = createServer((client) => {
    if (away) return void client.destroy();
    const upstream = connect(path);
    for (const [sockets, socket] of [[clients, client] as const, [upstreams, upstream] as const]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {}); // `close` follows
    }
    relay(client, upstream, { proxy, held });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const proxy: CuttingProxy = {
    connection: { host: '127.0.0.1', port: (listener.address() as AddressInfo).port, ssl: false },
    fateOf: () => 'pass',
    cuts: 0,
    goAway() {
      away = true;
      for (const client of clients) client.destroy();
    },
    comeBack() {
      away = false;
    },
    deliverLate: async () => (await Promise.all(held.splice(0).map((send) => send()))).flat(),
    async close() {
      for (const socket of [...clients, ...upstreams]) socket.destroy();
      const closed = once(listener, 'close');
      listener.close();
      await closed;
    },
  };
  return proxy;
}

function relay(
  client: Socket,
  upstream: Socket,
  context: { proxy: CuttingProxy; held: (() => Promise<string[]>)[] },
): void {
  const { proxy, held } = context;
  const prepared = new Map<string, string>();
  let statement: Statement = { name: '', text: '' };
  let parts: Buffer[] = [];
  let isCut = false;
  /** Set when nothing more is sent to the client; called with the server's errors. */
  let onFinished: ((complaints: string[]) => void) | null = null;
  const complaints: string[] = [];

  const sendOn = (request: Buffer): Promise<string[]> => {
    upstream.write(request);
    return new Promise((resolve) => {
      onFinished = resolve;
    });
  };
  const cut = (request: Buffer, fate: Exclude<Fate, 'pass'>) => {
    proxy.cuts += 1;
    isCut = true;
    const finish = (): Promise<string[]> => sendOn(request).finally(() => upstream.end());
    if (fate === 'after') void finish().then(() => client.destroy());
    else client.destroy();
    if (fate === 'before') upstream.destroy();
    if (fate === 'during') void finish();
    if (fate === 'late') held.push(finish);
  };

  const fromClient = messageReader({ startsWithoutType: true });
  client.on('data', (chunk) => {
    if (isCut) return;
    for (const message of fromClient(chunk)) {
      parts.push(message.bytes);
      if (message.type === 'P') prepared.set(message.text(0), message.text(1));
      if (message.type === 'B') {
        const name = message.text(1);
        statement = { name, text: prepared.get(name) ?? '' };
      }
      if (message.type === 'Q') statement = { name: '', text: message.text(0) };
      if (/^[PBDEC]$/.test(message.type)) continue; // until Sync they are one request
      const request = Buffer.concat(parts);
      parts = [];
      const fate = message.type === 'S' || message.type === 'Q' ? proxy.fateOf(statement) : 'pass';
      if (fate !== 'pass') return cut(request, fate);
      upstream.write(request);
    }
  });

  const fromServer = messageReader({ startsWithoutType: false });
  upstream.on('data', (chunk) => {
    if (onFinished === null) client.write(chunk);
    for (const message of fromServer(chunk)) {
      if (onFinished === null) continue;
      if (message.type === 'E') complaints.push(message.bytes.toString('latin1', 5));
      if (message.type === 'Z') onFinished(complaints);
    }
  });
  client.on('close', () => {
    if (!isCut) upstream.destroy();
  });
  upstream.on('close', () => {
    onFinished?.([...complaints, 'the connection was lost']);
    client.destroy();
  });
}

type Message = {
  /** Empty for the first message of a client, which has none. */
  type: string;
  bytes: Buffer;
  /** The text at this position among those that end with a zero. */
  text(position: number): string;
};

/** Assembles chunks and returns the complete messages. */
function messageReader(options: { startsWithoutType: boolean }): (chunk: Buffer) => Message[] {
  let typeBytes = options.startsWithoutType ? 0 : 1;
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) break;
      const bytes = rest.subarray(0, end);
      messages.push({
        type: typeBytes === 0 ? '' : String.fromCharCode(bytes[0] as number),
        bytes,
        text: (position) => bytes.toString('utf8', 5).split('\0', position + 1)[position] ?? '',
      });
      rest = rest.subarray(end);
      typeBytes = 1;
    }
    return messages;
  };
}
