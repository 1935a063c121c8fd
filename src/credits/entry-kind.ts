// The kinds of ledger entries: which of them spend credits, and how a kind is stored.

export const ENTRY_KINDS = ['request', 'tracking', 'refund', 'grant', 'refresh'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Charges need funds; entries of the other kinds are always booked. */
const CHARGE_KINDS: readonly EntryKind[] = ['request', 'tracking'];

/** Kinds that change what a period has used: charges, and refunds of charges. */
export const SPENDING_KINDS: readonly EntryKind[] = [...CHARGE_KINDS, 'refund'];

/** Kinds that make up what a period may use. */
export const FUNDING_KINDS: readonly EntryKind[] = ['refresh', 'grant'];

export const isChargeKind = (kind: EntryKind): boolean => CHARGE_KINDS.includes(kind);

/**
 * A refund is stored as `return`, the word that the previous release reads and counts. `refund` is
 * read as well, so that a later release can write it.
 */
export const storedKind = (kind: EntryKind): string => (kind === 'refund' ? 'return' : kind);

export const kindFromStored = (stored: string): EntryKind =>
  stored === 'return' ? 'refund' : (stored as EntryKind);

/** Every stored word for a kind. */
export const storedKinds = (kind: EntryKind): string[] => [...new Set([kind, storedKind(kind)])];

/** SQL expression: `kind` of a row as the API shows it. */
export const SHOWN_KIND = `case kind when 'return' then 'refund' else kind end`;

/** SQL list of every stored word for some kinds, in parentheses. */
export const kindList = (kinds: readonly EntryKind[]): string =>
  `(${kinds
    .flatMap(storedKinds)
    .map((kind) => `'${kind}'`)
    .join(', ')})`;
