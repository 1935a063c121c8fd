// The load generator: raw HTTP/1.1 over keep-alive connections, one request at a time on each. It
// must be cheap, because it shares the machine with the server it measures.
import { connect } from 'node:net';
import { readWork } from './child.ts';

export type Load = {
  port: number;
  connections: number;
  seconds: number;
  paths: string[];
  /** JSON bodies to send by POST, in turn; absent: the requests are GET. */
  bodies?: string[];
  /** Keys to use in turn; empty sends no key. */
  apiKeys: string[];
  /** Further header lines, each with its end. */
  headers?: string;
};

export type LoadResult = {
  perSecond: number;
  /** Requests of the whole run, also before and after those that are measured. */
  count: number;
  statuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
};

const load = await readWork<Load>();
/** Longer than any header; a chunk may also contain a body. */
const HEAD_BYTES_MAX = 4_096;
const statuses: Record<string, number> = {};
const latencies: number[] = [];
let counting = false;
let count = 0;
let turn = 0;

function nextRequest(): string {
  turn += 1;
  const path = load.paths[(turn * 7919) % load.paths.length];
  const key = load.apiKeys[(turn * 104_729) % load.apiKeys.length];
  const body = load.bodies?.[(turn * 7919) % load.bodies.length];
  if (body !== undefined) {
    return `POST ${path} HTTP/1.1\r\nHost: bench\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  }
  const keyLine = key === undefined ? '' : `x-api-key: ${key}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\n${keyLine}${load.headers ?? ''}\r\n`;
}

function openConnection(): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const socket = connect(load.port, '127.0.0.1');
    socket.setNoDelay(true);
    let head = '';
    /** Bytes of the response still to come; -1 before its length is known. */
    let missing = -1;
    let sentAtMs = 0;
    let stopping = false;
    const send = () => {
      if (stopping) return socket.end();
      sentAtMs = performance.now();
      socket.write(nextRequest(), 'latin1');
    };
    // Bodies are counted but not decoded: processor time used here is missing to the server.
    socket.on('data', (chunk: Buffer) => {
      if (missing < 0) {
        head += chunk.toString('latin1', 0, HEAD_BYTES_MAX);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /content-length: (\d+)/i.exec(head)?.[1];
        missing =
          end + 4 + Number(length ?? 0) - (head.length - Math.min(chunk.length, HEAD_BYTES_MAX));
      }
      missing -= chunk.length;
      if (missing > 0) return;
      if (counting) {
        const status = head.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        count += 1;
        if (count % 16 === 0) latencies.push(performance.now() - sentAtMs);
      }
      head = '';
      missing = -1;
      send();
    });
    socket.on('error', reject);
    socket.on('connect', () => {
      send();
      resolve(() => {
        stopping = true;
      });
    });
  });
}

const stops = await Promise.all(Array.from({ length: load.connections }, openConnection));
// The first third of a second, in which caches and statements warm up, is not counted.
await new Promise((resolve) => setTimeout(resolve, 333));
counting = true;
const startMs = performance.now();
await new Promise((resolve) => setTimeout(resolve, load.seconds * 1000));
counting = false;
const elapsedMs = performance.now() - startMs;
for (const stop of stops) stop();
latencies.sort((a, b) => a - b);
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
const result: LoadResult = {
  perSecond: count / (elapsedMs / 1000),
  count: turn,
  statuses,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
};
process.stdout.write(JSON.stringify(result));
process.exit(0);
