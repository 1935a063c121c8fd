// The filters of the ledger, in the URL and in the request.
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

/** The start of a day in the reader's time zone, some days later; null if the text is not a day. */
function startOfDay(day: string, daysLater: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return null;
  const at = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  // The server accepts no times before 1970, and there is no ledger from then.
  return Number.isFinite(at.getTime()) && at.getTime() >= 0 ? at.toISOString() : null;
}
