// Closed spans in which slots were due to a watcher: one row per span at one tier. The open span is
// in the watcher's own row.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { inGroups } from '../database/lane-groups.ts';
import { deleteSomeOld } from '../database/old-rows.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Tier } from './tier.ts';
import { fromWatcherKeys, type WatcherKey, watcherKeyArrays } from './watcher-key.ts';

export type WatchSpan = {
  code: string;
  accountId: string;
  trackedId: string;
  tier: Tier;
  fromAtMs: number;
  /** Exclusive end. */
  toAtMs: number;
};

export async function insertWatchSpans(
  tx: Transaction,
  spans: readonly WatchSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  await tx.query(
    `insert into watch_spans (lane, retailer_product_code, account_id, tracked_id, tier, from_at,
                              to_at)
     select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::smallint[],
                          $6::timestamptz[], $7::timestamptz[])
     on conflict do nothing`,
    [
      ...watcherKeyArrays(spans),
      plainArray(spans.map(({ trackedId }) => trackedId)),
      plainArray(spans.map(({ tier }) => tier)),
      plainArray(spans.map(({ fromAtMs }) => isoTime(fromAtMs))),
      plainArray(spans.map(({ toAtMs }) => isoTime(toAtMs))),
    ],
  );
}

type StoredRow = {
  retailer_product_code: string;
  account_id: string;
  tracked_id: string;
  tier: Tier;
  from_at: number;
  to_at: number;
};

const READ = statement(
  'read-watch-spans',
  `select s.retailer_product_code, s.account_id, s.tracked_id, s.tier, s.from_at, s.to_at
   ${fromWatcherKeys('watch_spans')}`,
);

export async function readWatchSpans(
  db: Connection,
  keys: readonly WatcherKey[],
): Promise<WatchSpan[]> {
  const parts = await inGroups(db, keys, {
    keyOf: ({ code }) => code,
    work: (part) => db.query<StoredRow>(READ, watcherKeyArrays(part)),
  });
  return parts.flat().map((row) => ({
    code: row.retailer_product_code,
    accountId: row.account_id,
    trackedId: row.tracked_id,
    tier: row.tier,
    fromAtMs: row.from_at,
    toAtMs: row.to_at,
  }));
}

/** Deletes some spans that ended before an instant; returns how many. */
export const dropWatchSpans = (
  db: Database,
  { beforeAtMs, limit }: { beforeAtMs: number; limit: number },
) =>
  deleteSomeOld(db, {
    table: 'watch_spans',
    key: ['retailer_product_code', 'account_id', 'tracked_id', 'from_at'],
    column: 'to_at',
    below: isoTime(beforeAtMs),
    limit,
  });
