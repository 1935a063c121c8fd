// When slots were due to watchers that have changed since: one row for each stretch at a tier that is over. The stretch
// that goes on is in the watcher's own row.
import { plainArray } from '../database/array-parameter.ts';
import { type Connection, statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Tier } from './tier.ts';

export type WatchSpan = {
  code: string;
  accountId: string;
  trackedId: string;
  tier: Tier;
  fromAt: number;
  toAt: number;
};

export async function insertWatchSpans(
  tx: Transaction,
  spans: readonly WatchSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  await tx.query(
    `insert into watch_spans (lane, retailer_product_code, account_id, tracked_id, tier, from_at, to_at)
     select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::smallint[], $6::timestamptz[],
                          $7::timestamptz[])
     on conflict do nothing`,
    [
      plainArray(spans.map(({ code }) => lane(code))),
      plainArray(spans.map(({ code }) => code)),
      plainArray(spans.map(({ accountId }) => accountId)),
      plainArray(spans.map(({ trackedId }) => trackedId)),
      plainArray(spans.map(({ tier }) => tier)),
      plainArray(spans.map(({ fromAt }) => isoTime(fromAt))),
      plainArray(spans.map(({ toAt }) => isoTime(toAt))),
    ],
  );
}

const READ = statement(
  'read-watch-spans',
  `select s.retailer_product_code, s.account_id, s.tracked_id, s.tier, s.from_at, s.to_at
     from unnest($1::smallint[], $2::text[], $3::uuid[]) as asked(lane, code, account_id)
     join watch_spans s on s.lane = asked.lane and s.retailer_product_code = asked.code
      and s.account_id = asked.account_id`,
);

export async function readWatchSpans(
  db: Connection,
  keys: readonly { code: string; accountId: string }[],
): Promise<WatchSpan[]> {
  const rows = await db.query<{
    retailer_product_code: string;
    account_id: string;
    tracked_id: string;
    tier: Tier;
    from_at: number;
    to_at: number;
  }>(READ, [
    plainArray(keys.map(({ code }) => lane(code))),
    plainArray(keys.map(({ code }) => code)),
    plainArray(keys.map(({ accountId }) => accountId)),
  ]);
  return rows.map((row) => ({
    ...{ code: row.retailer_product_code, accountId: row.account_id, trackedId: row.tracked_id },
    ...{ tier: row.tier, fromAt: row.from_at, toAt: row.to_at },
  }));
}

/** Forgets some stretches that ended before a time; returns how many. */
export async function dropWatchSpans(
  db: Connection,
  input: { beforeAt: number; limit: number },
): Promise<number> {
  const rows = await db.query(
    `delete from watch_spans s
      using (select o.lane, o.retailer_product_code, o.account_id, o.tracked_id, o.from_at
               from generate_series(0, 255) as lanes(lane)
              cross join lateral (
                select w.* from watch_spans w where w.lane = lanes.lane and w.to_at < $1
                 order by w.to_at limit $2) o
              limit $2) old
      where s.lane = old.lane and s.retailer_product_code = old.retailer_product_code
        and s.account_id = old.account_id and s.tracked_id = old.tracked_id and s.from_at = old.from_at
      returning 1`,
    [isoTime(input.beforeAt), input.limit],
  );
  return rows.length;
}
