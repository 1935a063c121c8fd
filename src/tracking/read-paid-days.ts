// Reading what an account has paid of its tracked products: recent days from their own rows, older ones as stretches.
import type { Database } from '../database/database.ts';
import { type PaidSpan, tierPaidBy } from './paid-day.ts';
import { readSpans } from './paid-spans.ts';
import { readRecentDays } from './tracked-days.ts';

/** By code, also of those of which nothing was paid. */
export async function readPaidDays(
  db: Database,
  input: { accountId: string; codes: readonly string[]; fromDay: number },
): Promise<Map<string, PaidSpan[]>> {
  const paid = new Map(input.codes.map((code) => [code, [] as PaidSpan[]]));
  if (input.codes.length === 0) return paid;
  // The rows first: one that becomes a part of a stretch meanwhile is met twice rather than never.
  for (const { code, day, creditsCharged } of await readRecentDays(db, input)) {
    paid.get(code)?.push({ fromDay: day, toDay: day, tier: tierPaidBy(creditsCharged) });
  }
  for (const span of await readSpans(db, input)) paid.get(span.code)?.push(span);
  return paid;
}
