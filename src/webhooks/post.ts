// Sends one delivery and returns its outcome as a value: every wait and size is bounded, redirects
// are not followed, nothing is thrown. The caller decides what to do about it.
import { LRUCache } from 'lru-cache';
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
  /** The signature headers. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Whether any 2xx counts as received, not only 200 and 201. */
  acceptsAny2xx?: boolean;
  /** From the call to the last byte, including name resolution and connecting. */
  timeoutMs?: number;
};

export type DeliveryOutcome = {
  /** null without a response. */
  status: number | null;
  durationMs: number;
  /** The beginning of the body, at most 2 KB. */
  responseBody: string;
  /** Why it does not count as received; null when it does. */
  reason: string | null;
  retryAfterSeconds: number | null;
  /** The endpoint is gone (410). */
  gone: boolean;
};

export type Poster = ReturnType<typeof createPoster>;

export type PosterOptions = {
  rules: TargetRules;
  /** Further deliveries to the origin wait while their timeout runs: do not send more at once. */
  connectionsPerOriginMax?: number;
  connectMs?: number;
  resolve?: ResolveName;
  ca?: string;
};

/**
 * Receives in this process with status 200: no connection is made, so no rule on targets is needed.
 * No URL of a customer is this one, because theirs must begin with http.
 */
export const BUILT_IN_RECEIVER = 'built-in://receiver';

export const TIMEOUT_MS = 15_000;
const CONNECT_MS = 10_000;
const CONNECTIONS_PER_ORIGIN_MAX = 128;
/** Shorter than most receivers keep a connection: a request on one they just closed would fail. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 60_000;
const HEADER_BYTES_MAX = 16_384;
const BODY_KEPT_BYTES_MAX = 2_048;
/** Reads beyond the kept part, so that the connection can be reused. */
const BODY_READ_BYTES_MAX = 65_536;
const REASON_CHARS_MAX = 300;
const TARGETS_CACHED_MAX = 1_000;

export function createPoster(options: PosterOptions) {
  const { rules, connectMs = CONNECT_MS, resolve, ca } = options;
  const agent = new Agent({
    connect: createCheckedConnect({
      rules,
      connectMs,
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
  const targetOf = cacheTargets(rules);
  return {
    async postDelivery(delivery: Delivery): Promise<DeliveryOutcome> {
      if (delivery.url === BUILT_IN_RECEIVER) return receivedHere(delivery);
      const startMs = monotonicMs();
      const target = targetOf(delivery.url);
      const result =
        'refused' in target
          ? { response: null, error: new ConnectFailure(target.refused) }
          : await send(agent, target.url, delivery);
      return outcomeOf(result, delivery, Math.round(monotonicMs() - startMs));
    },
    /** Aborts open requests. */
    close: (): Promise<void> => agent.destroy(),
  };
}

function receivedHere({ body }: Delivery): DeliveryOutcome {
  return {
    status: 200,
    durationMs: 0,
    responseBody: JSON.stringify({ received_bytes: Buffer.byteLength(body) }),
    reason: null,
    retryAfterSeconds: null,
    gone: false,
  };
}

/** A few targets recur and the rules do not change: saves 6 to 40 µs for each delivery. */
function cacheTargets(rules: TargetRules): (url: string) => ReturnType<typeof readTarget> {
  const targets = new LRUCache<string, ReturnType<typeof readTarget>>({ max: TARGETS_CACHED_MAX });
  return (url) => {
    const cached = targets.get(url);
    if (cached !== undefined) return cached;
    const target = readTarget(url, rules);
    targets.set(url, target);
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

class TimedOut extends Error {}

/** Resolves once: with the response when enough of it has arrived, or with the error before it. */
function send(agent: Agent, url: URL, delivery: Delivery): Promise<Result> {
  const { timeoutMs = TIMEOUT_MS } = delivery;
  return new Promise((resolve) => {
    let response: TargetResponse | null = null;
    let control: Dispatcher.DispatchController | null = null;
    let timedOut: TimedOut | null = null;
    // The first call decides: an error after the status only ends the body.
    const settle = (error: Error | null) => resolve({ response, error });
    const end = (error: Error | null) => {
      clearTimeout(timer);
      settle(error);
    };
    const timer = setTimeout(() => {
      timedOut = new TimedOut(`no response within ${timeoutMs / 1_000} s`);
      control?.abort(timedOut);
      settle(timedOut); // nothing else settles it while it waits for a connection
    }, timeoutMs);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        control = controller;
        if (timedOut !== null) controller.abort(timedOut); // the attempt has ended: send nothing
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        const retryAfter = [headers['retry-after']].flat()[0];
        const retryAfterSeconds = readRetryAfter(retryAfter, realNowMs());
        response = { status, retryAfterSeconds, chunks: [], bytes: 0 };
      },
      onResponseData(controller, chunk) {
        if (response === null) return;
        const left = BODY_KEPT_BYTES_MAX - response.bytes;
        // Copied: a subarray would keep the whole chunk in memory.
        if (left > 0) response.chunks.push(Buffer.from(chunk.subarray(0, left)));
        response.bytes += chunk.length;
        if (response.bytes > BODY_KEPT_BYTES_MAX) settle(null);
        if (response.bytes > BODY_READ_BYTES_MAX)
          controller.abort(new Error('the body is too long'));
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

/** The status decides, not what happens to the body afterwards. */
function outcomeOf(
  { response, error }: Result,
  { acceptsAny2xx = false }: Delivery,
  durationMs: number,
): DeliveryOutcome {
  if (response === null) {
    const reason = reasonFor(error)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .slice(0, REASON_CHARS_MAX);
    // The time name servers took would reveal as much as their response.
    const took = isNameRefused(error) ? 0 : durationMs;
    return { ...NO_RESPONSE, durationMs: took, reason: reason.toWellFormed() };
  }
  const { status, retryAfterSeconds } = response;
  const reason = reasonForStatus(status, acceptsAny2xx);
  return { status, durationMs, reason, retryAfterSeconds, ...restOf(response) };
}

const NO_RESPONSE = { status: null, responseBody: '', retryAfterSeconds: null, gone: false };

function restOf({ status, chunks, bytes }: TargetResponse) {
  return { responseBody: readText(Buffer.concat(chunks), bytes), gone: status === 410 };
}

function reasonForStatus(status: number, acceptsAny2xx: boolean): string | null {
  if (status === 200 || status === 201) return null;
  if (status < 300) {
    return acceptsAny2xx ? null : `responded with ${status}; only 200 and 201 count as received`;
  }
  if (status < 400) return `responded with ${status}; redirects are not followed`;
  if (status === 410) return 'responded with 410; the endpoint is gone';
  return `responded with ${status}`;
}

/** Nothing was dialled. An address in the URL itself is refused earlier. */
const isNameRefused = (error: Error | null): boolean =>
  error instanceof AddressRefused || error instanceof NameUnresolved;

function reasonFor(error: Error | null): string {
  const code = errorCode(error) ?? '';
  if (isNameRefused(error)) return NAME_REFUSED;
  if (error instanceof ConnectFailure || error instanceof TimedOut) return error.message;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'the response headers are too large';
  // "bad response" and "bad upgrade": what cannot follow a POST, such as an unrequested 100 or 101.
  if (error?.name === 'HTTPParserError' || error?.message.startsWith('bad ')) {
    return `the response is not valid HTTP: ${error.message}`;
  }
  if (['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_INFO'].includes(code)) {
    return 'connection closed before a response';
  }
  if (['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'].includes(code)) return 'the service was stopped';
  return error?.message || 'no response';
}

const encoder = new TextEncoder();
const room = new Uint8Array(BODY_KEPT_BYTES_MAX);

/** Text that the database accepts: at most 2 KB, without NUL, no character cut in two. */
function readText(body: Buffer, bytes: number): string {
  const isCut = bytes > body.length;
  // Most bodies are complete and short: creating a decoder takes longer than decoding them.
  const read = isCut ? new TextDecoder().decode(body, { stream: true }) : body.toString('utf8');
  const text = read.replaceAll('\0', '\ufffd');
  // Each byte that was not UTF-8 takes three bytes now.
  if (Buffer.byteLength(text) <= BODY_KEPT_BYTES_MAX) return text;
  return text.slice(0, encoder.encodeInto(text, room).read);
}
