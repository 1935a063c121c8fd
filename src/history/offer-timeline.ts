// The offers of every seller over time. A seller that is missing from a complete list is gone; one
// that is missing from an incomplete list is unknown, and after a while not observed.
import { isStatedSoldOut } from '../catalog/snapshot.ts';
import type { Observation, SeenOffer } from './observation.ts';
import { heldUntil } from './observed-span.ts';

export type OfferState = 'listed' | 'sold_out' | 'gone' | 'not_observed';

export type OfferPoint = {
  atSeconds: number;
  sellerName: string;
  state: OfferState;
  /** null unless the seller lists an offer. */
  priceCents: number | null;
  shippingCents: number | null;
  /** null: unknown, or no offer. */
  unitsInStock: number | null;
};

export type SellerSpan = {
  sellerName: string;
  firstAtSeconds: number;
  lastAtSeconds: number;
  observations: number;
  state: OfferState;
};

type Range = { fromAtSeconds: number; toAtSeconds: number };

/** What is known of a seller: the last point, and when an offer of it was last observed. */
type Known = { point: OfferPoint; seenAtSeconds: number; isShown: boolean };

/**
 * Add the observations in ascending order, beginning with those that may still hold at the start of
 * the range. `add` and `finish` return the points of the range, ascending.
 */
export function createOfferTimeline(range: Range, { changesOnly }: { changesOnly: boolean }) {
  const lastBySeller = new Map<string, Known>();
  const spans = new Map<string, SellerSpan>();
  const observed = createObservedTime(range);

  const isInRange = (atSeconds: number) =>
    atSeconds >= range.fromAtSeconds && atSeconds < range.toAtSeconds;

  /** Stores the point, and returns it if it is to be shown. */
  const keep = (point: OfferPoint, seenAtSeconds: number): OfferPoint[] => {
    const { sellerName, atSeconds } = point;
    const before = lastBySeller.get(sellerName);
    const isShown = isInRange(atSeconds);
    lastBySeller.set(sellerName, { point, seenAtSeconds, isShown });
    if (!isShown) return [];
    note(spans, point);
    const isRepeated = before?.isShown === true && isSame(before.point, point);
    return changesOnly && isRepeated ? [] : [point];
  };
  /** Sellers that no list has confirmed for too long, up to an instant. */
  const expire = (untilSeconds: number): OfferPoint[] => {
    const expired: OfferPoint[] = [];
    for (const [sellerName, { point, seenAtSeconds }] of lastBySeller) {
      if (point.state !== 'listed' && point.state !== 'sold_out') continue;
      const atSeconds = heldUntil(seenAtSeconds);
      if (atSeconds >= untilSeconds) continue;
      expired.push(...keep(noOffer(atSeconds, sellerName, 'not_observed'), seenAtSeconds));
    }
    return expired.sort((a, b) => a.atSeconds - b.atSeconds);
  };
  const addList = (observation: Observation, offers: readonly SeenOffer[]): OfferPoint[] => {
    const { atSeconds } = observation;
    const points = offers.flatMap((offer) => keep(listed(atSeconds, offer), atSeconds));
    const isSoldOut = isStatedSoldOut(observation);
    if (!observation.offersComplete && !isSoldOut) return points;
    const names = new Set(offers.map(({ sellerName }) => sellerName));
    for (const [sellerName, { point }] of lastBySeller) {
      if (names.has(sellerName) || point.state === 'gone') continue;
      const next = isSoldOut ? soldOut(atSeconds, point) : noOffer(atSeconds, sellerName, 'gone');
      points.push(...keep(next, atSeconds));
    }
    return points;
  };

  return {
    add(observation: Observation): OfferPoint[] {
      const { atSeconds, offers } = observation;
      if (offers === undefined) return [];
      observed.add(atSeconds);
      return [...expire(atSeconds), ...addList(observation, offers)];
    },
    finish(): OfferPoint[] {
      observed.finish();
      return expire(range.toAtSeconds);
    },
    /** In the order of their first offer in the range. */
    sellers: (): SellerSpan[] => [...spans.values()],
    /** The seconds of the range in which offers were observed; complete after `finish`. */
    observedSeconds: () => observed.seconds(),
  };
}

function note(spans: Map<string, SellerSpan>, { sellerName, atSeconds, state }: OfferPoint): void {
  const span = spans.get(sellerName) ?? {
    sellerName,
    firstAtSeconds: atSeconds,
    lastAtSeconds: atSeconds,
    observations: 0,
    state,
  };
  span.state = state;
  if (state === 'listed') {
    span.lastAtSeconds = atSeconds;
    span.observations++;
  }
  spans.set(sellerName, span);
}

const listed = (atSeconds: number, offer: SeenOffer): OfferPoint => ({
  atSeconds,
  sellerName: offer.sellerName,
  state: 'listed',
  priceCents: offer.priceCents,
  shippingCents: offer.shippingCents,
  unitsInStock: offer.unitsInStock,
});

/** The source states that nothing is left, without naming this seller. */
const soldOut = (atSeconds: number, last: OfferPoint): OfferPoint => ({
  ...last,
  atSeconds,
  state: 'sold_out',
  unitsInStock: 0,
});

const noOffer = (atSeconds: number, sellerName: string, state: OfferState): OfferPoint => ({
  atSeconds,
  sellerName,
  state,
  priceCents: null,
  shippingCents: null,
  unitsInStock: null,
});

const isSame = (a: OfferPoint, b: OfferPoint) =>
  a.state === b.state &&
  a.priceCents === b.priceCents &&
  a.shippingCents === b.shippingCents &&
  a.unitsInStock === b.unitsInStock;

/** The time of the range in which the last list still held. */
function createObservedTime(range: Range) {
  let lastAtSeconds: number | null = null;
  let seconds = 0;
  const close = (nextAtSeconds?: number) => {
    if (lastAtSeconds === null) return;
    const fromAtSeconds = Math.max(lastAtSeconds, range.fromAtSeconds);
    const toAtSeconds = Math.min(heldUntil(lastAtSeconds, nextAtSeconds), range.toAtSeconds);
    seconds += Math.max(0, toAtSeconds - fromAtSeconds);
  };
  return {
    add(atSeconds: number): void {
      close(atSeconds);
      lastAtSeconds = atSeconds;
    },
    finish: () => close(),
    seconds: () => seconds,
  };
}
