// A product's place on the schedule as it lies in its row.

export type Due = {
  code: string;
  /** The slot, or the time of the next try after a failure. */
  dueAt: number;
  intervalSeconds: number;
  failures: number;
  /** Since when a look that lost the product waits to be confirmed. */
  heldSince: number | null;
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
  dueAt: row.due_at,
  intervalSeconds: row.interval_seconds,
  failures: row.failures,
  heldSince: row.held_since,
});

/** A product's place on the schedule, tracked or not. */
export type ScheduleEntry = {
  intervalSeconds: number;
  leaseToken: string | null;
  lastCollectedAt: number | null;
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
  lastCollectedAt: row.last_collected_at,
});
