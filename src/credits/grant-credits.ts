// Grants credits to the current period on behalf of an operator, with the reason in the ledger.
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import type { Charging } from './charge.ts';
import { type Balance, entryId } from './settlement.ts';

type Deps = { db: Database; charging: Charging; clock: Clock };

/** A larger grant is taken for a typing error. */
export const GRANT_MAX = 1_000_000_000;

export async function grantCredits(
  deps: Deps,
  input: { accountId: string; credits: number; reason: string },
): Promise<Balance> {
  if (!Number.isInteger(input.credits) || input.credits < 1 || input.credits > GRANT_MAX) {
    throw new Problem(
      'grant_amount_invalid',
      `Credits must be a whole number from 1 to ${GRANT_MAX}.`,
    );
  }
  const reference = `grant:${newId()}`;
  const outcome = await deps.charging.charge({
    accountId: input.accountId,
    id: entryId(input.accountId, reference),
    atMs: deps.clock.nowMs(),
    kind: 'grant',
    credits: input.credits,
    operation: input.reason.slice(0, 200),
    productCode: null,
    reference,
  });
  const balance = outcome.booked ? await deps.charging.freshBalance(input.accountId) : undefined;
  if (balance === undefined) throw new Problem('plan_missing', 'This account has no plan.');
  return balance;
}
