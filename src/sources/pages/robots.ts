// What a host's robots.txt allows, remembered for a while (RFC 9309): none is a yes, an unreachable one
// is a no for now.
import robotsParser from 'robots-parser';
import type { Timer } from './host-limiter.ts';

/** The name that robots.txt may address. */
export const ROBOT_NAME = 'Oversight';

/** What asking for a robots.txt gave. */
export type RobotsResponse =
  | { kind: 'rules'; text: string }
  | { kind: 'none' }
  | { kind: 'away'; reason: string; retryAfterMs?: number | undefined };

export type RobotsVerdict =
  | { kind: 'allowed' | 'disallowed'; crawlDelayMs: number }
  | { kind: 'away'; reason: string; retryAfterMs: number };

/** Rules are asked for again after this; while that fails, the old ones stand for a day. */
const FRESH_MS = 3_600_000;
const STALE_MAX_MS = 24 * 3_600_000;
/** A host without a reachable robots.txt is asked again after this. */
const AWAY_MS = 30_000;
const ORIGINS_MAX = 100;

export type Robots = { verdict(url: URL): Promise<RobotsVerdict> };

type Rules = { allows(url: string): boolean; crawlDelayMs: number };
type Known = { rules: Rules; readMs: number; checkedMs: number };

export function createRobots(deps: {
  load: (robotsUrl: string) => Promise<RobotsResponse>;
  timer: Timer;
}): Robots {
  const known = new Map<string, Known>();
  const away = new Map<string, { reason: string; untilMs: number }>();
  const underWay = new Map<string, Promise<RobotsResponse>>();

  const asked = (origin: string): Promise<RobotsResponse> => {
    const begun = underWay.get(origin);
    if (begun !== undefined) return begun;
    const load = deps.load(`${origin}/robots.txt`).finally(() => underWay.delete(origin));
    underWay.set(origin, load);
    return load;
  };

  /** The rules that stand now, or why there are none. */
  const current = async (origin: string): Promise<Rules | { reason: string; untilMs: number }> => {
    const before = known.get(origin);
    const startMs = deps.timer.nowMs();
    if (before !== undefined && startMs - before.checkedMs < FRESH_MS) return before.rules;
    const failed = away.get(origin);
    if (failed !== undefined && startMs < failed.untilMs) return failed;
    const response = await asked(origin);
    const nowMs = deps.timer.nowMs();
    if (response.kind !== 'away') {
      const rules = response.kind === 'none' ? NO_RULES : readRobots(origin, response.text);
      if (known.size >= ORIGINS_MAX) known.clear();
      known.set(origin, { rules, readMs: nowMs, checkedMs: nowMs });
      away.delete(origin);
      return rules;
    }
    if (before !== undefined && nowMs - before.readMs < STALE_MAX_MS) {
      // Looked at again after the short time, not at every page.
      known.set(origin, { ...before, checkedMs: nowMs - FRESH_MS + AWAY_MS });
      return before.rules;
    }
    const untilMs = nowMs + Math.max(AWAY_MS, Math.min(response.retryAfterMs ?? 0, FRESH_MS));
    if (away.size >= ORIGINS_MAX) away.clear();
    away.set(origin, { reason: response.reason, untilMs });
    return { reason: response.reason, untilMs };
  };

  return {
    async verdict(url) {
      const rules = await current(url.origin);
      if ('reason' in rules) {
        const retryAfterMs = Math.max(0, Math.ceil(rules.untilMs - deps.timer.nowMs()));
        return { kind: 'away', reason: rules.reason, retryAfterMs };
      }
      const kind = rules.allows(url.href) ? 'allowed' : 'disallowed';
      return { kind, crawlDelayMs: rules.crawlDelayMs };
    },
  };
}

// The package exports the function itself, its types describe a default export of it.
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

const NO_RULES: Rules = { allows: () => true, crawlDelayMs: 0 };

export function readRobots(origin: string, text: string): Rules {
  const parsed = parseRobots(`${origin}/robots.txt`, text.replace(/^\uFEFF/, ''));
  const delay = parsed.getCrawlDelay(ROBOT_NAME) ?? 0;
  return {
    allows: (url) => parsed.isAllowed(url, ROBOT_NAME) ?? false,
    crawlDelayMs: delay > 0 && Number.isFinite(delay) ? delay * 1000 : 0,
  };
}
