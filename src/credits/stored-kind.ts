// How the kind of a ledger entry is stored. Refunds lie there as `return`, the word that code of the release before
// knows and counts; `refund` is read as well, so that a later release can write it.
import type { EntryKind } from './settlement.ts';

export const storedKind = (kind: EntryKind): string => (kind === 'refund' ? 'return' : kind);

export const kindOf = (stored: string): EntryKind =>
  stored === 'return' ? 'refund' : (stored as EntryKind);

/** The stored kinds that an entry of this kind may have. */
export const storedKinds = (kind: EntryKind): string[] => [...new Set([kind, storedKind(kind)])];

/** `kind` of a row as it is shown, in SQL. */
export const SHOWN_KIND = `case kind when 'return' then 'refund' else kind end`;

/** The kinds that change what is used of a period, in SQL. */
export const SPENDING_KINDS = `('request', 'tracking', 'return', 'refund')`;
