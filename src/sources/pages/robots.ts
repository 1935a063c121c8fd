// Caches what each host's robots.txt allows (RFC 9309). A missing file allows everything; an
// unreachable one forbids everything for now.
import { LRUCache } from 'lru-cache';
import robotsParser from 'robots-parser';
import { createSingleFlight } from '../../foundation/single-flight.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../foundation/time.ts';
import type { Timer } from './host-limiter.ts';

/** The user agent that robots.txt may name. */
export const ROBOT_NAME = 'Oversight';

export type RobotsResponse =
  | { kind: 'rules'; text: string }
  | { kind: 'none' }
  | { kind: 'unreachable'; reason: string; retryAfterMs?: number | undefined };

export type RobotsVerdict =
  | { kind: 'allowed' | 'disallowed'; crawlDelayMs: number }
  | { kind: 'unreachable'; reason: string; retryAfterMs: number };

/** Rules are reloaded after this; while that fails, the old rules stay in force for a day. */
const FRESH_MS = HOUR_MS;
const STALE_MAX_MS = DAY_MS;
/** An unreachable robots.txt is requested again after this. */
const RETRY_MS = 30 * SECOND_MS;
const ORIGINS_MAX = 100;

export type Robots = ReturnType<typeof createRobots>;

type Rules = { allows(url: string): boolean; crawlDelayMs: number };
type CachedRules = { rules: Rules; readMs: number; checkedMs: number };
type Failure = { reason: string; untilMs: number };

export function createRobots(deps: {
  load: (robotsUrl: string) => Promise<RobotsResponse>;
  timer: Timer;
}) {
  const cachedRules = new LRUCache<string, CachedRules>({ max: ORIGINS_MAX });
  const failures = new LRUCache<string, Failure>({ max: ORIGINS_MAX });
  const loads = createSingleFlight<RobotsResponse>();

  /** Concurrent requests for one origin share one load. */
  const load = (origin: string): Promise<RobotsResponse> =>
    loads.run(origin, () => deps.load(`${origin}/robots.txt`));

  /** The rules in force now, or why there are none. */
  const rulesOf = async (origin: string): Promise<Rules | Failure> => {
    const before = cachedRules.get(origin);
    const startMs = deps.timer.nowMs();
    if (before !== undefined && startMs - before.checkedMs < FRESH_MS) return before.rules;
    const failure = failures.get(origin);
    if (failure !== undefined && startMs < failure.untilMs) return failure;
    const response = await load(origin);
    const nowMs = deps.timer.nowMs();
    if (response.kind !== 'unreachable') {
      const rules = response.kind === 'none' ? NO_RULES : readRobots(origin, response.text);
      cachedRules.set(origin, { rules, readMs: nowMs, checkedMs: nowMs });
      failures.delete(origin);
      return rules;
    }
    if (before !== undefined && nowMs - before.readMs < STALE_MAX_MS) {
      // Checked again after RETRY_MS, not for every page.
      cachedRules.set(origin, { ...before, checkedMs: nowMs - FRESH_MS + RETRY_MS });
      return before.rules;
    }
    const untilMs = nowMs + Math.max(RETRY_MS, Math.min(response.retryAfterMs ?? 0, FRESH_MS));
    failures.set(origin, { reason: response.reason, untilMs });
    return { reason: response.reason, untilMs };
  };

  return {
    async verdict(url: URL): Promise<RobotsVerdict> {
      const rules = await rulesOf(url.origin);
      if ('reason' in rules) {
        const retryAfterMs = Math.max(0, Math.ceil(rules.untilMs - deps.timer.nowMs()));
        return { kind: 'unreachable', reason: rules.reason, retryAfterMs };
      }
      const kind = rules.allows(url.href) ? 'allowed' : 'disallowed';
      return { kind, crawlDelayMs: rules.crawlDelayMs };
    },
  };
}

// The package exports the function itself; its types describe a default export of it.
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

const NO_RULES: Rules = { allows: () => true, crawlDelayMs: 0 };

export function readRobots(origin: string, text: string): Rules {
  const parsed = parseRobots(`${origin}/robots.txt`, text.replace(/^\uFEFF/, ''));
  const delaySeconds = parsed.getCrawlDelay(ROBOT_NAME) ?? 0;
  return {
    allows: (url) => parsed.isAllowed(url, ROBOT_NAME) ?? false,
    crawlDelayMs: delaySeconds > 0 && Number.isFinite(delaySeconds) ? delaySeconds * 1000 : 0,
  };
}
