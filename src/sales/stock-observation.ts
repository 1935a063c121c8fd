// Stock and rank of one observation: all that estimates of units sold are made from.
import { DAY_SECONDS } from '../foundation/time.ts';

export type StockOffer = {
  sellerName: string;
  /** null: unknown, never 0. */
  units: number | null;
  priceCents: number;
};

export type StockObservation = {
  /** The observations of a product are ascending and distinct. */
  atSeconds: number;
  rankPosition: number | null;
  rankCategory: string | null;
  /** undefined: not observed. */
  offers: readonly StockOffer[] | undefined;
  /** Whether the list holds every offer: only then is a missing seller really absent. */
  offersComplete: boolean;
};

/** Days since 1970-01-01, UTC. */
export function dayOf(atSeconds: number): number {
  return Math.floor(atSeconds / DAY_SECONDS);
}
