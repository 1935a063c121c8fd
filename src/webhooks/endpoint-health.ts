// The health of a webhook's endpoint, and when the service pauses the webhook.
import { DAY_MS } from '../foundation/time.ts';

/** Machine-readable cause of a pause by the service; the reason says it in words. */
export const PAUSE_CAUSES = ['endpoint_gone', 'endpoint_failing', 'secret_unreadable'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

export type EndpointHealth = {
  status: 'Active' | 'Paused';
  /** Why the service paused the webhook; null when the customer did. */
  pausedReason: string | null;
  pauseCause: PauseCause | null;
  /** On the business clock. Events since then have no delivery. */
  pausedAtMs: number | null;
  /** First failure since the last success. */
  firstFailureAtMs: number | null;
  attemptsSinceSuccess: number;
};

const WITHOUT_SUCCESS_DAYS = 5;
const ATTEMPTS_MIN = 10;
/** Keeps the count within an integer column; no rule needs more. */
const COUNTED_MAX = 1_000_000_000;

/** A success clears the failures. A 410, or failures for five days, pause the webhook. */
export function afterAttempt(
  before: EndpointHealth,
  attempt: { atMs: number; isReceived: boolean; isGone: boolean },
): EndpointHealth {
  if (attempt.isReceived) return { ...before, firstFailureAtMs: null, attemptsSinceSuccess: 0 };
  const firstFailureAtMs = before.firstFailureAtMs ?? attempt.atMs;
  const attemptsSinceSuccess = Math.min(before.attemptsSinceSuccess + 1, COUNTED_MAX);
  const after = { ...before, firstFailureAtMs, attemptsSinceSuccess };
  if (before.status === 'Paused') return after;
  if (attempt.isGone) {
    const pausedReason = 'the endpoint responded with 410: it is gone';
    return pausedBy(after, { pauseCause: 'endpoint_gone', pausedReason, pausedAtMs: attempt.atMs });
  }
  const isLong = attempt.atMs - firstFailureAtMs >= WITHOUT_SUCCESS_DAYS * DAY_MS;
  if (!isLong || attemptsSinceSuccess < ATTEMPTS_MIN) return after;
  const attempts = `${attemptsSinceSuccess} attempts`;
  const pausedReason = `nothing was received for ${WITHOUT_SUCCESS_DAYS} days, in ${attempts}`;
  return pausedBy(after, {
    pauseCause: 'endpoint_failing',
    pausedReason,
    pausedAtMs: attempt.atMs,
  });
}

export type Pause = { pauseCause: PauseCause; pausedReason: string; pausedAtMs: number };

/**
 * A paused webhook stays as it is: a pause by the customer must not end with one by the service.
 */
export function pausedBy<T extends EndpointHealth>(health: T, pause: Pause): T {
  return health.status === 'Paused' ? health : { ...health, status: 'Paused', ...pause };
}

export const NOT_PAUSED = {
  status: 'Active',
  pausedReason: null,
  pauseCause: null,
  pausedAtMs: null,
} as const;
