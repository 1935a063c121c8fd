// Rows of the ledger and of the balances: from SQL to values, and from values to SQL parameters.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import { kindFromStored, storedKind } from './entry-kind.ts';
import type { Balance, LedgerEntry } from './settlement.ts';

export type BalanceRow = {
  account_id: string;
  plan: string;
  next_plan: string | null;
  allocation: number;
  granted: number;
  used: number;
  anchor_at: number;
  period_start_at: number;
  period_end_at: number;
  updated_at: number;
};

export const balanceFromRow = (row: BalanceRow): Balance => ({
  accountId: row.account_id,
  plan: row.plan,
  nextPlan: row.next_plan,
  allocation: row.allocation,
  granted: row.granted,
  used: row.used,
  anchorAtMs: row.anchor_at,
  periodStartAtMs: row.period_start_at,
  periodEndAtMs: row.period_end_at,
  updatedAtMs: row.updated_at,
});

/** Columns of `balances b`. */
export const BALANCE_COLUMNS = `b.account_id, b.plan, b.next_plan, b.allocation, b.granted, b.used,
  b.anchor_at, b.period_start_at, b.period_end_at, b.updated_at`;

export const balanceValues = (balance: Balance) => [
  lane(balance.accountId),
  balance.accountId,
  balance.plan,
  balance.nextPlan,
  balance.allocation,
  balance.granted,
  balance.used,
  isoTime(balance.anchorAtMs),
  isoTime(balance.periodStartAtMs),
  isoTime(balance.periodEndAtMs),
  isoTime(balance.updatedAtMs),
];

export type EntryRow = {
  account_id: string;
  at: number;
  id: string;
  kind: string;
  credits: number;
  operation: string | null;
  retailer_product_code: string | null;
  reference: string;
};

export const entryFromRow = (row: EntryRow): LedgerEntry => ({
  accountId: row.account_id,
  atMs: row.at,
  id: row.id,
  kind: kindFromStored(row.kind),
  credits: row.credits,
  operation: row.operation,
  productCode: row.retailer_product_code,
  reference: row.reference,
});

/** Parameters $1 to $9 of `entryArrays` as rows named `entry`. */
export const ENTRY_ARRAYS = `unnest($1::smallint[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::text[],
         $6::bigint[], $7::text[], $8::text[], $9::text[])
    as entry(lane, account_id, at, id, kind, credits, operation, retailer_product_code, reference)`;

export const entryArrays = (entries: readonly LedgerEntry[]) => [
  plainArray(entries.map((entry) => lane(entry.accountId))),
  plainArray(entries.map((entry) => entry.accountId)),
  plainArray(entries.map((entry) => isoTime(entry.atMs))),
  plainArray(entries.map((entry) => entry.id)),
  plainArray(entries.map((entry) => storedKind(entry.kind))),
  plainArray(entries.map((entry) => entry.credits)),
  textArray(entries.map((entry) => entry.operation)),
  textArray(entries.map((entry) => entry.productCode)),
  textArray(entries.map((entry) => entry.reference)),
];
