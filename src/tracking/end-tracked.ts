// Ends the tracking of products whose time to live is over. Their watchers are not served from that
// time on, whenever this runs.
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine, quarantinedKeys } from '../background/quarantined-items.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { untrackProducts } from './track.ts';
import { listEnded } from './tracked-products.ts';

const END_TRACKED = 'end-tracked';
const PRODUCTS_PER_PART = 200;
/** How long to wait for rows that another session has locked. */
const LOCK_WAIT_MS = 250;

/** An account that fails is quarantined, and one that is locked is skipped until the next round. */
export async function endTracked(deps: BookingDeps): Promise<void> {
  const patient = { ...deps, db: withLockTimeout(deps.db, LOCK_WAIT_MS) };
  const nowMs = deps.clock.nowMs();
  const except = await quarantinedKeys(deps.db, END_TRACKED);
  for (;;) {
    const ended = await listEnded(deps.db, {
      nowMs,
      limit: PRODUCTS_PER_PART,
      except: [...except],
    });
    const byAccount = Map.groupBy(ended, ({ accountId }) => accountId);
    const { quarantined, left } = await isolate([...byAccount], {
      loop: END_TRACKED,
      log: deps.log,
      keyOf: ([accountId]) => accountId,
      // Idempotent, so that a failed batch can be repeated in parts.
      run: async (batch) => {
        for (const [accountId, products] of batch) {
          const trackedIds = products.map(({ trackedId }) => trackedId);
          await untrackProducts(patient, { accountId, trackedIds });
        }
      },
      setAside: ([accountId], reason) =>
        putInQuarantine(deps.db, {
          owner: accountId,
          loop: END_TRACKED,
          item: accountId,
          reason,
          payload: null,
          atMs: nowMs,
        }),
    });
    if (ended.length < PRODUCTS_PER_PART) return;
    for (const { item } of quarantined) except.add(item[0]);
    for (const [accountId] of left) except.add(accountId);
  }
}

export const endTrackedHandler: QuarantineHandler = {
  loop: END_TRACKED,
  retry: (deps, item) => release(deps, item),
  drop: {
    refusedBecause:
      'The account’s products would count as tracked. Repair the account, then retry.',
  },
};
