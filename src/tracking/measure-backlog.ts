// Measures how far the account's side is behind the product's side, for the metrics.
import type { Database } from '../database/database.ts';
import { DAY_MS } from '../foundation/time.ts';
import { oldestOutboxAtMs } from './outbox.ts';
import { countPending } from './pending-products.ts';
import { GRACE_MS } from './served-slot.ts';
import { firstOpenDay } from './tracked-days.ts';

export type Backlog = {
  /** When the oldest outbox row was written; null while there is none. */
  oldestOutboxAtMs: number | null;
  /** Tracked products whose watchers are not synced yet. */
  pendingSyncs: number;
  /** When the oldest unsettled day could be settled; null while no charged day is open. */
  settlableAtMs: number | null;
};

/** A larger backlog is counted as this: the alert comes long before. */
const COUNTED_MAX = 10_000;

export const EMPTY_BACKLOG: Backlog = {
  oldestOutboxAtMs: null,
  pendingSyncs: 0,
  settlableAtMs: null,
};

export async function measureBacklog(db: Database): Promise<Backlog> {
  const openDay = await firstOpenDay(db);
  return {
    oldestOutboxAtMs: await oldestOutboxAtMs(db, COUNTED_MAX),
    pendingSyncs: await countPending(db, COUNTED_MAX),
    settlableAtMs: openDay === null ? null : (openDay + 1) * DAY_MS + GRACE_MS,
  };
}
