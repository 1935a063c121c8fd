// Whether a tracked product needs its customer's attention, and why: only the most urgent reason.
import type { ShelfAsOf } from '../../history/as-of.ts';
import { isoTime } from '../wire.ts';

const FAILURES_MIN = 3;

/** The reasons; the dashboard sorts and colours by them. */
export const ATTENTION_CODES = [
  'suspended',
  'delisted',
  'collections_failing',
  'no_offers',
  'no_buybox',
  'out_of_stock',
  'buybox_elsewhere',
] as const;

type Attention = { code: (typeof ATTENTION_CODES)[number]; sentence: string };

export function needsAttention(tracked: {
  isSuspended: boolean;
  failures: number;
  /** The seller of the product or of the account; null if no seller is watched. */
  watchedSeller: string | null;
  /** Undefined before the first collection. */
  shelf: ShelfAsOf | undefined;
  /** When the product was delisted. */
  delistedAtMs?: number | undefined;
}): Attention | null {
  const { shelf, failures, delistedAtMs } = tracked;
  if (tracked.isSuspended) {
    return {
      code: 'suspended',
      sentence: 'Not enough credits for today: choose a cheaper tier, or wait for the refresh.',
    };
  }
  if (delistedAtMs !== undefined) {
    const day = isoTime(delistedAtMs).slice(0, 10);
    return {
      code: 'delisted',
      sentence: `Delisted since ${day} (UTC): the marketplace no longer lists it.`,
    };
  }
  if (failures >= FAILURES_MIN) {
    return { code: 'collections_failing', sentence: `The last ${failures} collections failed.` };
  }
  return shelf === undefined ? null : shelfAttention(shelf, tracked.watchedSeller);
}

function shelfAttention(shelf: ShelfAsOf, watchedSeller: string | null): Attention | null {
  // An incomplete list of offers is unknown, and no reason for attention.
  if (shelf.isComplete && shelf.offers.length === 0) {
    return { code: 'no_offers', sentence: 'Nobody offers it.' };
  }
  if (shelf.buybox === null && shelf.offers.length > 0) {
    return { code: 'no_buybox', sentence: 'No buybox although there are offers.' };
  }
  if (shelf.unitsInStock === 0) return { code: 'out_of_stock', sentence: 'Out of stock.' };
  // Only if the watched seller offers the product: otherwise another seller always has the buybox.
  const isOffered = shelf.offers.some(({ sellerName }) => sellerName === watchedSeller);
  if (!isOffered || !shelf.buybox || shelf.buybox.sellerName === watchedSeller) return null;
  const holder = shelf.buybox.sellerName;
  return {
    code: 'buybox_elsewhere',
    sentence: holder === null ? 'The buybox is not yours.' : `${holder} holds the buybox.`,
  };
}
