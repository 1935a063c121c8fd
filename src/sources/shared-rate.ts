// A rate that all processes keep together, as a source sees it; limits/shared-rates.ts provides it.

export type SharedRate = {
  /** Reserves the times of the next `count` starts, unless the first is later than `withinMs`. */
  reserve(reservation: {
    count: number;
    everyMs: number;
    burstMs: number;
    withinMs: number;
  }): Promise<{ isReserved: boolean; waitMs: number }>;
  /** Starts nothing for a while, in any process. */
  pause(ms: number): Promise<void>;
};
