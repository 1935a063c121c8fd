// Days that were paid and are settled, as stretches at one tier for each account and product: what may be shown of them.
import { plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { deleteSomeOld } from '../database/old-rows.ts';
import type { PaidSpan } from './paid-day.ts';
import type { Tier } from './tier.ts';

export type ProductSpan = PaidSpan & { accountId: string; code: string };

const READ_SPANS = statement(
  'read-paid-spans',
  `select s.retailer_product_code, s.from_day, s.to_day, s.tier
     from unnest($3::text[]) as asked(code)
     join paid_spans s on s.lane = $1 and s.account_id = $2 and s.retailer_product_code = asked.code
    where s.to_day >= $4`,
);

/** The stretches of one account's products that reach a day or lie after it. */
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
    ...{ accountId, code: row.retailer_product_code, tier: row.tier },
    ...{ fromDay: row.from_day, toDay: row.to_day },
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

const SPAN_ARRAYS = `unnest($1::smallint[], $2::uuid[], $3::text[], $4::integer[], $5::integer[], $6::smallint[])
         as n(lane, account_id, code, from_day, to_day, tier)`;

/** A stretch that goes on where another of the same tier ended makes that longer. */
const EXTEND = statement(
  'extend-paid-spans',
  `update paid_spans s set to_day = n.to_day
     from ${SPAN_ARRAYS}
    where s.lane = n.lane and s.account_id = n.account_id and s.retailer_product_code = n.code
      and s.tier = n.tier and s.to_day = n.from_day - 1
   returning n.account_id, n.code, n.from_day`,
);

/** The same day twice is met by a clock that was set back: the finer tier holds. */
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
  const done = new Set(extended.map((row) => keyOf(row.account_id, row.code, row.from_day)));
  const rest = spans.filter((span) => !done.has(keyOf(span.accountId, span.code, span.fromDay)));
  if (rest.length > 0) await tx.query(INSERT, spanArrays(rest));
}

/** Forgets some stretches that ended before a day; returns how many. */
export const dropSpansBefore = (db: Connection, { day, limit }: { day: number; limit: number }) =>
  deleteSomeOld(db, {
    table: 'paid_spans',
    key: ['account_id', 'retailer_product_code', 'from_day'],
    ...{ column: 'to_day', below: day, limit },
  });
