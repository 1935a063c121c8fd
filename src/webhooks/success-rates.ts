// The `webhook_days` table: finished deliveries of each webhook by day, for its success rate.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { deleteSomeOld } from '../database/old-rows.ts';
import { DAY_MS } from '../foundation/time.ts';

const DAYS = 7;

export type Finished = { accountId: string; webhookId: string; succeeded: number; failed: number };

/** Adds to the day's counts. */
const COUNT = statement(
  'count-finished-deliveries',
  `insert into webhook_days as d (lane, account_id, webhook_id, day, succeeded, failed)
   select n.lane, n.account_id, n.webhook_id, $4::integer, n.succeeded, n.failed
     from unnest($1::smallint[], $2::uuid[], $3::uuid[], $5::integer[], $6::integer[])
            as n(lane, account_id, webhook_id, succeeded, failed)
   on conflict (lane, account_id, webhook_id, day) do update
      set succeeded = d.succeeded + excluded.succeeded, failed = d.failed + excluded.failed`,
);

/** One entry per webhook, whose health row is locked. */
export async function countFinished(
  tx: Transaction,
  finished: readonly Finished[],
  now: number,
): Promise<void> {
  if (finished.length === 0) return;
  await tx.query(COUNT, [
    plainArray(finished.map(({ accountId }) => lane(accountId))),
    plainArray(finished.map(({ accountId }) => accountId)),
    plainArray(finished.map(({ webhookId }) => webhookId)),
    Math.floor(now / DAY_MS),
    plainArray(finished.map(({ succeeded }) => succeeded)),
    plainArray(finished.map(({ failed }) => failed)),
  ]);
}

/**
 * In percent by webhook id, over today and the six days before; none without finished deliveries.
 */
export async function readSuccessRates(
  db: Connection,
  input: { accountId: string; now: number },
): Promise<Map<string, number>> {
  const rows = await db.query<{ webhook_id: string; succeeded: number; finished: number }>(
    `select webhook_id, sum(succeeded)::bigint as succeeded,
            sum(succeeded + failed)::bigint as finished
       from webhook_days
      where lane = $1 and account_id = $2 and day > $3
      group by webhook_id having sum(succeeded + failed) > 0`,
    [lane(input.accountId), input.accountId, Math.floor(input.now / DAY_MS) - DAYS],
  );
  const percent = (share: number) => Math.round(share * 10_000) / 100;
  return new Map(rows.map((row) => [row.webhook_id, percent(row.succeeded / row.finished)]));
}

/** Deletes days that no success rate counts. */
export async function deleteOldDays(db: Database, now: number): Promise<void> {
  const old = {
    table: 'webhook_days',
    key: ['account_id', 'webhook_id', 'day'],
    column: 'day',
    below: Math.floor(now / DAY_MS) - DAYS + 1,
    limit: DELETED_AT_ONCE,
  };
  while ((await deleteSomeOld(db, old)) > 0);
}

const DELETED_AT_ONCE = 500;
