// Reads which days of its tracked products an account has paid: recent days from their own rows,
// older days from spans.
import type { Database } from '../database/database.ts';
import { type PaidSpan, tierPaidBy } from './paid-day.ts';
import { readSpans } from './paid-spans.ts';
import { readRecentDays } from './tracked-days.ts';

/** Returns the spans by code, with an empty list for a product without paid days. */
export async function readPaidDays(
  db: Database,
  input: { accountId: string; codes: readonly string[]; fromDay: number },
): Promise<Map<string, PaidSpan[]>> {
  const paid = new Map(input.codes.map((code) => [code, [] as PaidSpan[]]));
  if (input.codes.length === 0) return paid;
  // Rows first: a row that becomes part of a span meanwhile is read twice rather than never.
  for (const { code, day, creditsCharged } of await readRecentDays(db, input)) {
    paid.get(code)?.push({ fromDay: day, toDay: day, tier: tierPaidBy(creditsCharged) });
  }
  for (const span of await readSpans(db, input)) paid.get(span.code)?.push(span);
  return paid;
}
