// Who held the buybox when: turns observations into intervals, and sums them up by UTC day and by
// seller. Time in which nobody observed is an interval of its own and part of no share.
import type { Buybox } from '../catalog/snapshot.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { heldUntil } from './observed-span.ts';

export type BoxState = 'held' | 'suppressed' | 'not_observed';

export type BoxInterval = {
  fromAtSeconds: number;
  /** Exclusive. */
  toAtSeconds: number;
  state: BoxState;
  /** null: nobody holds the buybox, or the source does not name the holder. */
  sellerName: string | null;
  /** null unless the buybox is held. */
  prices: BoxPrices | null;
};

export type BoxPrices = {
  firstCents: number;
  lastCents: number;
  minCents: number;
  maxCents: number;
  /** Weighted by time. */
  averageCents: number;
};

/** Seconds held by each seller, and the price of each second in sum. */
type Held = { seconds: number; centSeconds: number };

export type SellerTime = { sellerName: string | null; seconds: number; averageCents: number };

export type BoxTimes = {
  observedSeconds: number;
  suppressedSeconds: number;
  /** Longest first. */
  sellers: SellerTime[];
  /** Weighted by time; null if nobody held the buybox. */
  averageCents: number | null;
};

export type BoxDay = BoxTimes & {
  day: number;
  /** The part of the day within the range. */
  seconds: number;
};

type Range = {
  /** null: from the first observation on. */
  fromAtSeconds: number | null;
  toAtSeconds: number;
};

type Segment = { fromAtSeconds: number; toAtSeconds: number; box: Buybox | null };

export type BuyboxShare = ReturnType<typeof createBuyboxShare>;

/**
 * Add the observations of the buybox in ascending order, beginning with those that may still hold
 * at the start of the range. `add` and `finish` return the intervals that are complete.
 */
export function createBuyboxShare({ fromAtSeconds, toAtSeconds }: Range) {
  let last: { atSeconds: number; box: Buybox | null } | undefined;
  let current: OpenInterval | undefined;
  /** null until the first observation of a range without a start. */
  let startAtSeconds = fromAtSeconds;
  /** Up to here every second is in an interval. */
  let coveredAtSeconds = fromAtSeconds;
  const total = createTimes();
  const days: BoxDay[] = [];
  let day: { day: number; times: Times } | undefined;

  const closeDay = () => {
    if (day === undefined) return;
    const beginAtSeconds = Math.max(day.day * DAY_SECONDS, startAtSeconds ?? 0);
    const endAtSeconds = Math.min((day.day + 1) * DAY_SECONDS, toAtSeconds);
    days.push({ day: day.day, seconds: endAtSeconds - beginAtSeconds, ...day.times.sums() });
  };
  const addToDays = ({ box, ...segment }: Segment) => {
    for (let atSeconds = segment.fromAtSeconds; atSeconds < segment.toAtSeconds; ) {
      const on = Math.floor(atSeconds / DAY_SECONDS);
      if (day?.day !== on) {
        closeDay();
        day = { day: on, times: createTimes() };
      }
      const endAtSeconds = Math.min((on + 1) * DAY_SECONDS, segment.toAtSeconds);
      day.times.add(box, endAtSeconds - atSeconds);
      atSeconds = endAtSeconds;
    }
  };
  const addSegment = (segment: Segment): BoxInterval[] => {
    const beginAtSeconds = Math.max(segment.fromAtSeconds, fromAtSeconds ?? 0);
    const endAtSeconds = Math.min(segment.toAtSeconds, toAtSeconds);
    if (beginAtSeconds >= endAtSeconds) return [];
    startAtSeconds ??= beginAtSeconds;
    const { box } = segment;
    total.add(box, endAtSeconds - beginAtSeconds);
    addToDays({ fromAtSeconds: beginAtSeconds, toAtSeconds: endAtSeconds, box });
    const done: BoxInterval[] = [];
    if (current?.continuesWith(beginAtSeconds, box) !== true) {
      if (current !== undefined) done.push(current.interval());
      if (coveredAtSeconds !== null && coveredAtSeconds < beginAtSeconds)
        done.push(notObserved(coveredAtSeconds, beginAtSeconds));
      current = openInterval(beginAtSeconds, box);
    }
    current.extend(endAtSeconds, box);
    coveredAtSeconds = endAtSeconds;
    return done;
  };
  const closeLast = (nextAtSeconds?: number): BoxInterval[] => {
    if (last === undefined) return [];
    const { atSeconds, box } = last;
    const segment = { fromAtSeconds: atSeconds, toAtSeconds: heldUntil(atSeconds, nextAtSeconds) };
    return addSegment({ ...segment, box });
  };

  return {
    /** undefined: the buybox was not observed, so the observation before still holds. */
    add(atSeconds: number, box: Buybox | null | undefined): BoxInterval[] {
      if (box === undefined) return [];
      const done = closeLast(atSeconds);
      last = { atSeconds, box };
      return done;
    },
    finish(): BoxInterval[] {
      const done = closeLast();
      closeDay();
      if (current !== undefined) done.push(current.interval());
      if (coveredAtSeconds !== null && coveredAtSeconds < toAtSeconds)
        done.push(notObserved(coveredAtSeconds, toAtSeconds));
      return done;
    },
    /** The sums; complete after `finish`. Days without any observed time are absent. */
    days: (): readonly BoxDay[] => days,
    total: (): BoxTimes => total.sums(),
  };
}

const notObserved = (fromAtSeconds: number, toAtSeconds: number): BoxInterval => ({
  fromAtSeconds,
  toAtSeconds,
  state: 'not_observed',
  sellerName: null,
  prices: null,
});

type OpenInterval = ReturnType<typeof openInterval>;

/** An interval that grows while the same seller, or nobody, holds the buybox without a gap. */
function openInterval(fromAtSeconds: number, first: Buybox | null) {
  let toAtSeconds = fromAtSeconds;
  let centSeconds = 0;
  const prices = { firstCents: 0, lastCents: 0, minCents: 0, maxCents: 0 };
  if (first !== null) prices.firstCents = prices.minCents = prices.maxCents = first.priceCents;
  return {
    continuesWith: (atSeconds: number, box: Buybox | null): boolean =>
      atSeconds === toAtSeconds &&
      (box === null) === (first === null) &&
      box?.sellerName === first?.sellerName,
    extend(untilSeconds: number, box: Buybox | null): void {
      if (box !== null) {
        const { priceCents } = box;
        centSeconds += priceCents * (untilSeconds - toAtSeconds);
        prices.lastCents = priceCents;
        prices.minCents = Math.min(prices.minCents, priceCents);
        prices.maxCents = Math.max(prices.maxCents, priceCents);
      }
      toAtSeconds = untilSeconds;
    },
    interval: (): BoxInterval => ({
      fromAtSeconds,
      toAtSeconds,
      state: first === null ? 'suppressed' : 'held',
      sellerName: first?.sellerName ?? null,
      prices:
        first === null
          ? null
          : { ...prices, averageCents: average(centSeconds, toAtSeconds - fromAtSeconds) },
    }),
  };
}

type Times = ReturnType<typeof createTimes>;

function createTimes() {
  const bySeller = new Map<string | null, Held>();
  let suppressedSeconds = 0;
  return {
    add(box: Buybox | null, seconds: number): void {
      if (box === null) {
        suppressedSeconds += seconds;
        return;
      }
      const held = bySeller.get(box.sellerName) ?? { seconds: 0, centSeconds: 0 };
      held.seconds += seconds;
      held.centSeconds += box.priceCents * seconds;
      bySeller.set(box.sellerName, held);
    },
    sums(): BoxTimes {
      const sellers = [...bySeller].map(([sellerName, { seconds, centSeconds }]) => ({
        sellerName,
        seconds,
        averageCents: average(centSeconds, seconds),
      }));
      let [heldSeconds, centSeconds] = [0, 0];
      for (const held of bySeller.values()) {
        heldSeconds += held.seconds;
        centSeconds += held.centSeconds;
      }
      return {
        observedSeconds: heldSeconds + suppressedSeconds,
        suppressedSeconds,
        sellers: sellers.sort((a, b) => b.seconds - a.seconds),
        averageCents: heldSeconds === 0 ? null : average(centSeconds, heldSeconds),
      };
    },
  };
}

const average = (centSeconds: number, seconds: number) => Math.round(centSeconds / seconds);
