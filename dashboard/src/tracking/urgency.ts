// How urgently a tracked product needs attention. Pure.
import type { Tracked } from './tracked-product.ts';

type AttentionInput = Pick<
  Tracked,
  'status' | 'consecutive_failures' | 'current_price' | 'units_in_stock'
>;

const FAILURES_MIN = 3;

/** 0 is the most urgent: nothing is collected, then nothing is sold, then another seller sells. */
export function urgencyOf(row: AttentionInput): number {
  if (row.status === 'suspended') return 0;
  if (row.consecutive_failures >= FAILURES_MIN) return 1;
  if (row.current_price === null) return 2;
  if (row.units_in_stock === 0) return 3;
  return 4;
}

/** A suspended product waits for credits; one that cannot be collected has an error. */
export const attentionTone = (row: AttentionInput): 'critical' | 'caution' =>
  urgencyOf(row) === 1 ? 'critical' : 'caution';
