// The filters of the ledger, in the URL and in the request.
import { startOfDay } from '../app/day-range.ts';
import { type EntryKind, KIND_WORDS } from './ledger-words.ts';

/** Days of the reader's time zone, the last one included. */
export const NO_FILTER = { kind: '', operation: '', from: '', to: '' };
export type AddressFilter = typeof NO_FILTER;
export type LedgerQuery = { kind?: EntryKind; operation?: string; from?: string; to?: string };

export function ledgerQuery({ kind, operation, from, to }: AddressFilter): LedgerQuery {
  const query: LedgerQuery = {};
  if (Object.hasOwn(KIND_WORDS, kind)) query.kind = kind as EntryKind;
  if (operation !== '') query.operation = operation.slice(0, 100);
  const fromIso = startOfDay(from, 0);
  const toIso = startOfDay(to, 1);
  if (fromIso !== null) query.from = fromIso;
  // The server's `to` is exclusive: the last day ends at the start of the next.
  if (toIso !== null) query.to = toIso;
  return query;
}

export const isFiltered = (query: LedgerQuery) => Object.keys(query).length > 0;
