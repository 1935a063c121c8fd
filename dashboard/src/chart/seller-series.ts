// The sellers over time: from the days tracked at tier 0 and from a bought offer history, as one
// series of price and one of stock for each.
import { HELD_MS, isEmpty, type StepSeries, seriesOf, type TimedValue } from './step-series.ts';

/** As GET /session/tracked/{id}/sellers returns it. */
export type TrackedSellers = {
  to: string | null;
  sellers: readonly {
    seller_name: string;
    at_seconds: readonly number[];
    prices: readonly (number | null)[];
    units_in_stock: readonly (number | null)[];
  }[];
};

/** As the offer history returns it. */
export type BoughtOffers = {
  to: string;
  offers: readonly {
    date: string;
    seller_name: string;
    price: number | null;
    shipping: number | null;
    units_in_stock: number | null;
  }[];
};

export type SellerSeries = {
  name: string;
  /** With shipping. */
  price: StepSeries;
  stock: StepSeries;
  firstAtMs: number;
  /** Milliseconds with an offer, for the choice of the sellers shown first. */
  listedMs: number;
};

type Changes = { atMs: number[]; price: number[]; units: number[] };

/** In the order in which they were first seen, so that a new seller changes nobody's colour. */
export function sellerSeries(
  tracked: TrackedSellers | null,
  bought: BoughtOffers | null,
  nowMs: number,
): SellerSeries[] {
  const free = trackedChanges(tracked);
  const paid = boughtChanges(bought);
  const names = [...new Set([...paid.bySeller.keys(), ...free.bySeller.keys()])];
  const all = names.map((name) => {
    const changes = combined(paid.bySeller.get(name), free.bySeller.get(name), free);
    // The last list holds as long as any observation.
    const endAtMs = Math.min(nowMs, Math.max(free.toAtMs, paid.toAtMs) + HELD_MS);
    return seriesOfSeller(name, changes, endAtMs);
  });
  return all
    .filter(({ price }) => !isEmpty(price))
    .sort((a, b) => a.firstAtMs - b.firstAtMs || (a.name < b.name ? -1 : 1));
}

type Source = { fromAtMs: number; toAtMs: number; bySeller: ReadonlyMap<string, Changes> };

function trackedChanges(tracked: TrackedSellers | null): Source {
  const bySeller = new Map<string, Changes>();
  let fromAtMs = Number.POSITIVE_INFINITY;
  for (const { seller_name, at_seconds, prices, units_in_stock } of tracked?.sellers ?? []) {
    bySeller.set(seller_name, {
      atMs: at_seconds.map((at) => at * 1000),
      price: prices.map((price) => price ?? Number.NaN),
      units: units_in_stock.map((units) => units ?? Number.NaN),
    });
    fromAtMs = Math.min(fromAtMs, (at_seconds[0] ?? Number.POSITIVE_INFINITY) * 1000);
  }
  return { fromAtMs, toAtMs: tracked?.to ? Date.parse(tracked.to) : 0, bySeller };
}

function boughtChanges(bought: BoughtOffers | null): Source {
  const bySeller = new Map<string, Changes>();
  let fromAtMs = Number.POSITIVE_INFINITY;
  for (const { date, seller_name, price, shipping, units_in_stock } of bought?.offers ?? []) {
    let changes = bySeller.get(seller_name);
    if (changes === undefined) {
      changes = { atMs: [], price: [], units: [] };
      bySeller.set(seller_name, changes);
    }
    const atMs = Date.parse(date);
    fromAtMs = Math.min(fromAtMs, atMs);
    const landed = price === null ? Number.NaN : Math.round((price + (shipping ?? 0)) * 100) / 100;
    changes.atMs.push(atMs);
    changes.price.push(landed);
    changes.units.push(units_in_stock ?? Number.NaN);
  }
  return { fromAtMs, toAtMs: bought ? Date.parse(bought.to) : 0, bySeller };
}

/** What tracking saw replaces the bought history from its start to its end. */
function combined(paid: Changes | undefined, free: Changes | undefined, tracked: Source): Changes {
  if (paid === undefined) return free ?? { atMs: [], price: [], units: [] };
  if (tracked.toAtMs === 0) return paid;
  const merged: Changes = { atMs: [], price: [], units: [] };
  const add = (atMs: number, price: number, units: number) => {
    merged.atMs.push(atMs);
    merged.price.push(price);
    merged.units.push(units);
  };
  const copy = (from: Changes, isIn: (atMs: number) => boolean) =>
    from.atMs.forEach((atMs, index) => {
      if (isIn(atMs)) add(atMs, from.price[index] as number, from.units[index] as number);
    });
  copy(paid, (atMs) => atMs < tracked.fromAtMs);
  if (free === undefined || (free.atMs[0] as number) > tracked.fromAtMs)
    add(tracked.fromAtMs, Number.NaN, Number.NaN);
  if (free !== undefined) copy(free, () => true);
  copy(paid, (atMs) => atMs > tracked.toAtMs);
  return merged;
}

function seriesOfSeller(name: string, { atMs, price, units }: Changes, endAtMs: number) {
  const times = Float64Array.from(atMs);
  const prices = Float64Array.from(price);
  let listedMs = 0;
  let firstAtMs = Number.POSITIVE_INFINITY;
  for (let index = 0; index < times.length; index += 1) {
    if (Number.isNaN(prices[index])) continue;
    const from = times[index] as number;
    firstAtMs = Math.min(firstAtMs, from);
    listedMs += ((times[index + 1] as number | undefined) ?? endAtMs) - from;
  }
  return {
    name,
    price: seriesOf(times, prices, endAtMs),
    stock: seriesOf(times, Float64Array.from(units), endAtMs),
    firstAtMs,
    listedMs,
  };
}

/** The lowest price of all sellers at each instant. */
export function lowestPrice(sellers: readonly SellerSeries[]): TimedValue[] {
  return sweep(
    sellers.map(({ price }) => price),
    (values) => {
      let lowest = Number.POSITIVE_INFINITY;
      for (const value of values) if (value < lowest) lowest = value;
      return lowest === Number.POSITIVE_INFINITY ? null : lowest;
    },
  );
}

/** The stock of all sellers with an offer; unknown while that of one of them is. */
export function totalStock(sellers: readonly SellerSeries[]): TimedValue[] {
  const both = [...sellers.map(({ price }) => price), ...sellers.map(({ stock }) => stock)];
  return sweep(both, (values) => {
    let total: number | null = null;
    for (let seller = 0; seller < sellers.length; seller += 1) {
      if (Number.isNaN(values[seller])) continue;
      const units = values[sellers.length + seller] as number;
      if (Number.isNaN(units)) return null;
      total = (total ?? 0) + units;
    }
    return total;
  });
}

/** Combines the values of several series at each instant at which one of them changes. */
function sweep(
  all: readonly StepSeries[],
  combine: (values: Float64Array) => number | null,
): TimedValue[] {
  const size = all.reduce((sum, { times }) => sum + times.length, 0);
  const instants = new Float64Array(size);
  let filled = 0;
  for (const { times } of all) {
    instants.set(times, filled);
    filled += times.length;
  }
  instants.sort();
  const next = new Int32Array(all.length);
  const values = new Float64Array(all.length).fill(Number.NaN);
  const result: TimedValue[] = [];
  let last: number | null | undefined;
  for (let at = 0; at < size; at += 1) {
    const atMs = instants[at] as number;
    if (at + 1 < size && instants[at + 1] === atMs) continue;
    all.forEach((series, index) => {
      while ((series.times[next[index] as number] as number) <= atMs) {
        values[index] = series.values[next[index] as number] as number;
        next[index] = (next[index] as number) + 1;
      }
    });
    const value = combine(values);
    if (value !== last) result.push({ atMs, value });
    last = value;
  }
  return result;
}
