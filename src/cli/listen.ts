// Command listen: a webhook receiver for trials. It prints each delivery and can respond with
// errors.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isoTime, realNowMs } from '../foundation/clock.ts';
import { isWebhookSecret, whyNotVerified } from '../webhooks/signature.ts';
import {
  type Command,
  type Options,
  requiredOption,
  type Say,
  WrongUsage,
  wholeNumber,
} from './command.ts';
import { cannotListen, stopSignal } from './listening.ts';

export const listenCommands: readonly Command[] = [
  {
    name: 'listen',
    words: [],
    usage:
      'listen --port N [--host 127.0.0.1] [--secret S] [--answer STATUS] [--fail-rate 0..1]   (prints deliveries)',
    options: {
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      secret: { type: 'string' },
      answer: { type: 'string', default: '200' },
      'fail-rate': { type: 'string', default: '0' },
    },
    on: 'nothing',
    async run(say, { options }) {
      const settings = readOptions(options);
      const stopped = stopSignal();
      const receiver = await startReceiver({ ...settings, say }).catch((error) => {
        throw cannotListen(error, `${settings.host}:${settings.port}`);
      });
      const { address } = receiver;
      const signatures = settings.secret === null ? 'not checked (no --secret)' : 'checked';
      say({
        json: { address },
        text: `Listening at ${address}; signatures are ${signatures}. Press Ctrl-C to stop.`,
      });
      await stopped;
      await receiver.close();
      const { received } = receiver.counts();
      return { json: { stopped: true, received }, text: `Stopped; received ${received}.` };
    },
  },
];

type ReceiverSettings = {
  host: string;
  port: number;
  secret: string | null;
  /** Status of the response to a delivery with a correct signature. */
  okStatus: number;
  /** Share of deliveries that get 500 instead. */
  failRate: number;
};

function readOptions(options: Options): ReceiverSettings {
  const port = wholeNumber(requiredOption(options, 'port'), '--port', 65_535);
  const okStatus = wholeNumber(requiredOption(options, 'answer'), '--answer', 599);
  if (okStatus < 200) throw new WrongUsage('--answer must be a status from 200 to 599.');
  const rate = requiredOption(options, 'fail-rate');
  if (!/^\d*\.?\d+$/.test(rate) || Number(rate) > 1) {
    throw new WrongUsage('--fail-rate must be a number from 0 to 1.');
  }
  const secret = typeof options.secret === 'string' ? options.secret : null;
  if (secret !== null && !isWebhookSecret(secret)) {
    throw new WrongUsage('--secret must be a webhook secret: whsec_ followed by base64.');
  }
  const host = requiredOption(options, 'host');
  return { host, port, secret, okStatus, failRate: Number(rate) };
}

export type Receiver = {
  /** Such as http://127.0.0.1:9400. */
  address: string;
  counts(): { received: number };
  close(): Promise<void>;
};

/** Our deliveries have at most 2,100 bytes. */
const BODY_BYTES_MAX = 65_536;

export async function startReceiver(
  settings: ReceiverSettings & { say: Say; random?: () => number },
): Promise<Receiver> {
  let received = 0;
  const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
    response.on('error', () => {}); // the sender has disconnected
    receive(settings, request)
      .then(({ status, reason, delivery }) => {
        if (delivery !== null) {
          received++;
          settings.say(delivery);
        }
        reply(response, status, reason);
      })
      .catch(() => response.destroy()); // the sender disconnected while sending
  });
  server.listen(settings.port, settings.host);
  await once(server, 'listening'); // rejects on an earlier error
  const { address, family, port } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    counts: () => ({ received }),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Received = { status: number; reason: string; delivery: Parameters<Say>[0] | null };

async function receive(
  settings: ReceiverSettings & { random?: () => number },
  request: IncomingMessage,
): Promise<Received> {
  if (request.method !== 'POST') {
    return { status: 405, reason: 'Use POST.', delivery: null };
  }
  const body = await readBody(request);
  if (body === null) return { status: 413, reason: 'The body is too large.', delivery: null };
  const { secret, okStatus, failRate, random = Math.random } = settings;
  const nowMs = realNowMs();
  const nowSeconds = Math.floor(nowMs / 1_000);
  const wrong =
    secret === null ? null : whyNotVerified({ headers: request.headers, body, secret, nowSeconds });
  const failing = random() < failRate;
  const status = wrong !== null ? 401 : failing ? 500 : okStatus;
  const reason = wrong ?? (failing ? 'Failed because of --fail-rate.' : 'Received.');
  const signature = secret === null ? 'unchecked' : wrong === null ? 'ok' : `wrong: ${wrong}`;
  const facts = { at: isoTime(nowMs), id: idOf(request), bytes: body.length, signature, status };
  return { status, reason, delivery: formatDelivery(facts, body) };
}

type Facts = { at: string; id: string | null; bytes: number; signature: string; status: number };

function formatDelivery(facts: Facts, body: Buffer): Parameters<Say>[0] {
  const { at, id, bytes, signature, status } = facts;
  const text = body.toString('utf8');
  const parsed = readJson(text);
  const type = (parsed as { type?: unknown } | undefined)?.type;
  const kind = typeof type === 'string' ? type : 'not JSON with a type';
  const head = `${at}  ${kind}  ${id ?? 'no webhook-id'}  ${bytes} bytes  signature ${signature}`;
  return {
    json: {
      received_at: at,
      webhook_id: id,
      type: typeof type === 'string' ? type : null,
      bytes,
      signature,
      responded: status,
      body: parsed === undefined ? text : parsed,
    },
    text: printable(`${head}  responded ${status}\n  ${JSON.stringify(parsed ?? text)}`),
  };
}

/** Replaces control characters, so that a sender cannot control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, '\ufffd');
}

function idOf(request: IncomingMessage): string | null {
  const id = request.headers['webhook-id'];
  return typeof id === 'string' ? id : null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns null when the body is larger than any delivery. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk); // the rest is read and dropped
  }
  return bytes <= BODY_BYTES_MAX ? Buffer.concat(chunks) : null;
}

function reply(response: ServerResponse, status: number, reason: string): void {
  // 204 and 304 have no body. Redirects need no location: our sender does not follow them.
  const body = status === 204 || status === 304 ? '' : `${reason}\n`;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
}
