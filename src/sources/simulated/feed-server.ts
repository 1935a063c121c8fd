// The simulated marketplace as a feed over HTTP, to be tried against and to be troubled while it runs.
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
  /** Ends what is under way, too. */
  close(): Promise<void>;
};

type Deps = { source: SimulatedSource; clock: Clock; token: string | null };
type Answer = { status: number; json: unknown } | { lines: AsyncIterable<Snapshot> };

/** What the caller did wrong, in words. */
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

  const control = async (request: IncomingMessage): Promise<Answer> => {
    if (request.method === 'PUT') {
      const read = readTrouble(await readJson(request), trouble);
      if ('refused' in read) throw new Refused(400, read.refused);
      trouble = read.trouble;
    } else if (request.method !== 'GET') throw new Refused(405, 'Here are GET and PUT.');
    return { status: 200, json: writeTrouble(trouble) };
  };

  const next = (right: unknown): Rubbish => {
    const kinds = Object.values(NONSENSE);
    return (kinds[rubbish++ % kinds.length] as (typeof kinds)[number])(right);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = readUrl(request.url);
    if (url.pathname === '/control') return send(response, await control(request));
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the caller is gone')));
    if (trouble.delayMs > 0) await sleepMs(trouble.delayMs, gone.signal);
    if (Math.random() < trouble.failRate) return fail(response, failures++);
    const answer = await resolveTo(input, { request, url, trouble });
    if (Math.random() >= Number(trouble.nonsense)) return send(response, answer);
    if ('lines' in answer)
      return sendLines(response, answer.lines, (one) => String(next(one).body));
    const made = next(answer.json);
    response.writeHead(made.status, made.headers).end(made.body);
  };

  const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
    response.on('error', () => {}); // the caller is gone
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

function send(response: ServerResponse, answer: Answer): void {
  if ('lines' in answer) {
    sendLines(response, answer.lines, JSON.stringify);
    return;
  }
  const body = JSON.stringify(answer.json);
  // What was not read of a refused request would be taken for the next.
  const more = answer.status === 413 ? { connection: 'close' } : {};
  response.writeHead(answer.status, {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    ...more,
  });
  response.end(body);
}

/** The pipeline makes the source wait for a slow reader, and ends it when the reader is gone. */
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

/** In turn with words and without. */
function fail(response: ServerResponse, nth: number): void {
  if (nth % 2 === 1) response.destroy();
  else send(response, { status: 503, json: { error: 503, message: 'Told to fail.' } });
}

async function resolveTo(
  deps: Deps,
  { request, url, trouble }: { request: IncomingMessage; url: URL; trouble: Trouble },
): Promise<Answer> {
  if (deps.token !== null && request.headers.authorization !== `Bearer ${deps.token}`) {
    throw new Refused(401, 'The header "Authorization: Bearer TOKEN" is missing or wrong.');
  }
  const [, products, code, more, ...rest] = url.pathname.split('/');
  if (products !== 'products' || rest.length > 0) throw new Refused(404, 'There is nothing here.');
  const look = (wanted: string) => lookAt(deps, wanted, trouble);
  if (code === 'batch' && more === undefined) {
    if (request.method !== 'POST') throw new Refused(405, 'Batches are asked for with POST.');
    return batch(await readJson(request), look);
  }
  if (request.method !== 'GET') throw new Refused(405, 'Here is GET only.');
  if (code === undefined) {
    const found = await deps.source.findByGtin(readGtin(url));
    const codes = found.kind === 'codes' ? found.codes : [];
    return { status: 200, json: { codes: codes.filter((one) => look(one) !== null) } };
  }
  const snapshot = new RegExp(CODE_PATTERN).test(code) ? look(code) : null;
  if (snapshot === null) throw new Refused(404, `There is no product ${code.slice(0, 20)}.`);
  if (more === undefined) return { status: 200, json: writeSnapshot(snapshot) };
  if (more !== 'history') throw new Refused(404, 'There is nothing here.');
  const range = {
    fromMs: readTime(url, 'from') ?? HISTORY_START_MS,
    toMs: readTime(url, 'to') ?? deps.clock.nowMs(),
  };
  return { lines: deps.source.history(code, range) };
}

function batch(given: unknown, look: (code: string) => Snapshot | null): Answer {
  const codes = (given as { codes?: unknown } | null)?.codes;
  const pattern = new RegExp(CODE_PATTERN);
  const isCode = (code: unknown): code is string => typeof code === 'string' && pattern.test(code);
  if (!Array.isArray(codes) || codes.length > CODES_PER_BATCH_MAX || !codes.every(isCode)) {
    const allowed = `a list of at most ${CODES_PER_BATCH_MAX} texts of 1 to 20 digits`;
    throw new Refused(400, `The body must be {"codes": ${allowed}}.`);
  }
  const looks = [...new Set(codes)].map((code) => ({ code, snapshot: look(code) }));
  const snapshots = looks.flatMap(({ snapshot }) => (snapshot ? [writeSnapshot(snapshot)] : []));
  const missing = looks.flatMap(({ code, snapshot }) => (snapshot === null ? [code] : []));
  return { status: 200, json: { snapshots, missing } };
}

/** What there is of a product, with what it was told to lose. */
function lookAt({ source, clock }: Deps, code: string, trouble: Trouble): Snapshot | null {
  const index = indexOfCode(code);
  const snapshot = source.snapshotAt(code, clock.nowMs());
  if (index === null || snapshot === null) return null;
  const fate = mix(TROUBLE_SEED, index);
  if (share(fate, 1) < trouble.lostFraction) return null;
  if (share(fate, 2) >= trouble.emptiedFraction) return snapshot;
  return { ...snapshot, buybox: null, offers: [], offersComplete: true };
}

function readUrl(given: string | undefined): URL {
  // "//x" would be read as another host.
  const path = (given ?? '/').replace(/^\/+/, '/');
  const url = URL.canParse(path, 'http://marketplace') ? new URL(path, 'http://marketplace') : null;
  if (url === null) throw new Refused(400, 'The address cannot be read.');
  return url;
}

function readGtin(url: URL): string {
  const gtin = url.searchParams.get('gtin') ?? '';
  if (/^[0-9]{14}$/.test(gtin)) return gtin;
  throw new Refused(400, 'gtin must be 14 digits, with zeros in front.');
}

function readTime(url: URL, name: string): number | null {
  const given = url.searchParams.get(name);
  if (given === null || given === '') return null;
  const ms = readInstant(given);
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
