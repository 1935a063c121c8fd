// The rules of a tracked product: from which thresholds on a change is worth telling.

/** Both must be reached. */
export type PriceRule = {
  /** Hundredths of a percent, whole, so that a threshold is met or missed exactly. */
  basisPoints: number;
  cents: number;
};

export type Rules = {
  /** Buybox price. */
  price: PriceRule;
  /** Landed price of one seller. */
  sellerPrice: PriceRule;
  /** Either suffices: at or under the units, or under so many days of estimated sales. */
  stockLow: { units: number; days: number };
  /** Both must be reached. */
  rank: { basisPoints: number; places: number };
  /** So many changes of holder in 24 h are told one by one. */
  rotation: { count: number };
};

export const DEFAULT_RULES: Rules = {
  price: { basisPoints: 100, cents: 5 },
  sellerPrice: { basisPoints: 100, cents: 5 },
  stockLow: { units: 10, days: 7 },
  rank: { basisPoints: 2_000, places: 5 },
  rotation: { count: 3 },
};

/** The most that looks an hour apart can see in a day. */
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
