// Reads products from the marketplace's own pages: polite, bounded in time and size, and strict about
// what a page says. Everything that is not HTTP lies in page-source/.
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
import type { FetchOutcome, Source } from '../source.ts';
import { createHostLimiter, type HostLimiter, machineTimer, type Timer } from './host-limiter.ts';
import { createKeptPages, type KeptPage, type KeptPages } from './kept-pages.ts';
import { addressOf, checkPattern, isHome, nextAddress } from './page-address.ts';
import {
  type Answer,
  type Away,
  away,
  drop,
  isRedirect,
  isRestAsked,
  outcomeOfStatus,
  RETRY_MS,
  type Refused,
  readHtml,
  readRobotsResponse,
  refused,
} from './page-response.ts';
import { ENCODINGS } from './page-text.ts';
import { type PageFacts, readProductPage, snapshotOf } from './product-page.ts';
import { createRobots, ROBOT_NAME, type Robots, type RobotsResponse } from './robots.ts';

const USER_AGENT = `${ROBOT_NAME}/1.0 (product data; honours robots.txt)`;
const REDIRECTS_MAX = 3;

const LIMITS = {
  /** From the call to the answer, waiting for a turn included: a paid request waits 10 s in all. */
  wholeMs: 9_000,
  connectMs: 3_000,
  headersMs: 5_000,
  /** Between two pieces of a body. */
  bodyMs: 5_000,
  /** A turn that leaves less than this for the answer is not waited for. */
  responseMs: 1_000,
  robotsMs: 5_000,
  pageBytesMax: 5_000_000,
  /** As much of a robots.txt as RFC 9309 wants to be read at least. */
  robotsBytesMax: 512_000,
  /** Pages of one batch under way or waiting for a turn. */
  pagesAtOnceMax: 4,
  connectionsMax: 8,
  waitingMax: 50,
  pagesKeptMax: 5_000,
} as const;

export type PageSourceOptions = {
  /** The address of a product's page, with {code}. */
  url: string;
  /** Sent as a bearer token with pages, to the host of `url` only. */
  token?: string | null;
  clock: Clock;
  log: Log;
  metrics?: Pick<Metrics, 'sourceRefused' | 'sourceSeconds'>;
  /** Between the starts of two requests; the host's Crawl-delay when that is longer. */
  delayMs?: number;
  limits?: Partial<Record<keyof typeof LIMITS, number>>;
  timer?: Timer;
  /** Where redirects to other hosts may lead; nowhere private unless said. */
  elsewhereRules?: TargetRules;
  /** Name servers unless said. */
  resolveName?: ResolveName;
};

export function createPageSource(options: PageSourceOptions): Source {
  checkPattern(options.url);
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
    // One for all hosts: a redirect takes a turn wherever it leads.
    limiter: createHostLimiter({ delayMs, waitingMax: limits.waitingMax, timer }),
    timer,
    limits,
    closing: closing.signal,
  };
  const robots = createRobots({ load: (url) => loadRobots(web, url), timer });
  const kept = createKeptPages({ max: limits.pagesKeptMax, timer });
  const deps: Deps = { ...options, web, robots, kept };

  return {
    name: 'pages',
    async fetchBatch(codes) {
      const outcomes = new Array<FetchOutcome>(codes.length);
      const left = codes.entries();
      // Each takes the next code when it is done: a batch never fills the queue for a turn.
      const walk = async () => {
        for (const [index, code] of left) outcomes[index] = await fetchOne(deps, code);
      };
      await Promise.all(Array.from({ length: limits.pagesAtOnceMax }, walk));
      return outcomes;
    },
    findByGtin: async () => ({ kind: 'unsupported' }),
    history: () => null,
    async close() {
      closing.abort(new Error('the source is closed'));
      await Promise.all([web.agent.destroy(), web.elsewhere.destroy()]);
    },
  };
}

type Limits = Record<keyof typeof LIMITS, number>;
type Web = {
  /** Some address of the host that the operator chose; of its path nothing is meant. */
  home: URL;
  rules: TargetRules;
  /** To that host, wherever it is; and to all others, at addresses that are checked. */
  agent: Agent;
  elsewhere: Agent;
  limiter: HostLimiter;
  timer: Timer;
  limits: Limits;
  closing: AbortSignal;
};
type Deps = PageSourceOptions & { web: Web; robots: Robots; kept: KeptPages };
type Within = { deadlineMs: number; signal: AbortSignal };

async function fetchOne(deps: Deps, code: string): Promise<FetchOutcome> {
  if (!new RegExp(CODE_PATTERN).test(code)) return { kind: 'not_found' };
  const startMs = monotonicMs();
  const outcome = await look(deps, code).catch((error) =>
    error instanceof AddressRefused
      ? refused('redirect', `the page leads to another host: ${error.message}`)
      : away(reasonOf(error), RETRY_MS.away),
  );
  const seconds = (monotonicMs() - startMs) / 1_000;
  deps.metrics?.sourceSeconds.observe({ source: 'pages', outcome: outcome.kind }, seconds);
  if (outcome.kind !== 'refused') return outcome;
  deps.metrics?.sourceRefused.inc({ source: 'pages', reason: outcome.fault });
  deps.log.debug({ code, fault: outcome.fault, reason: outcome.reason }, 'page refused');
  return { kind: 'bad_answer', reason: outcome.reason };
}

async function look(deps: Deps, code: string): Promise<FetchOutcome | Refused> {
  const { web, kept, clock } = deps;
  const found = await follow(deps, code);
  if ('kind' in found) return found;
  const { response, before, url, ledTo } = found;
  if (response.status === 304 && before !== undefined) {
    drop(response.body);
    return snapshotFrom(before.facts, clock.nowMs());
  }
  if (response.status !== 200) {
    drop(response.body);
    const outcome = outcomeOfStatus(response);
    if (outcome.kind === 'unavailable' && isRestAsked(response)) {
      web.limiter.pause(outcome.retryAfterMs ?? 0);
    }
    return outcome;
  }
  const html = await readHtml(response, web.limits.pageBytesMax);
  if (typeof html !== 'string') return html;
  const facts = readProductPage(html, { code, pattern: deps.url, ledTo });
  if ('fault' in facts) return refused(facts.fault, facts.reason);
  const { etag, 'last-modified': lastModified } = response.headers;
  kept.set(code, url.href, { facts, etag, lastModified });
  return snapshotFrom(facts, clock.nowMs());
}

function snapshotFrom(facts: PageFacts, observedAtMs: number): FetchOutcome | Refused {
  const read = snapshotOf(facts, observedAtMs);
  if ('refused' in read) return refused('unsound', read.refused);
  return { kind: 'snapshot', snapshot: read.snapshot };
}

/** The first answer that is no redirect, and the address that gave it. */
async function follow({ url: pattern, token, web, robots, kept }: Deps, code: string) {
  const within = timeFor(web, web.limits.wholeMs);
  let url = addressOf(pattern, code);
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    const verdict = await robots.verdict(url);
    if (verdict.kind === 'away') {
      return away(`robots.txt cannot be read: ${verdict.reason}`, verdict.retryAfterMs);
    }
    if (verdict.kind === 'disallowed') {
      return refused('robots', 'robots.txt does not allow this page');
    }
    web.limiter.setDelay(verdict.crawlDelayMs);
    const before = kept.get(code, url.href);
    const headers = pageHeaders(isHome(url, web.home) ? token : null, before);
    const response = await get(web, { url, headers }, within);
    if ('kind' in response) return response;
    if (!isRedirect(response.status)) {
      return { response, before, url, ledTo: hops === 0 ? undefined : url.href };
    }
    drop(response.body);
    const next = nextAddress(url, response.headers.location, web);
    if ('refused' in next) return refused('redirect', `the page answers with ${next.refused}`);
    url = next.url;
  }
  return refused('redirect', `more than ${REDIRECTS_MAX} redirects`);
}

async function loadRobots(web: Web, robotsUrl: string): Promise<RobotsResponse> {
  const within = timeFor(web, web.limits.robotsMs);
  try {
    let url = new URL(robotsUrl);
    for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
      const response = await get(web, { url, headers: {} }, within);
      if ('kind' in response) return { ...response, kind: 'away' };
      if (!isRedirect(response.status)) {
        return await readRobotsResponse(response, web.limits.robotsBytesMax);
      }
      drop(response.body);
      const next = nextAddress(url, response.headers.location, web);
      if ('refused' in next) return { kind: 'away', reason: next.refused };
      url = next.url;
    }
    return { kind: 'away', reason: 'too many redirects' };
  } catch (error) {
    // Not away but forbidden, and the same at every page that leads there.
    if (error instanceof AddressRefused) throw error;
    return { kind: 'away', reason: reasonOf(error) };
  }
}

function timeFor({ timer, closing }: Web, ms: number): Within {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(ms)]);
  return { deadlineMs: timer.nowMs() + ms, signal };
}

type Asking = { url: URL; headers: Record<string, string> };

/** One request in its turn; once more when the connection was cut before an answer came. */
async function get(web: Web, asking: Asking, within: Within): Promise<Answer | Away> {
  for (let attempt = 1; ; attempt++) {
    const waitMaxMs = within.deadlineMs - web.timer.nowMs() - web.limits.responseMs;
    const turn = await web.limiter.turn(waitMaxMs, within.signal);
    if (turn.kind === 'later') return away('its turn would come too late', turn.retryAfterMs);
    try {
      const agent = isHome(asking.url, web.home) ? web.agent : web.elsewhere;
      return await ask(agent, asking, within.signal);
    } catch (error) {
      if (attempt > 1 || !isReset(error) || within.signal.aborted) throw error;
    }
  }
}

async function ask(agent: Agent, asking: Asking, signal: AbortSignal): Promise<Answer> {
  const response = await request(asking.url, {
    dispatcher: agent,
    headers: { 'user-agent': USER_AGENT, 'accept-encoding': ENCODINGS, ...asking.headers },
    signal,
  });
  const single = Object.entries(response.headers).map(([name, value]) => [
    name,
    String(value ?? ''),
  ]);
  return { status: response.statusCode, headers: Object.fromEntries(single), body: response.body };
}

/** Its `connect` decides what is dialled. */
function openAgent(limits: Limits, connect: NonNullable<Agent.Options['connect']>): Agent {
  return new Agent({
    connect,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    connections: limits.connectionsMax,
    allowH2: false,
  });
}

function pageHeaders(token: string | null | undefined, before: KeptPage | undefined) {
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
  if (name === 'TimeoutError') return 'it did not answer in time';
  return [code, message].filter((part) => part !== undefined && part !== '').join(': ');
}
