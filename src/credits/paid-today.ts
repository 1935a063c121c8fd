// Whether an account has paid for a product's history today (UTC): then a chart of it is free.
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import { readPaidForProduct } from './ledger.ts';

/**
 * `operations` must be histories (`…-history`), charts (`chart-…`) or `stats`: only their charges
 * have an index by product. A charge that was refunded does not count.
 */
export async function hasPaidToday(
  { db, clock }: { db: Database; clock: Clock },
  input: { accountId: string; productCode: string; operations: readonly string[] },
): Promise<boolean> {
  const fromAtMs = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
  const paid = await readPaidForProduct(db, { ...input, fromAtMs, toAtMs: fromAtMs + DAY_MS });
  return paid > 0;
}
