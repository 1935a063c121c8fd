// How long a response of each operation counts as current in the library. Operations that are not
// listed are not kept: charts are free beside a history, and tracked products pay by the day.
import { DAY_MS, MINUTE_MS } from '../foundation/time.ts';

const LIVE_MS = 15 * MINUTE_MS;
const HISTORY_MS = DAY_MS;

const FRESH_MS: Readonly<Record<string, number>> = {
  details: LIVE_MS,
  offers: LIVE_MS,
  'units-in-stock': LIVE_MS,
  fees: LIVE_MS,
  profit: LIVE_MS,
  search: LIVE_MS,
  finder: LIVE_MS,
  stats: HISTORY_MS,
  'price-history': HISTORY_MS,
  'buybox-history': HISTORY_MS,
  'offer-history': HISTORY_MS,
  'units-sold-history': HISTORY_MS,
};

export const LIBRARY_OPERATIONS: readonly string[] = Object.keys(FRESH_MS);

/** null for an operation whose responses are not kept. */
export const freshMsOf = (operation: string): number | null => FRESH_MS[operation] ?? null;

/**
 * Whether an entry makes a request free. A refresh names the entry that its page shows: one that
 * was bought after it, by another tab or device, is current enough.
 */
export function isCurrent(
  entry: { operation: string; boughtAtMs: number },
  { nowMs, refreshOfAtMs }: { nowMs: number; refreshOfAtMs: number | null },
): boolean {
  const freshMs = freshMsOf(entry.operation) ?? 0;
  const isNewer = refreshOfAtMs === null || entry.boughtAtMs > refreshOfAtMs;
  return isNewer && nowMs < entry.boughtAtMs + freshMs;
}
