// Setting aside what was collected and cannot be stored, and recording it again.
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Connection } from '../database/database.ts';
import { SERVE_WATCHERS } from '../tracking/serve-watchers.ts';
import { fromPayload, toPayload } from './quarantined-snapshot.ts';
import { recordSnapshots } from './record-snapshot.ts';

export const COLLECT_DUE = 'collect-due';

/**
 * One entry for a product, with its last snapshot: the product itself stays on the schedule, and its next snapshot is
 * another item. Without a snapshot it is the product's own row that cannot be read or changed.
 */
export function quarantineCollected(
  tx: Connection,
  input: { code: string; snapshot: Snapshot | null; reason: string; atMs: number },
): Promise<void> {
  const { code, snapshot, reason, atMs } = input;
  return putInQuarantine(tx, {
    ...{ owner: code, loop: COLLECT_DUE, item: code, reason, atMs },
    payload: snapshot && toPayload(snapshot),
  });
}

export const collectDueHandler: QuarantineHandler = {
  loop: COLLECT_DUE,
  async retry(deps, item) {
    // Fails again, and stays, while its cause lasts; what is known already changes nothing.
    if (item.payload !== null) await recordSnapshots(deps, [fromPayload(item.payload)]);
    await release(deps, item);
  },
  drop: { means: 'This one observation is lost; the product is collected on.' },
};

export const serveWatchersHandler: QuarantineHandler = {
  loop: SERVE_WATCHERS,
  // The slot has passed: there is nothing to repeat, and the next one is served by itself.
  retry: (deps, item) => release(deps, item),
  drop: { means: 'The slot was not served and is not charged; the next one is tried by itself.' },
};
