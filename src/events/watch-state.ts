// The state kept for one watcher of one product between collections, and its packed form for
// storage.
import { DEFAULT_RULES, type Rules } from './rule.ts';

/** The last notified price, or the first observed one, and when it was observed. */
export type NotifiedPrice = { cents: number; atSeconds: number };

/** Who holds the buybox (null: nobody) and since when. */
export type Holding = { name: string | null; atSeconds: number };

export type BoxState = {
  /**
   * Changes of holder in the last 24 h, ascending; the last is the current one. Empty if unknown.
   */
  holders: readonly Holding[];
  /** There was a box, and since then neither a box nor a live offer. */
  lost: boolean;
  /** When live offers without a box were first observed; null unless the box is suppressed. */
  suppressedAtSeconds: number | null;
  /** Time of the last summary, while rotations are summarized; otherwise null. */
  summaryAtSeconds: number | null;
};

export type SellerState = {
  name: string;
  /** Landed price last notified, or first observed, and when. */
  cents: number;
  atSeconds: number;
  /** When the seller was last listed, if absent from the last complete list; otherwise null. */
  lastSeenAtSeconds: number | null;
};

export type StockState = {
  out: boolean;
  lowArmed: boolean;
  /** As of the last change of another member; null: in stock, nobody knows how many. */
  units: number | null;
  atSeconds: number;
  /**
   * The threshold that `lowArmed` was decided with: a changed threshold is not a change of stock.
   */
  lowBy: Rules['stockLow'];
};

export type RankState = {
  /** The last notified position, or the first observed one. */
  position: number;
  category: string;
  atSeconds: number;
  /** The last observation of the rank showed a loss that the next one has to confirm. */
  lossPending: boolean;
  /** One bit for each line of RANK_LINES: set if crossing it is notified. */
  armedLines: number;
};

/** Each part is null until it is first observed. */
export type WatchState = {
  /** Time of the observation that last changed the state; no part is newer. */
  atSeconds: number;
  price: NotifiedPrice | null;
  box: BoxState | null;
  /** Ascending by name. */
  sellers: readonly SellerState[] | null;
  stock: StockState | null;
  rank: RankState | null;
};

const FORMAT_VERSION = 1;
const NOBODY = -1;
const NEVER = -1;
const UNCOUNTED = -1;

/**
 * Flat lists of numbers, times as seconds before the state's time, each name once. Measured on
 * simulated products: median 139 bytes of JSON, 282 for best sellers; a quarter of the object's
 * size.
 */
export type PackedState = readonly [
  formatVersion: number,
  atSeconds: number,
  price: readonly number[],
  box: readonly number[],
  sellers: readonly number[] | 0,
  absent: readonly number[],
  stock: readonly number[],
  rank: readonly number[],
  category: string,
  names: readonly string[],
];

export function packState(state: WatchState): PackedState {
  const { atSeconds, price, box, sellers, stock, rank } = state;
  const age = (at: number | null) => (at === null ? NEVER : atSeconds - at);
  const names = sellers?.map(({ name }) => name) ?? [];
  const absent: number[] = [];
  for (const [index, { lastSeenAtSeconds }] of (sellers ?? []).entries()) {
    if (lastSeenAtSeconds !== null) absent.push(index, age(lastSeenAtSeconds));
  }
  return [
    FORMAT_VERSION,
    atSeconds,
    price === null ? [] : [price.cents, age(price.atSeconds)],
    box === null ? [] : packBox(box, { names, age }),
    sellers === null ? 0 : sellers.flatMap((seller) => [seller.cents, age(seller.atSeconds)]),
    absent,
    stock === null ? [] : packStock(stock, age(stock.atSeconds)),
    rank === null
      ? []
      : [rank.position, age(rank.atSeconds), Number(rank.lossPending) + 2 * rank.armedLines],
    rank?.category ?? '',
    names,
  ];
}

/**
 * The default threshold is not stored; states stored before the threshold existed are read with it.
 */
function packStock({ out, lowArmed, units, lowBy }: StockState, age: number): number[] {
  const { stockLow } = DEFAULT_RULES;
  const isUsual = lowBy.units === stockLow.units && lowBy.days === stockLow.days;
  const packed = [Number(out) + 2 * Number(lowArmed), units ?? UNCOUNTED, age];
  return isUsual ? packed : [...packed, lowBy.units, lowBy.days];
}

type Packing = { names: string[]; age(at: number | null): number };

/** Holders are mostly sellers: stored by their index in the names; other holders are appended. */
function packBox(box: BoxState, { names, age }: Packing): number[] {
  const packed = [Number(box.lost), age(box.suppressedAtSeconds), age(box.summaryAtSeconds)];
  for (const { name, atSeconds } of box.holders) {
    let index = name === null ? NOBODY : names.indexOf(name);
    if (name !== null && index < 0) index = names.push(name) - 1;
    packed.push(index, age(atSeconds));
  }
  return packed;
}

/** null for an unknown format: the watch starts again with a baseline and no events. */
export function unpackState(packed: PackedState): WatchState | null {
  if (packed[0] !== FORMAT_VERSION) return null;
  const [, atSeconds, price, box, sellers, absent, stock, rank, category, names] = packed;
  const time = (age: number | undefined) => atSeconds - (age as number);
  const [cents, priceAge] = price;
  const [position, rankAge, rankFlags] = rank;
  return {
    atSeconds,
    price: cents === undefined ? null : { cents, atSeconds: time(priceAge) },
    box: unpackBox(box, { names, time }),
    sellers: sellers === 0 ? null : unpackSellers(sellers, { names, absent, time }),
    stock: unpackStock(stock, time),
    rank:
      position === undefined
        ? null
        : {
            position,
            category,
            atSeconds: time(rankAge),
            lossPending: ((rankFlags as number) & 1) !== 0,
            armedLines: (rankFlags as number) >> 1,
          },
  };
}

function unpackStock(packed: readonly number[], time: Unpacking['time']): StockState | null {
  const [flags, units, age, lowUnits, lowDays] = packed;
  if (flags === undefined) return null;
  return {
    out: (flags & 1) !== 0,
    lowArmed: (flags & 2) !== 0,
    units: units === UNCOUNTED ? null : (units as number),
    atSeconds: time(age),
    lowBy:
      lowUnits === undefined
        ? DEFAULT_RULES.stockLow
        : { units: lowUnits, days: lowDays as number },
  };
}

type Unpacking = { names: readonly string[]; time(age: number | undefined): number };

function unpackBox(packed: readonly number[], { names, time }: Unpacking): BoxState | null {
  if (packed.length === 0) return null;
  const [lost, suppressedAge, summaryAge] = packed;
  const holders: Holding[] = [];
  for (let at = 3; at < packed.length; at += 2) {
    const index = packed[at] as number;
    const name = index === NOBODY ? null : (names[index] as string);
    holders.push({ name, atSeconds: time(packed[at + 1]) });
  }
  return {
    holders,
    lost: lost === 1,
    suppressedAtSeconds: suppressedAge === NEVER ? null : time(suppressedAge),
    summaryAtSeconds: summaryAge === NEVER ? null : time(summaryAge),
  };
}

function unpackSellers(
  packed: readonly number[],
  { names, absent, time }: Unpacking & { absent: readonly number[] },
): SellerState[] {
  const sellers: SellerState[] = [];
  let nextAbsent = 0;
  for (let index = 0; index * 2 < packed.length; index++) {
    const isAbsent = absent[nextAbsent] === index;
    sellers.push({
      name: names[index] as string,
      cents: packed[index * 2] as number,
      atSeconds: time(packed[index * 2 + 1]),
      lastSeenAtSeconds: isAbsent ? time(absent[nextAbsent + 1]) : null,
    });
    if (isAbsent) nextAbsent += 2;
  }
  return sellers;
}
