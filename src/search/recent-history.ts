// Facts that follow from a product's recent history: changes over days, time out of stock, and
// since when the price was not lower. Time that nobody observed counts for nothing.
import { DAY_SECONDS } from '../foundation/time.ts';
import { totalUnits } from '../history/as-of.ts';
import type { Observation } from '../history/observation.ts';
import { heldUntil } from '../history/observed-span.ts';
import type { FactName } from './fact.ts';

/** How far back changes and shares reach, and the lowest price. */
export const SHARE_DAYS = 90;
export const LOWEST_DAYS_MAX = 365;

const CHANGE_DAYS = [1, 7, 30, 90] as const;

type Moment = { atSeconds: number; price: number | null; rank: Rank | null };
type Rank = { position: number; category: string };

export type RecentFacts = Readonly<
  Record<Exclude<FactName, CurrentFact>, number | null> & { observedPart90d: number }
>;
type CurrentFact = 'price' | 'rank' | 'sellers' | 'stock' | 'rating' | 'reviews' | 'units_per_day';

export type RecentHistory = ReturnType<typeof createRecentHistory>;

/** Add observations in ascending order, then read the facts as of `nowSeconds`. */
export function createRecentHistory(nowSeconds: number) {
  const marks = CHANGE_DAYS.map((days) => ({
    days,
    atSeconds: nowSeconds - days * DAY_SECONDS,
    before: null as Moment | null,
  }));
  const shares = { d30: createShare(nowSeconds, 30), d90: createShare(nowSeconds, SHARE_DAYS) };
  const prices: { atSeconds: number; cents: number }[] = [];
  let moment: Moment | null = null;
  let availability: { isOut: boolean; atSeconds: number } | null = null;
  let firstAtSeconds: number | null = null;

  const endAvailability = (nextAtSeconds: number) => {
    if (availability === null) return;
    const span = {
      fromSeconds: availability.atSeconds,
      toSeconds: heldUntil(availability.atSeconds, nextAtSeconds),
    };
    shares.d30.add(span, availability.isOut);
    shares.d90.add(span, availability.isOut);
  };

  return {
    add(observation: Observation): void {
      const { atSeconds, buybox, rank } = observation;
      firstAtSeconds ??= atSeconds;
      moment = {
        atSeconds,
        price: buybox === undefined ? (moment?.price ?? null) : (buybox?.priceCents ?? null),
        rank: rank ?? moment?.rank ?? null,
      };
      for (const mark of marks) if (atSeconds <= mark.atSeconds) mark.before = moment;
      if (buybox) prices.push({ atSeconds, cents: buybox.priceCents });
      const isOut = isOutOfStock(observation);
      if (isOut === null) return;
      endAvailability(atSeconds);
      availability = { isOut, atSeconds };
    },
    /** `price` and `rank` are the current ones. */
    facts({ price, rank }: { price: number | null; rank: Rank | null }): RecentFacts {
      endAvailability(nowSeconds);
      availability = null;
      const changes = marks.map((mark) => changesSince(mark, { price, rank, moment }));
      const [d1, d7, d30, d90] = changes as [Changes, Changes, Changes, Changes];
      return {
        price_change_1d: d1.price,
        price_change_7d: d7.price,
        price_change_30d: d30.price,
        price_change_90d: d90.price,
        rank_change_1d: d1.rank,
        rank_change_7d: d7.rank,
        rank_change_30d: d30.rank,
        rank_change_90d: d90.rank,
        out_of_stock_30d: shares.d30.outPercent(),
        out_of_stock_90d: shares.d90.outPercent(),
        lowest_in_days:
          price === null || firstAtSeconds === null
            ? null
            : lowestDays({ prices, price, firstAtSeconds, nowSeconds }),
        observedPart90d: shares.d90.observedPart(),
      };
    },
  };
}

type Changes = { price: number | null; rank: number | null };

/** In percent. Unknown unless both ends were observed: the mark itself, and a time after it. */
function changesSince(
  mark: { atSeconds: number; before: Moment | null },
  current: { price: number | null; rank: Rank | null; moment: Moment | null },
): Changes {
  const { before } = mark;
  const isKnown =
    before !== null &&
    heldUntil(before.atSeconds) > mark.atSeconds &&
    (current.moment?.atSeconds ?? 0) > mark.atSeconds;
  if (!isKnown) return { price: null, rank: null };
  const isSameRanking = current.rank?.category === before.rank?.category;
  return {
    price: percentChange(before.price, current.price),
    rank: isSameRanking
      ? percentChange(before.rank?.position ?? null, current.rank?.position ?? null)
      : null,
  };
}

const percentChange = (before: number | null, now: number | null): number | null =>
  before === null || now === null ? null : (100 * (now - before)) / before;

/** Null if the observation does not say. A box without units listed counts as in stock. */
export function isOutOfStock({ buybox, offers, offersComplete }: Observation): boolean | null {
  if (buybox) return false;
  if (offers === undefined) return null;
  const units = totalUnits(offers);
  if (units !== 0) return false;
  return offersComplete || buybox === null ? true : null;
}

type SecondsSpan = { fromSeconds: number; toSeconds: number };

function createShare(nowSeconds: number, days: number) {
  const startSeconds = nowSeconds - days * DAY_SECONDS;
  let observed = 0;
  let out = 0;
  return {
    add({ fromSeconds, toSeconds }: SecondsSpan, isOut: boolean): void {
      const from = Math.max(fromSeconds, startSeconds);
      const seconds = Math.max(0, Math.min(toSeconds, nowSeconds) - from);
      observed += seconds;
      if (isOut) out += seconds;
    },
    outPercent: () => (observed === 0 ? null : (100 * out) / observed),
    observedPart: () => observed / (days * DAY_SECONDS),
  };
}

/** Whole days since the price was last lower, or since the first observation. */
function lowestDays(input: {
  prices: readonly { atSeconds: number; cents: number }[];
  price: number;
  firstAtSeconds: number;
  nowSeconds: number;
}): number {
  const { prices, price, firstAtSeconds, nowSeconds } = input;
  const index = prices.findLastIndex(({ cents }) => cents < price);
  const lower = prices[index];
  const sinceSeconds =
    lower === undefined
      ? firstAtSeconds
      : heldUntil(lower.atSeconds, prices[index + 1]?.atSeconds ?? nowSeconds);
  const days = Math.floor((nowSeconds - sinceSeconds) / DAY_SECONDS);
  return Math.min(LOWEST_DAYS_MAX, Math.max(0, days));
}
