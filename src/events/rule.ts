// The rules of a tracked product: the thresholds from which a change is an event.

/** Both must be reached. */
export type PriceRule = {
  /** Hundredths of a percent, as an integer, so that the comparison is exact. */
  basisPoints: number;
  cents: number;
};

export type Rules = {
  /** For the buybox price. */
  price: PriceRule;
  /** For the landed price of one seller. */
  sellerPrice: PriceRule;
  /** Either suffices: at most `units`, or less than `days` of estimated sales. */
  stockLow: { units: number; days: number };
  /** Both must be reached. */
  rank: { basisPoints: number; places: number };
  /** Up to `count` changes of holder in 24 h are single events; more become a summary. */
  rotation: { count: number };
};

export const DEFAULT_RULES: Rules = {
  price: { basisPoints: 100, cents: 5 },
  sellerPrice: { basisPoints: 100, cents: 5 },
  stockLow: { units: 10, days: 7 },
  rank: { basisPoints: 2_000, places: 5 },
  rotation: { count: 3 },
};

/** The most that hourly observations can see in a day. */
export const ROTATIONS_A_DAY_MAX = 24;

export function isPriceMove(rule: PriceRule, fromCents: number, toCents: number): boolean {
  const movedCents = Math.abs(toCents - fromCents);
  return movedCents > 0 && movedCents >= rule.cents && isShare(movedCents, fromCents, rule);
}

export function isRankMove(rule: Rules['rank'], from: number, to: number): boolean {
  const places = Math.abs(to - from);
  return places > 0 && places >= rule.places && isShare(places, from, rule);
}

const isShare = (moved: number, from: number, rule: { basisPoints: number }) =>
  moved * 10_000 >= rule.basisPoints * from;
