// How long an observation holds. Every figure weighted by time (statistics, buybox share) uses this
// rule, so that all of them agree on which time was observed and which was not.
import { DAY_SECONDS } from '../foundation/time.ts';

/**
 * An observation holds until the next one of the same value, but at most this long: twice the
 * interval of the widest tier, so that one missed slot leaves no gap. Later time is not observed.
 */
export const OBSERVED_SPAN_SECONDS = 2 * DAY_SECONDS;

/** When the observation of an instant stops holding, exclusive. */
export function heldUntil(
  atSeconds: number,
  nextAtSeconds: number = Number.POSITIVE_INFINITY,
): number {
  return Math.min(nextAtSeconds, atSeconds + OBSERVED_SPAN_SECONDS);
}
