// How a registration stands with its endpoint, and when the service stops calling it by itself.

export type Standing = {
  status: 'Active' | 'Paused';
  /** Why the service paused it; null when the customer did. */
  pausedReason: string | null;
  /** First failure since the last success. */
  failingSince: number | null;
  attemptsSinceSuccess: number;
};

const DAY_MS = 86_400_000;
const WITHOUT_SUCCESS_DAYS = 5;
const ATTEMPTS_MIN = 10;

/** After an attempt: a success forgets what was; one who is gone, or fails for long, is called no more. */
export function afterAttempt(
  before: Standing,
  attempt: { at: number; isReceived: boolean; isGone: boolean },
): Standing {
  if (attempt.isReceived) return { ...before, failingSince: null, attemptsSinceSuccess: 0 };
  const failingSince = before.failingSince ?? attempt.at;
  const attemptsSinceSuccess = before.attemptsSinceSuccess + 1;
  const after = { ...before, failingSince, attemptsSinceSuccess };
  if (before.status === 'Paused') return after;
  if (attempt.isGone) return paused(after, 'the endpoint answered 410: it is gone');
  const isLong = attempt.at - failingSince >= WITHOUT_SUCCESS_DAYS * DAY_MS;
  return isLong && attemptsSinceSuccess >= ATTEMPTS_MIN
    ? paused(
        after,
        `nothing was received for ${WITHOUT_SUCCESS_DAYS} days, in ${attemptsSinceSuccess} attempts`,
      )
    : after;
}

const paused = (standing: Standing, pausedReason: string): Standing => ({
  ...standing,
  ...{ status: 'Paused', pausedReason },
});
