// Ends the tracking of products whose time to live is over. Their watchers are not served from that
// time on, whenever this runs.
import type { BookingDeps } from '../credits/book-entries.ts';
import { untrackProducts } from './track.ts';
import { listEnded } from './tracked-products.ts';

const PRODUCTS_PER_ROUND = 200;

/** Returns true when there may be more. An account that fails does not stop the others. */
export async function endTracked(deps: BookingDeps): Promise<boolean> {
  const ended = await listEnded(deps.db, { nowMs: deps.clock.nowMs(), limit: PRODUCTS_PER_ROUND });
  let failures = 0;
  for (const [accountId, products] of Map.groupBy(ended, (one) => one.accountId)) {
    try {
      const trackedIds = products.map(({ trackedId }) => trackedId);
      await untrackProducts(deps, { accountId, trackedIds });
    } catch (error) {
      failures += 1;
      deps.log.warn({ accountId, reason: String(error) }, 'tracking could not be ended yet');
    }
  }
  return ended.length === PRODUCTS_PER_ROUND && failures === 0;
}
