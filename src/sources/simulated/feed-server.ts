// Serves the simulated marketplace as an HTTP feed for trials, with faults that can be set while it
// runs.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CODE_PATTERN } from '../../catalog/product-code.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { type SnapshotJson, writeSnapshot } from '../../catalog/write-snapshot.ts';
import { type Clock, sleepMs } from '../../foundation/clock.ts';
import { clampInstant, readInstant } from '../../foundation/instant.ts';
import { indexOfCode } from './listing.ts';
import { mix, share } from './mix.ts';
import { NONSENSE, type Rubbish } from './nonsense.ts';
import { HISTORY_START_MS, type SimulatedSource } from './simulated-source.ts';
import { NO_TROUBLE, readTrouble, type Trouble, writeTrouble } from './trouble.ts';

const CODES_PER_BATCH_MAX = 100;
const BODY_BYTES_MAX = 65_536;
const TROUBLE_SEED = 0x7ab1e;

export type FeedServer = {
  /** Such as http://127.0.0.1:9301. */
  address: string;
  trouble(): Trouble;
  /** Also aborts requests in flight. */
  close(): Promise<void>;
};

type Deps = { source: SimulatedSource; clock: Clock; token: string | null };
type FeedResponse = { status: number; json: unknown } | { lines: AsyncIterable<Snapshot> };

/** A refused request, with the sentence for the caller. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function startFeedServer(
  input: Deps & { host: string; port: number },
): Promise<FeedServer> {
  let trouble = NO_TROUBLE;
  let [failures, rubbish] = [0, 0];

  const control = async (request: IncomingMessage): Promise<FeedResponse> => {
    if (request.method === 'PUT') {
      const read = readTrouble(await readJson(request), trouble);
      if ('refused' in read) throw new Refused(400, read.refused);
      trouble = read.trouble;
    } else if (request.method !== 'GET') throw new Refused(405, 'Use GET or PUT.');
    return { status: 200, json: writeTrouble(trouble) };
  };

  const next = (right: unknown): Rubbish => {
    const kinds = Object.values(NONSENSE);
    return (kinds[rubbish++ % kinds.length] as (typeof kinds)[number])(right);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = readUrl(request.url);
    if (url.pathname === '/control') return send(response, await control(request));
    const aborted = new AbortController();
    response.on('close', () => aborted.abort(new Error('the client disconnected')));
    if (trouble.delayMs > 0) await sleepMs(trouble.delayMs, aborted.signal);
    if (Math.random() < trouble.failRate) return fail(response, failures++);
    const result = await resolveTo(input, { request, url, trouble });
    if (Math.random() >= Number(trouble.nonsense)) return send(response, result);
    if ('lines' in result)
      return sendLines(response, result.lines, (one) => String(next(one).body));
    const made = next(result.json);
    response.writeHead(made.status, made.headers).end(made.body);
  };

  const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
    response.on('error', () => {}); // the client disconnected
    handle(request, response).catch((error) => {
      if (response.headersSent || response.destroyed) return response.destroy();
      const status = error instanceof Refused ? error.status : 500;
      send(response, { status, json: { error: status, message: String(error.message) } });
    });
  });
  await listen(server, input);
  return {
    address: addressOf(server),
    trouble: () => trouble,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, { host, port }: { host: string; port: number }) {
  server.listen(port, host);
  await once(server, 'listening'); // an error before it rejects
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function send(response: ServerResponse, result: FeedResponse): void {
  if ('lines' in result) {
    sendLines(response, result.lines, JSON.stringify);
    return;
  }
  const body = JSON.stringify(result.json);
  // The unread rest of a refused body would be parsed as the next request.
  const more = result.status === 413 ? { connection: 'close' } : {};
  response.writeHead(result.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...more,
  });
  response.end(body);
}

/** The pipeline applies backpressure, and ends the source when the client disconnects. */
function sendLines(
  response: ServerResponse,
  snapshots: AsyncIterable<Snapshot>,
  write: (record: SnapshotJson) => string,
): void {
  async function* lines() {
    for await (const snapshot of snapshots) yield `${write(writeSnapshot(snapshot))}\n`;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  pipeline(Readable.from(lines()), response).catch(() => response.destroy());
}

/** Alternates between a 503 and a cut connection. */
function fail(response: ServerResponse, failureCount: number): void {
  if (failureCount % 2 === 1) response.destroy();
  else
    send(response, {
      status: 503,
      json: { error: 503, message: 'Failing as configured by fail_rate.' },
    });
}

async function resolveTo(
  deps: Deps,
  { request, url, trouble }: { request: IncomingMessage; url: URL; trouble: Trouble },
): Promise<FeedResponse> {
  if (deps.token !== null && request.headers.authorization !== `Bearer ${deps.token}`) {
    throw new Refused(401, 'The header "Authorization: Bearer TOKEN" is missing or wrong.');
  }
  const [, products, code, more, ...rest] = url.pathname.split('/');
  if (products !== 'products' || rest.length > 0) throw new Refused(404, 'No such endpoint.');
  const snapshotOf = (code: string) => troubledSnapshot(deps, code, trouble);
  if (code === 'batch' && more === undefined) {
    if (request.method !== 'POST') throw new Refused(405, 'Use POST for batches.');
    return batch(await readJson(request), snapshotOf);
  }
  if (request.method !== 'GET') throw new Refused(405, 'Use GET.');
  if (code === undefined) {
    const outcome = await deps.source.findByGtin(readGtin(url));
    const codes = outcome.kind === 'codes' ? outcome.codes : [];
    return { status: 200, json: { codes: codes.filter((one) => snapshotOf(one) !== null) } };
  }
  const snapshot = new RegExp(CODE_PATTERN).test(code) ? snapshotOf(code) : null;
  if (snapshot === null) throw new Refused(404, `Product ${code.slice(0, 20)} not found.`);
  if (more === undefined) return { status: 200, json: writeSnapshot(snapshot) };
  if (more !== 'history') throw new Refused(404, 'No such endpoint.');
  const range = {
    fromMs: readTime(url, 'from') ?? HISTORY_START_MS,
    toMs: readTime(url, 'to') ?? deps.clock.nowMs(),
  };
  return { lines: deps.source.history(code, range) };
}

function batch(value: unknown, snapshotOf: (code: string) => Snapshot | null): FeedResponse {
  const codes = (value as { codes?: unknown } | null)?.codes;
  const pattern = new RegExp(CODE_PATTERN);
  const isCode = (code: unknown): code is string => typeof code === 'string' && pattern.test(code);
  if (!Array.isArray(codes) || codes.length > CODES_PER_BATCH_MAX || !codes.every(isCode)) {
    const allowed = `a list of at most ${CODES_PER_BATCH_MAX} texts of 1 to 20 digits`;
    throw new Refused(400, `The body must be {"codes": ${allowed}}.`);
  }
  const items = [...new Set(codes)].map((code) => ({ code, snapshot: snapshotOf(code) }));
  const snapshots = items.flatMap(({ snapshot }) => (snapshot ? [writeSnapshot(snapshot)] : []));
  const missing = items.flatMap(({ code, snapshot }) => (snapshot === null ? [code] : []));
  return { status: 200, json: { snapshots, missing } };
}

/** The current snapshot of a product, with the configured losses applied; null: not listed. */
function troubledSnapshot(
  { source, clock }: Deps,
  code: string,
  trouble: Trouble,
): Snapshot | null {
  const index = indexOfCode(code);
  const snapshot = source.snapshotAt(code, clock.nowMs());
  if (index === null || snapshot === null) return null;
  const fate = mix(TROUBLE_SEED, index);
  if (share(fate, 1) < trouble.lostFraction) return null;
  if (share(fate, 2) >= trouble.emptiedFraction) return snapshot;
  return { ...snapshot, buybox: null, offers: [], offersComplete: true };
}

function readUrl(value: string | undefined): URL {
  // "//x" would be parsed as another host.
  const path = (value ?? '/').replace(/^\/+/, '/');
  const url = URL.canParse(path, 'http://marketplace') ? new URL(path, 'http://marketplace') : null;
  if (url === null) throw new Refused(400, 'The URL is malformed.');
  return url;
}

function readGtin(url: URL): string {
  const gtin = url.searchParams.get('gtin') ?? '';
  if (/^[0-9]{14}$/.test(gtin)) return gtin;
  throw new Refused(400, 'gtin must be 14 digits, with zeros in front.');
}

function readTime(url: URL, name: string): number | null {
  const value = url.searchParams.get(name);
  if (value === null || value === '') return null;
  const ms = readInstant(value);
  if (ms !== null) return clampInstant(ms);
  throw new Refused(400, `${name} must be a time such as 2026-11-14T12:00:00Z.`);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      throw new Refused(413, `The body is larger than ${BODY_BYTES_MAX} bytes.`);
    }
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refused(400, 'The body is not JSON.');
  }
}
