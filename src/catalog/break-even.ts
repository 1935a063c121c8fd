// The break-even price of a product: the lowest price whose proceeds cover the seller's costs,
// exact to the cent. Pure.
import { type FeeSchedule, feesFor, priceBandsCents, type Sale } from './fee-schedule.ts';

/** A product that does not pay at this price does not pay at any. */
const PRICE_MAX_CENTS = 10_000_000_000;

/**
 * Returns null if no price covers the costs. A higher price may leave less, where a band's rate
 * applies to the whole price; within a band, one more cent never costs more than a cent. So the
 * bands are tried in ascending order, each by halving.
 */
export function breakEvenCents(
  schedule: FeeSchedule,
  sale: Omit<Sale, 'priceCents'>,
  costsCents: number,
): number | null {
  const isCovered = (priceCents: number) =>
    priceCents - feesFor(schedule, { ...sale, priceCents }).totalCents >= costsCents;
  let firstCents = 0;
  for (const upToCents of priceBandsCents(schedule, sale)) {
    const lastCents = Math.min(upToCents, PRICE_MAX_CENTS);
    if (firstCents <= lastCents && isCovered(lastCents)) {
      return lowest({ firstCents, lastCents }, isCovered);
    }
    firstCents = lastCents + 1;
  }
  return null;
}

/** The lowest price of a band that is covered; its last one is. */
function lowest(
  band: { firstCents: number; lastCents: number },
  isCovered: (priceCents: number) => boolean,
): number {
  let { firstCents: low, lastCents: high } = band;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (isCovered(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
