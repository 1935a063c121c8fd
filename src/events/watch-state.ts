// What is remembered for one watcher of one product between two collections, and its short form for storage.
import { DEFAULT_RULES, type Rules } from './rule.ts';

/** The value last told, or the first one seen, and when it was seen. */
export type NotifiedPrice = { cents: number; atSeconds: number };

/** Who has the buybox since when; null: nobody. */
export type Holding = { name: string | null; atSeconds: number };

export type BoxState = {
  /** Changes of holder of the last 24 h, ascending; the last one holds still. Empty while none is known. */
  holders: readonly Holding[];
  /** There is neither a box nor a live offer since a look that had a box. */
  lost: boolean;
  /** There were live offers but no box, and no box since. */
  suppressedAtSeconds: number | null;
  /** Rotations are told in summaries since this one. */
  summaryAtSeconds: number | null;
};

export type KnownSeller = {
  name: string;
  /** Landed price last told, or first seen, and when. */
  cents: number;
  atSeconds: number;
  /** Absent from the last complete list: when the seller was last there. */
  lastSeenAtSeconds: number | null;
};

export type StockState = {
  out: boolean;
  lowArmed: boolean;
  /** As of the last change of any of the others. */
  units: number;
  atSeconds: number;
  /** The threshold by which `lowArmed` was decided: a moved one is no change of the stock. */
  lowBy: Rules['stockLow'];
};

export type RankState = {
  /** The position last told, or first seen. */
  position: number;
  category: string;
  atSeconds: number;
  /** The last look at the rank saw a loss that the next one has to confirm. */
  lostOnce: boolean;
  /** One bit for each line of RANK_LINES: crossing it is told again. */
  armedLines: number;
};

/** Each part is null until it was observed for the first time. */
export type WatchState = {
  /** The look that last moved it; no part is newer. */
  atSeconds: number;
  price: NotifiedPrice | null;
  box: BoxState | null;
  /** Ascending by name. */
  sellers: readonly KnownSeller[] | null;
  stock: StockState | null;
  rank: RankState | null;
};

const FORM = 1;
const NOBODY = -1;
const NEVER = -1;

/**
 * Flat lists of numbers, times as seconds before the state's own, each name once. Measured on simulated
 * products: median 139 bytes of JSON for any, 282 for best sellers, a quarter of what the object takes.
 */
export type PackedState = readonly [
  form: number,
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
    FORM,
    atSeconds,
    price === null ? [] : [price.cents, age(price.atSeconds)],
    box === null ? [] : packBox(box, { names, age }),
    sellers === null ? 0 : sellers.flatMap((seller) => [seller.cents, age(seller.atSeconds)]),
    absent,
    stock === null ? [] : packStock(stock, age(stock.atSeconds)),
    rank === null
      ? []
      : [rank.position, age(rank.atSeconds), Number(rank.lostOnce) + 2 * rank.armedLines],
    rank?.category ?? '',
    names,
  ];
}

/** The usual threshold takes no room; states from before it was kept are read as decided by it. */
function packStock({ out, lowArmed, units, lowBy }: StockState, age: number): number[] {
  const { stockLow } = DEFAULT_RULES;
  const isUsual = lowBy.units === stockLow.units && lowBy.days === stockLow.days;
  const packed = [Number(out) + 2 * Number(lowArmed), units, age];
  return isUsual ? packed : [...packed, lowBy.units, lowBy.days];
}

type Packing = { names: string[]; age(at: number | null): number };

/** Holders are mostly sellers: told by their place among the names, others are added there. */
function packBox(box: BoxState, { names, age }: Packing): number[] {
  const packed = [Number(box.lost), age(box.suppressedAtSeconds), age(box.summaryAtSeconds)];
  for (const { name, atSeconds } of box.holders) {
    let index = name === null ? NOBODY : names.indexOf(name);
    if (name !== null && index < 0) index = names.push(name) - 1;
    packed.push(index, age(atSeconds));
  }
  return packed;
}

/** null for a form that is not known here: the watch begins anew, silently. */
export function unpackState(packed: PackedState): WatchState | null {
  if (packed[0] !== FORM) return null;
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
            lostOnce: ((rankFlags as number) & 1) !== 0,
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
    units: units as number,
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
): KnownSeller[] {
  const sellers: KnownSeller[] = [];
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
