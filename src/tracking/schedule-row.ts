// Rows of the collection schedule.

export type Due = {
  code: string;
  /** The start of the slot, or the time of the next attempt after a failure. */
  dueAtMs: number;
  intervalSeconds: number;
  failures: number;
  /** When a loss of the product was first held for confirmation; null when none is held. */
  firstHeldAtMs: number | null;
};

export type DueRow = {
  retailer_product_code: string;
  due_at: number;
  interval_seconds: number;
  failures: number;
  held_since: number | null;
};

export const dueFromRow = (row: DueRow): Due => ({
  code: row.retailer_product_code,
  dueAtMs: row.due_at,
  intervalSeconds: row.interval_seconds,
  failures: row.failures,
  firstHeldAtMs: row.held_since,
});

/** A product's entry in the schedule, tracked or not. */
export type ScheduleEntry = {
  intervalSeconds: number;
  leaseToken: string | null;
  lastCollectedAtMs: number | null;
};

export type ScheduleRow = {
  retailer_product_code: string;
  interval_seconds: number;
  lease_token: string | null;
  last_collected_at: number | null;
};

export const scheduleEntryFromRow = (row: ScheduleRow): ScheduleEntry => ({
  intervalSeconds: row.interval_seconds,
  leaseToken: row.lease_token,
  lastCollectedAtMs: row.last_collected_at,
});

/** How the collection of a product is going. */
export type CollectionStatus = {
  lastCollectedAtMs: number | null;
  nextDueAtMs: number | null;
  consecutiveFailures: number;
};

export type StatusRow = {
  retailer_product_code: string;
  last_collected_at: number | null;
  due_at: number | null;
  failures: number;
};

export const statusFromRow = (row: StatusRow): CollectionStatus => ({
  lastCollectedAtMs: row.last_collected_at,
  nextDueAtMs: row.due_at,
  consecutiveFailures: row.failures,
});
