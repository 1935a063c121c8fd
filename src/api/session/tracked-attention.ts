// Whether a tracked product needs its customer, and why, in one sentence: the most urgent reason only.
import type { ShelfAsOf } from '../../history/as-of.ts';
import { isoTime } from '../wire.ts';

const FAILURES_MIN = 3;

export function needsAttention(tracked: {
  isSuspended: boolean;
  failures: number;
  /** Its own, or the account's; null when none is watched. */
  watchedSeller: string | null;
  /** undefined before the first collection. */
  shelf: ShelfAsOf | undefined;
  /** Since when the marketplace no longer lists it. */
  delistedAtMs?: number | undefined;
}): string | null {
  const { shelf, watchedSeller, failures } = tracked;
  if (tracked.isSuspended) {
    return 'The day could not be paid: choose a cheaper tier, or wait for the refresh.';
  }
  if (tracked.delistedAtMs !== undefined) {
    return `Delisted since ${isoTime(tracked.delistedAtMs).slice(0, 10)} (UTC): the marketplace no longer lists it.`;
  }
  if (failures >= FAILURES_MIN) return `The last ${failures} collections failed.`;
  if (shelf === undefined) return null;
  // What was not looked at is unknown, and no reason to worry anybody.
  if (shelf.isComplete && shelf.offers.length === 0) return 'Nobody offers it.';
  if (shelf.buybox === null && shelf.offers.length > 0)
    return 'No buybox although there are offers.';
  if (shelf.unitsInStock === 0) return 'Out of stock.';
  // Only where one is in the race: what one does not sell is always another's.
  const isOffered = shelf.offers.some(({ sellerName }) => sellerName === watchedSeller);
  if (isOffered && shelf.buybox && shelf.buybox.sellerName !== watchedSeller) {
    const holder = shelf.buybox.sellerName;
    return holder === null ? 'The buybox is not yours.' : `${holder} holds the buybox.`;
  }
  return null;
}
