// Quotas for manual sends of an account, in windows of real time that all processes share.
import { statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../foundation/time.ts';

export const RETRIES_PER_DELIVERY = { max: 20, windowMs: 24 * HOUR_MS } as const;

/**
 * `recover` counts calls. A delivery that it repeats a second time in its window counts as `retry`.
 */
const QUOTAS = {
  retry: { max: 1_000, windowMs: HOUR_MS, what: 'retries' },
  test: { max: 60, windowMs: HOUR_MS, what: 'tests' },
  recover: { max: 60, windowMs: HOUR_MS, what: 'recoveries' },
} as const;

export type Quota = keyof typeof QUOTAS;

/** Counts in the open window, or opens one; returns no row when that would exceed the quota. */
const SPEND = statement(
  'spend-webhook-quota',
  `insert into webhook_quotas as q (lane, account_id, quota, since, used)
   values ($1, $2, $3, $4, $5)
   on conflict (lane, account_id, quota) do update
      set used = case when q.since > $6 then q.used + excluded.used else excluded.used end,
          since = case when q.since > $6 then q.since else excluded.since end
    where q.since <= $6 or q.used + excluded.used <= $7
   returning q.used`,
);

/** Runs in the transaction of the send, so that a refused or failed send spends nothing. */
export async function spendQuota(
  tx: Transaction,
  input: { accountId: string; quota: Quota; count?: number; realNow: number },
): Promise<void> {
  const { accountId, quota, count = 1, realNow } = input;
  const { max, windowMs, what } = QUOTAS[quota];
  const rows = await tx.query(SPEND, [
    lane(accountId),
    accountId,
    quota,
    isoTime(realNow),
    count,
    isoTime(realNow - windowMs),
    max,
  ]);
  if (rows.length > 0) return;
  const [window] = await tx.query<{ since: number }>(
    'select since from webhook_quotas where lane = $1 and account_id = $2 and quota = $3',
    [lane(accountId), accountId, quota],
  );
  throw quotaSpent(`An account has at most ${max} ${what} by hand an hour`, {
    endsAtMs: (window?.since ?? realNow) + windowMs,
    realNow,
  });
}

export function quotaSpent(
  rule: string,
  { endsAtMs, realNow }: { endsAtMs: number; realNow: number },
): Problem {
  const waitMs = Math.max(SECOND_MS, endsAtMs - realNow);
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  const wait = minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
  return new Problem('resend_limit_reached', `${rule}. Try again in ${wait}.`, {
    details: { retry_after_ms: waitMs },
  });
}
