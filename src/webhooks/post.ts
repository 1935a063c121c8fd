// Sends one delivery and says what came of it, as a value: every wait and size is bounded, redirects are not
// followed, nothing is thrown. What is done about it is the caller's.
import { Agent, type Dispatcher } from 'undici';
import { monotonicMs, realNowMs } from '../foundation/clock.ts';
import { errorCode } from '../foundation/kept-text.ts';
import {
  AddressRefused,
  ConnectFailure,
  createCheckedConnect,
  NAME_REFUSED,
  NameUnresolved,
  type ResolveName,
} from '../outbound/checked-connect.ts';
import { readTarget, type TargetRules } from '../outbound/target-address.ts';
import { readRetryAfter } from './retry-schedule.ts';

export type Delivery = {
  url: string;
  /** Those of the signature. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** From the call, name and connection included, to the last byte. */
  timeoutMs?: number;
};

export type DeliveryOutcome = {
  /** Null when no answer came. */
  status: number | null;
  durationMs: number;
  /** Its beginning, at most 2 KB. */
  responseBody: string;
  /** Why it does not count as received, in words; null when it does. */
  reason: string | null;
  retryAfterSeconds: number | null;
  /** The receiver asks never to be called again (410). */
  gone: boolean;
};

export type Poster = {
  postDelivery(delivery: Delivery): Promise<DeliveryOutcome>;
  /** Ends what is under way. */
  close(): Promise<void>;
};

export type PosterOptions = {
  rules: TargetRules;
  /** Deliveries to one origin beyond this wait, and their time runs: send no more at once. */
  connectionsPerOriginMax?: number;
  connectMs?: number;
  resolve?: ResolveName;
  ca?: string;
};

export const TIMEOUT_MS = 15_000;
const CONNECT_MS = 10_000;
const CONNECTIONS_PER_ORIGIN_MAX = 128;
/** Shorter than most receivers keep a connection: a delivery on one just closed by them would fail. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 60_000;
const HEADER_BYTES_MAX = 16_384;
const KEPT_BYTES_MAX = 2_048;
/** Read beyond what is kept, so that the connection can be used again. */
const READ_BYTES_MAX = 65_536;
const REASON_CHARS_MAX = 300;
const TARGETS_REMEMBERED_MAX = 1_000;

export function createPoster(options: PosterOptions): Poster {
  const { rules, connectMs = CONNECT_MS, resolve, ca } = options;
  const agent = new Agent({
    connect: createCheckedConnect({
      ...{ rules, connectMs },
      ...(resolve === undefined ? {} : { resolve }),
      ...(ca === undefined ? {} : { ca }),
    }),
    connections: options.connectionsPerOriginMax ?? CONNECTIONS_PER_ORIGIN_MAX,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
    // One timer for the whole delivery instead.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
  const targetOf = rememberTargets(rules);
  return {
    async postDelivery(delivery) {
      const startMs = monotonicMs();
      const target = targetOf(delivery.url);
      const result =
        'refused' in target
          ? { response: null, error: new ConnectFailure(target.refused) }
          : await send(agent, target.url, delivery);
      return outcomeOf(result, Math.round(monotonicMs() - startMs));
    },
    close: () => agent.destroy(),
  };
}

/** The same few targets come again and again, and the rules stay: 6 to 40 µs less for each delivery. */
function rememberTargets(rules: TargetRules): (url: string) => ReturnType<typeof readTarget> {
  const known = new Map<string, ReturnType<typeof readTarget>>();
  return (url) => {
    const before = known.get(url);
    if (before !== undefined) return before;
    if (known.size >= TARGETS_REMEMBERED_MAX) known.clear();
    const target = readTarget(url, rules);
    known.set(url, target);
    return target;
  };
}

type TargetResponse = {
  status: number;
  retryAfterSeconds: number | null;
  chunks: Buffer[];
  bytes: number;
};
type Result = { response: TargetResponse | null; error: Error | null };

class TooLate extends Error {}

/** Settles once: with the answer when enough of it came, or with what went wrong before one came. */
function send(agent: Agent, url: URL, delivery: Delivery): Promise<Result> {
  const { timeoutMs = TIMEOUT_MS } = delivery;
  return new Promise((resolve) => {
    let response: TargetResponse | null = null;
    let control: Dispatcher.DispatchController | null = null;
    let late: TooLate | null = null;
    // The first call decides; an error after the status is known only ends the body.
    const settle = (error: Error | null) => resolve({ response, error });
    const end = (error: Error | null) => {
      clearTimeout(timer);
      settle(error);
    };
    const timer = setTimeout(() => {
      late = new TooLate(`no answer within ${timeoutMs / 1_000} s`);
      control?.abort(late);
      settle(late); // nothing else would come while it waits for a connection
    }, timeoutMs);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        control = controller;
        if (late !== null) controller.abort(late); // its attempt is over: nothing may go out
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        const retryAfter = [headers['retry-after']].flat()[0];
        const retryAfterSeconds = readRetryAfter(retryAfter, realNowMs());
        response = { status, retryAfterSeconds, chunks: [], bytes: 0 };
      },
      onResponseData(controller, chunk) {
        if (response === null) return;
        const left = KEPT_BYTES_MAX - response.bytes;
        // Copied: a part of the chunk would hold all of it.
        if (left > 0) response.chunks.push(Buffer.from(chunk.subarray(0, left)));
        response.bytes += chunk.length;
        if (response.bytes > KEPT_BYTES_MAX) settle(null);
        if (response.bytes > READ_BYTES_MAX) controller.abort(new Error('the rest is not wanted'));
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, error) => end(error),
    };
    try {
      agent.dispatch({ ...requestTo(url), ...withBody(delivery) }, handler);
    } catch (error) {
      end(error as Error);
    }
  });
}

function requestTo(url: URL) {
  return { origin: url.origin, path: url.pathname + url.search, method: 'POST' as const };
}

function withBody({ headers, body }: Delivery) {
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Oversight-Webhooks/1.0',
      ...headers,
    },
    body,
  };
}

/** The status decides; what becomes of the body afterwards does not. */
function outcomeOf({ response, error }: Result, durationMs: number): DeliveryOutcome {
  if (response === null) {
    const reason = reasonFor(error)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .slice(0, REASON_CHARS_MAX);
    // How long name servers took would tell as much as what they said.
    const took = isNameRefused(error) ? 0 : durationMs;
    return { ...NO_RESPONSE, durationMs: took, reason: reason.toWellFormed() };
  }
  const { status, retryAfterSeconds } = response;
  const reason = reasonForStatus(status);
  return { ...{ status, durationMs, reason, retryAfterSeconds }, ...restOf(response) };
}

const NO_RESPONSE = { status: null, responseBody: '', retryAfterSeconds: null, gone: false };

function restOf({ status, chunks, bytes }: TargetResponse) {
  return { responseBody: readText(Buffer.concat(chunks), bytes), gone: status === 410 };
}

function reasonForStatus(status: number): string | null {
  if (status === 200 || status === 201) return null;
  if (status < 300) return `answered ${status}; only 200 and 201 count as received`;
  if (status < 400) return `answered ${status}; redirects are not followed`;
  if (status === 410) return 'answered 410; the endpoint is gone';
  return `answered ${status}`;
}

/** Nothing was dialled: an address in the URL itself is judged before. */
const isNameRefused = (error: Error | null): boolean =>
  error instanceof AddressRefused || error instanceof NameUnresolved;

function reasonFor(error: Error | null): string {
  const code = errorCode(error) ?? '';
  if (isNameRefused(error)) return NAME_REFUSED;
  if (error instanceof ConnectFailure || error instanceof TooLate) return error.message;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'the headers of the answer are too large';
  // "bad response" and "bad upgrade": what cannot follow a POST, such as 100 or 101 unasked.
  if (error?.name === 'HTTPParserError' || error?.message.startsWith('bad ')) {
    return `the answer is not valid HTTP: ${error.message}`;
  }
  if (['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_INFO'].includes(code)) {
    return 'connection closed before an answer';
  }
  if (['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'].includes(code)) return 'the service was stopped';
  return error?.message || 'no answer';
}

const encoder = new TextEncoder();
const room = new Uint8Array(KEPT_BYTES_MAX);

/** As text that a database takes: at most 2 KB, without NUL, no character cut in two. */
function readText(kept: Buffer, bytes: number): string {
  const isCut = bytes > kept.length;
  // Most answers are whole and short: making a decoder for each takes longer than reading it.
  const read = isCut ? new TextDecoder().decode(kept, { stream: true }) : kept.toString('utf8');
  const text = read.replaceAll('\0', '\ufffd');
  // What is not UTF-8 is three bytes for each byte now.
  if (Buffer.byteLength(text) <= KEPT_BYTES_MAX) return text;
  return text.slice(0, encoder.encodeInto(text, room).read);
}
