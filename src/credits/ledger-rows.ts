// Rows of the ledger and of the balances: from SQL to values, and from values to SQL parameters.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { lane } from '../database/families.ts';
import type { RowPosition } from '../database/marked-pages.ts';
import { isoTime } from '../foundation/clock.ts';
import {
  ENTRY_KINDS,
  type EntryKind,
  kindFromStored,
  storedKind,
  storedKinds,
} from './entry-kind.ts';
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

export const ENTRY_COLUMNS =
  'account_id, at, id, kind, credits, operation, retailer_product_code, reference';

/** Parameters $1 to $10 of `entryArrays` as rows named `entry`. */
export const ENTRY_ARRAYS = `unnest($1::smallint[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::text[],
         $6::bigint[], $7::text[], $8::text[], $9::text[], $10::boolean[])
    as entry(lane, account_id, at, id, kind, credits, operation, retailer_product_code, reference,
             is_marker)`;

export const entryArrays = (entries: readonly LedgerEntry[], areMarkers: readonly boolean[]) => [
  plainArray(entries.map((entry) => lane(entry.accountId))),
  plainArray(entries.map((entry) => entry.accountId)),
  plainArray(entries.map((entry) => isoTime(entry.atMs))),
  plainArray(entries.map((entry) => entry.id)),
  plainArray(entries.map((entry) => storedKind(entry.kind))),
  plainArray(entries.map((entry) => entry.credits)),
  textArray(entries.map((entry) => entry.operation)),
  textArray(entries.map((entry) => entry.productCode)),
  textArray(entries.map((entry) => entry.reference)),
  plainArray(areMarkers.map((isMarker) => (isMarker ? 't' : 'f'))),
];

/** How pages of a filter are read (database/marked-pages.ts). */
export const ENTRY_PAGES = {
  name: 'ledger-entries',
  owner: { lane: 'smallint', account_id: 'uuid' },
  id: 'id',
  columns: ENTRY_COLUMNS,
  keys: ['kind', 'operation'],
  filter: (first: number) =>
    `($${first}::text is null or operation = $${first}) and kind = any($${first + 1}::text[])`,
};

/** An entry as a marker, or as what one covers (database/markers.ts). */
export const markedEntry = ({ accountId, kind, operation, atMs }: LedgerEntry) => ({
  key: `${accountId} ${kind} ${operation}`,
  atMs,
});

/** Selects entries; without a member, all of them. */
export type EntryFilter = {
  fromAtMs?: number | undefined;
  kind?: EntryKind | undefined;
  operation?: string | undefined;
};

export type EntryPosition = RowPosition;
export const NEWEST_ENTRY: EntryPosition = {
  atMs: Date.UTC(9999, 0),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** Every stored word of a kind, or of all kinds. */
export const storedWords = (kind: EntryKind | undefined): string[] =>
  kind === undefined ? ENTRY_KINDS.flatMap(storedKinds) : storedKinds(kind);
