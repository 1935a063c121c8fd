// The source that reads the marketplace's product pages: obeys robots.txt, limits every wait and
// size, and refuses unclear pages. This file has the HTTP part; the rest of the folder works
// without a network.
import { Agent, request } from 'undici';
import { CODE_PATTERN } from '../../catalog/product-code.ts';
import { type Clock, monotonicMs } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { Metrics } from '../../foundation/metrics.ts';
import {
  AddressRefused,
  createCheckedConnect,
  machineAddresses,
  type ResolveName,
  resolveByDns,
} from '../../outbound/checked-connect.ts';
import type { TargetRules } from '../../outbound/target-address.ts';
import type { SharedRate } from '../shared-rate.ts';
import type { FetchOutcome, Source } from '../source.ts';
import { createHostLimiter, type HostLimiter, machineTimer, type Timer } from './host-limiter.ts';
import { addressOf, checkPattern, isHome, nextAddress } from './page-address.ts';
import { type CachedPage, createPageCache, type PageCache } from './page-cache.ts';
import { mapFor, type PageMap } from './page-map.ts';
import {
  asksForPause,
  drop,
  type HttpResponse,
  isRedirect,
  outcomeOfStatus,
  RETRY_MS,
  type Refused,
  readHtml,
  readRobotsResponse,
  refused,
  type Unavailable,
  unavailable,
} from './page-response.ts';
import { ENCODINGS } from './page-text.ts';
import { type PageFacts, readProductPage, snapshotOf } from './product-page.ts';
import { createRobots, ROBOT_NAME, type Robots, type RobotsResponse } from './robots.ts';

const USER_AGENT = `${ROBOT_NAME}/1.0 (product data; honours robots.txt)`;
const REDIRECTS_MAX = 3;

const LIMITS = {
  /**
   * From the call to the response, including the wait for a slot: a paid request waits 10 s in all.
   */
  wholeMs: 9_000,
  connectMs: 3_000,
  headersMs: 5_000,
  /** Longest gap between two chunks of a body. */
  bodyMs: 5_000,
  /** A slot that leaves less time than this for the response is refused at once. */
  responseMs: 1_000,
  robotsMs: 5_000,
  pageBytesMax: 5_000_000,
  /** RFC 9309 requires at least 500 KiB to be read. */
  robotsBytesMax: 512_000,
  /** Pages of one batch in flight or waiting for a slot. */
  pagesAtOnceMax: 4,
  connectionsMax: 8,
  waitingMax: 50,
  pagesCachedMax: 5_000,
} as const;

export type PageSourceOptions = {
  /** The URL of a product's page, with {code}. */
  url: string;
  /** Sent as a bearer token with pages, to the host of `url` only. */
  token?: string | null;
  /** Where hosts keep their product data beside structured data. */
  maps?: readonly PageMap[];
  clock: Clock;
  log: Log;
  metrics?: Pick<Metrics, 'sourceRefused' | 'sourceSeconds'>;
  /** Between the starts of two requests, unless the host's Crawl-delay is longer. */
  delayMs?: number;
  limits?: Partial<Record<keyof typeof LIMITS, number>>;
  timer?: Timer;
  /** The spacing of requests, kept together with other processes. */
  rate?: SharedRate;
  /** Rules for redirects to other hosts; private addresses are refused by default. */
  elsewhereRules?: TargetRules;
  /** DNS by default. */
  resolveName?: ResolveName;
};

export function createPageSource(options: PageSourceOptions): Source {
  checkPattern(options.url);
  const { deps, close } = openWeb(options);
  return {
    name: 'pages',
    async fetchBatch(codes) {
      const outcomes = new Array<FetchOutcome>(codes.length);
      const rest = codes.entries();
      // Each worker takes the next code when it is done, so a batch never fills the limiter's
      // queue.
      const worker = async () => {
        for (const [index, code] of rest) outcomes[index] = await fetchOne(deps, code);
      };
      await Promise.all(Array.from({ length: deps.web.limits.pagesAtOnceMax }, worker));
      return outcomes;
    },
    findByGtin: async () => ({ kind: 'unsupported' }),
    history: () => null,
    close,
  };
}

/** Loads one page as the source would. */
export async function fetchHtml(
  url: string,
  options: Pick<PageSourceOptions, 'clock' | 'log'>,
): Promise<{ html: string } | { reason: string }> {
  const { deps, close } = openWeb({ ...options, url });
  try {
    const page = await loadPage(deps, '0');
    if (page.kind === 'page') return page;
    return { reason: 'reason' in page ? page.reason : `the page is ${page.kind}` };
  } catch (error) {
    return { reason: reasonOf(error) };
  } finally {
    await close();
  }
}

function openWeb(options: PageSourceOptions): { deps: Deps; close(): Promise<void> } {
  const limits = { ...LIMITS, ...options.limits };
  const timer = options.timer ?? machineTimer;
  const { delayMs = 1_000, resolveName = resolveByDns } = options;
  const rules = options.elsewhereRules ?? {
    allowPrivateTargets: false,
    service: { addresses: machineAddresses(), port: 0 },
  };
  const { connectMs } = limits;
  const closing = new AbortController();
  const web: Web = {
    home: addressOf(options.url, '0'),
    rules,
    agent: openAgent(limits, { timeout: connectMs }),
    elsewhere: openAgent(limits, createCheckedConnect({ rules, connectMs, resolve: resolveName })),
    // One limiter for all hosts: a redirect takes a slot wherever it leads.
    limiter: createHostLimiter({
      delayMs,
      waitingMax: limits.waitingMax,
      timer,
      ...(options.rate === undefined ? {} : { rate: options.rate }),
    }),
    timer,
    limits,
    closing: closing.signal,
  };
  const robots = createRobots({ load: (url) => loadRobots(web, url), timer });
  const cache = createPageCache({ max: limits.pagesCachedMax, timer });
  return {
    deps: { ...options, web, robots, cache },
    async close() {
      closing.abort(new Error('the source is closed'));
      await Promise.all([web.agent.destroy(), web.elsewhere.destroy()]);
    },
  };
}

type Limits = Record<keyof typeof LIMITS, number>;
type Web = {
  /** A URL on the operator's host; its path does not matter. */
  home: URL;
  rules: TargetRules;
  /** `agent` is for the operator's host; `elsewhere`, for all others, checks the addresses. */
  agent: Agent;
  elsewhere: Agent;
  limiter: HostLimiter;
  timer: Timer;
  limits: Limits;
  closing: AbortSignal;
};
type Deps = PageSourceOptions & { web: Web; robots: Robots; cache: PageCache };
type Deadline = { deadlineMs: number; signal: AbortSignal };

async function fetchOne(deps: Deps, code: string): Promise<FetchOutcome> {
  if (!new RegExp(CODE_PATTERN).test(code)) return { kind: 'not_found' };
  const startMs = monotonicMs();
  const outcome = await fetchPage(deps, code).catch((error) =>
    error instanceof AddressRefused
      ? refused('redirect', `the page redirects to another host: ${error.message}`)
      : unavailable(reasonOf(error), RETRY_MS.unavailable),
  );
  const seconds = (monotonicMs() - startMs) / 1_000;
  deps.metrics?.sourceSeconds.observe({ source: 'pages', outcome: outcome.kind }, seconds);
  if (outcome.kind !== 'refused') return outcome;
  deps.metrics?.sourceRefused.inc({ source: 'pages', reason: outcome.fault });
  deps.log.debug({ code, fault: outcome.fault, reason: outcome.reason }, 'page refused');
  return { kind: 'bad_response', reason: outcome.reason };
}

async function fetchPage(deps: Deps, code: string): Promise<FetchOutcome | Refused> {
  const { cache, clock } = deps;
  const page = await loadPage(deps, code);
  if (page.kind === 'unchanged') return snapshotFrom(page.facts, clock.nowMs());
  if (page.kind !== 'page') return page;
  const { html, url, redirectedTo, headers } = page;
  const map = mapFor(deps.maps ?? [], url.hostname);
  const facts = readProductPage(html, { code, pattern: deps.url, redirectedTo }, map);
  if ('fault' in facts) return refused(facts.fault, facts.reason);
  const { etag, 'last-modified': lastModified } = headers;
  cache.set(code, url.href, { facts, etag, lastModified });
  return snapshotFrom(facts, clock.nowMs());
}

type LoadedPage = {
  kind: 'page';
  html: string;
  url: URL;
  redirectedTo: string | undefined;
  headers: HttpResponse['headers'];
};

async function loadPage(
  deps: Deps,
  code: string,
): Promise<LoadedPage | { kind: 'unchanged'; facts: PageFacts } | FetchOutcome | Refused> {
  const { web } = deps;
  const followed = await follow(deps, code);
  if ('kind' in followed) return followed;
  const { response, before, url, redirectedTo } = followed;
  if (response.status === 304 && before !== undefined) {
    drop(response.body);
    return { kind: 'unchanged', facts: before.facts };
  }
  if (response.status !== 200) {
    drop(response.body);
    const outcome = outcomeOfStatus(response);
    if (outcome.kind === 'unavailable' && asksForPause(response)) {
      web.limiter.pause(outcome.retryAfterMs ?? 0);
    }
    return outcome;
  }
  const html = await readHtml(response, web.limits.pageBytesMax);
  if (typeof html !== 'string') return html;
  return { kind: 'page', html, url, redirectedTo, headers: response.headers };
}

function snapshotFrom(facts: PageFacts, observedAtMs: number): FetchOutcome | Refused {
  const read = snapshotOf(facts, observedAtMs);
  if ('refused' in read) return refused('unsound', read.refused);
  return { kind: 'snapshot', snapshot: read.snapshot };
}

/** Follows redirects; returns the first other response and its URL. */
async function follow({ url: pattern, token, web, robots, cache }: Deps, code: string) {
  const deadline = timeFor(web, web.limits.wholeMs);
  let url = addressOf(pattern, code);
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    const verdict = await robots.verdict(url);
    if (verdict.kind === 'unreachable') {
      return unavailable(`robots.txt cannot be read: ${verdict.reason}`, verdict.retryAfterMs);
    }
    if (verdict.kind === 'disallowed') {
      return refused('robots', 'robots.txt does not allow this page');
    }
    web.limiter.setDelay(verdict.crawlDelayMs);
    const before = cache.get(code, url.href);
    const headers = pageHeaders(isHome(url, web.home) ? token : null, before);
    const response = await get(web, { url, headers }, deadline);
    if ('kind' in response) return response;
    if (!isRedirect(response.status)) {
      return { response, before, url, redirectedTo: hops === 0 ? undefined : url.href };
    }
    drop(response.body);
    const next = nextAddress(url, response.headers.location, web);
    if ('refused' in next) return refused('redirect', `the page has ${next.refused}`);
    url = next.url;
  }
  return refused('redirect', `more than ${REDIRECTS_MAX} redirects`);
}

async function loadRobots(web: Web, robotsUrl: string): Promise<RobotsResponse> {
  const deadline = timeFor(web, web.limits.robotsMs);
  try {
    let url = new URL(robotsUrl);
    for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
      const response = await get(web, { url, headers: {} }, deadline);
      if ('kind' in response) return { ...response, kind: 'unreachable' };
      if (!isRedirect(response.status)) {
        return await readRobotsResponse(response, web.limits.robotsBytesMax);
      }
      drop(response.body);
      const next = nextAddress(url, response.headers.location, web);
      if ('refused' in next) return { kind: 'unreachable', reason: next.refused };
      url = next.url;
    }
    return { kind: 'unreachable', reason: 'too many redirects' };
  } catch (error) {
    // Forbidden, not unreachable: every page that redirects there is refused.
    if (error instanceof AddressRefused) throw error;
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
}

function timeFor({ timer, closing }: Web, ms: number): Deadline {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(ms)]);
  return { deadlineMs: timer.nowMs() + ms, signal };
}

type HttpRequest = { url: URL; headers: Record<string, string> };

/** Sends a request in its slot; retries once if the connection was reset before a response. */
async function get(
  web: Web,
  httpRequest: HttpRequest,
  deadline: Deadline,
): Promise<HttpResponse | Unavailable> {
  for (let attempt = 1; ; attempt++) {
    const waitMaxMs = deadline.deadlineMs - web.timer.nowMs() - web.limits.responseMs;
    const admission = await web.limiter.acquire(waitMaxMs, deadline.signal);
    if (admission.kind === 'later')
      return unavailable('too many requests to this host are waiting', admission.retryAfterMs);
    try {
      const agent = isHome(httpRequest.url, web.home) ? web.agent : web.elsewhere;
      return await sendRequest(agent, httpRequest, deadline.signal);
    } catch (error) {
      if (attempt > 1 || !isReset(error) || deadline.signal.aborted) throw error;
    }
  }
}

async function sendRequest(
  agent: Agent,
  httpRequest: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const response = await request(httpRequest.url, {
    dispatcher: agent,
    headers: { 'user-agent': USER_AGENT, 'accept-encoding': ENCODINGS, ...httpRequest.headers },
    signal,
  });
  const headers = Object.entries(response.headers).map(([name, value]) => [
    name,
    String(value ?? ''),
  ]);
  return { status: response.statusCode, headers: Object.fromEntries(headers), body: response.body };
}

/** `connect` decides which address is dialled. */
function openAgent(limits: Limits, connect: NonNullable<Agent.Options['connect']>): Agent {
  return new Agent({
    connect,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    connections: limits.connectionsMax,
    allowH2: false,
  });
}

function pageHeaders(token: string | null | undefined, before: CachedPage | undefined) {
  return {
    accept: 'text/html,application/xhtml+xml',
    'accept-language': 'en-US,en;q=0.8',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(before?.etag === undefined ? {} : { 'if-none-match': before.etag }),
    ...(before?.lastModified === undefined ? {} : { 'if-modified-since': before.lastModified }),
  };
}

function isReset(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code);
}

function reasonOf(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === 'TimeoutError') return 'no response in time';
  return [code, message].filter((part) => part !== undefined && part !== '').join(': ');
}
