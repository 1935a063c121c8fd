// Texts for the ledger: kinds, operations, and amounts with their sign.
import type { ResponseOf } from '../app/api-client.ts';
import { countText } from '../design/money.tsx';

export type LedgerEntry = ResponseOf<'GET /session/ledger'>[number];
export type EntryKind = LedgerEntry['kind'];

export const KIND_WORDS: Readonly<Record<EntryKind, string>> = {
  request: 'Request',
  tracking: 'Tracking',
  refund: 'Refund',
  grant: 'Granted',
  refresh: 'Refresh',
};

const OPERATION_WORDS: Readonly<Record<string, string>> = {
  details: 'Product details',
  search: 'Search',
  finder: 'Finder',
  offers: 'Offers',
  'units-in-stock': 'Units in stock',
  fees: 'Fees',
  'price-history': 'Price history',
  'buybox-history': 'Buybox history',
  stats: 'Statistics',
  'offer-history': 'Offer history',
  'chart-svg': 'Chart as SVG',
  'chart-png': 'Chart as PNG',
  'chart-links': 'Link to a chart',
  batch: 'Batch of products',
  profit: 'Profit',
  'units-sold-history': 'Units sold',
  'tracking tier 0': 'Tracking, tier 0',
  'tracking tier 1': 'Tracking, tier 1',
  'tracking tier 2': 'Tracking, tier 2',
  'tracking tier 3': 'Tracking, tier 3',
  'tracking tier 4': 'Tracking, tier 4',
};

/** The operations in the filter, as the ledger names them. */
export const OPERATIONS: readonly string[] = Object.keys(OPERATION_WORDS);

export function operationText(operation: string): string {
  // Refunds and grants carry their reason instead of an operation.
  const first = operation.slice(0, 1).toUpperCase();
  return OPERATION_WORDS[operation] ?? `${first}${operation.slice(1)}`;
}

export function entryText(entry: Pick<LedgerEntry, 'kind' | 'operation'>): string {
  if (entry.operation !== null && entry.operation !== '') return operationText(entry.operation);
  return entry.kind === 'refresh' ? 'Credits of a new period' : KIND_WORDS[entry.kind];
}

/** "−15" and "+1,000": a real minus sign, and always a sign. */
export function signedText(credits: number): string {
  if (credits === 0) return '0';
  return `${credits < 0 ? '−' : '+'}${countText(Math.abs(credits))}`;
}
