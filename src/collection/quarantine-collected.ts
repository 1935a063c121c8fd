// Quarantines a collected snapshot that cannot be stored, and records it again on retry.
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Connection } from '../database/database.ts';
import { SERVE_WATCHERS } from '../tracking/serve-watchers.ts';
import { fromPayload, toPayload } from './quarantined-snapshot.ts';
import { recordSnapshots } from './record-snapshot.ts';

export const COLLECT_DUE = 'collect-due';

/**
 * Keeps one item per product, with its last snapshot. The product stays scheduled. Without a
 * snapshot, the product's own row cannot be read or changed.
 */
export function quarantineCollected(
  tx: Connection,
  input: { code: string; snapshot: Snapshot | null; reason: string; atMs: number },
): Promise<void> {
  const { code, snapshot, reason, atMs } = input;
  return putInQuarantine(tx, {
    owner: code,
    loop: COLLECT_DUE,
    item: code,
    reason,
    payload: snapshot && toPayload(snapshot),
    atMs,
  });
}

export const collectDueHandler: QuarantineHandler = {
  loop: COLLECT_DUE,
  async retry(deps, item) {
    // Fails again, and stays, while its cause lasts. Data already recorded changes nothing.
    if (item.payload !== null) await recordSnapshots(deps, [fromPayload(item.payload)]);
    await release(deps, item);
  },
  drop: { means: 'This one observation is lost; the product is still collected.' },
};

export const serveWatchersHandler: QuarantineHandler = {
  loop: SERVE_WATCHERS,
  // The slot has passed, so there is nothing to repeat; the next slot is served on its own.
  retry: (deps, item) => release(deps, item),
  drop: { means: 'The slot was not served and is not charged; the next slot is served as usual.' },
};
