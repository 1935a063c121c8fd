// Paid days that are settled, stored as spans at one tier per account and product.
import { plainArray } from '../database/array-parameter.ts';
import { type Database, inLanes, statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { deleteSomeOld } from '../database/old-rows.ts';
import type { PaidSpan } from './paid-day.ts';
import type { Tier } from './tier.ts';

export type ProductSpan = PaidSpan & { accountId: string; code: string };

const READ_SPANS = statement(
  'read-paid-spans',
  `select s.retailer_product_code, s.from_day, s.to_day, s.tier
     from unnest($3::text[]) as n(code)
     join paid_spans s
       on s.lane = $1 and s.account_id = $2 and s.retailer_product_code = n.code
    where s.to_day >= $4`,
);

/** Reads the spans of one account's products that end on `fromDay` or later. */
export async function readSpans(
  db: Database,
  input: { accountId: string; codes: readonly string[]; fromDay: number },
): Promise<ProductSpan[]> {
  const { accountId, codes, fromDay } = input;
  const rows = await db.read<{
    retailer_product_code: string;
    from_day: number;
    to_day: number;
    tier: Tier;
  }>(READ_SPANS, [lane(accountId), accountId, plainArray(codes), fromDay]);
  return rows.map((row) => ({
    accountId,
    code: row.retailer_product_code,
    tier: row.tier,
    fromDay: row.from_day,
    toDay: row.to_day,
  }));
}

const spanArrays = (spans: readonly ProductSpan[]) => [
  plainArray(spans.map(({ accountId }) => lane(accountId))),
  plainArray(spans.map(({ accountId }) => accountId)),
  plainArray(spans.map(({ code }) => code)),
  plainArray(spans.map(({ fromDay }) => fromDay)),
  plainArray(spans.map(({ toDay }) => toDay)),
  plainArray(spans.map(({ tier }) => tier)),
];

const SPAN_ARRAYS = `unnest($1::smallint[], $2::uuid[], $3::text[], $4::integer[], $5::integer[],
                $6::smallint[]) as n(lane, account_id, code, from_day, to_day, tier)`;

/**
 * Extends a span of the same tier that ended on the day before or has the day already, as after a
 * crash.
 */
const EXTEND = statement(
  'extend-paid-spans',
  `update paid_spans s set to_day = greatest(s.to_day, n.to_day)
     from ${SPAN_ARRAYS}
    where s.lane = n.lane and s.account_id = n.account_id and s.retailer_product_code = n.code
      and s.tier = n.tier and s.from_day <= n.from_day and s.to_day >= n.from_day - 1
      and ${inLanes('s.lane', '$1')}
   returning n.account_id, n.code, n.from_day`,
);

/** A clock that was set back can bring the same day twice: the finer tier wins. */
const INSERT = statement(
  'insert-paid-spans',
  `insert into paid_spans as s (lane, account_id, retailer_product_code, from_day, to_day, tier)
   select * from ${SPAN_ARRAYS}
   on conflict (lane, account_id, retailer_product_code, from_day) do update
      set to_day = greatest(s.to_day, excluded.to_day), tier = least(s.tier, excluded.tier)`,
);

export async function addSpans(tx: Transaction, spans: readonly ProductSpan[]): Promise<void> {
  if (spans.length === 0) return;
  const extended = await tx.query<{ account_id: string; code: string; from_day: number }>(
    EXTEND,
    spanArrays(spans),
  );
  const keyOf = (accountId: string, code: string, day: number) => `${accountId} ${code} ${day}`;
  const extendedKeys = new Set(
    extended.map((row) => keyOf(row.account_id, row.code, row.from_day)),
  );
  const rest = spans.filter(
    (span) => !extendedKeys.has(keyOf(span.accountId, span.code, span.fromDay)),
  );
  if (rest.length > 0) await tx.query(INSERT, spanArrays(rest));
}

/** Deletes some spans that ended before a day; returns how many. */
export const dropSpansBefore = (db: Database, { day, limit }: { day: number; limit: number }) =>
  deleteSomeOld(db, {
    table: 'paid_spans',
    key: ['account_id', 'retailer_product_code', 'from_day'],
    column: 'to_day',
    below: day,
    limit,
  });
