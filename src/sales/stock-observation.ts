// What one successful look saw of a product's stock and rank: all that estimates of units sold are made from.
import { DAY_SECONDS } from '../foundation/time.ts';

export type StockOffer = {
  sellerName: string;
  /** null: unknown, never 0. */
  units: number | null;
  priceCents: number;
};

export type StockObservation = {
  /** UNIX seconds; the looks of a product are ascending and distinct. */
  atSeconds: number;
  rankPosition: number | null;
  rankCategory: string | null;
  /** undefined: not looked at. */
  offers: readonly StockOffer[] | undefined;
  /** Only then may anything be concluded from a seller's absence. */
  offersComplete: boolean;
};

/** Days since 1970-01-01, UTC. */
export function dayOf(atSeconds: number): number {
  return Math.floor(atSeconds / DAY_SECONDS);
}
