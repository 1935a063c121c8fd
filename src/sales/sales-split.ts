// Divides units sold between two observations among two days, with a band of uncertainty.
//
// Units are sold in orders. With few orders, nearly all units are most likely on the busier day;
// with many, each day gets its share of the weight. The part of the first day has a beta
// distribution whose mean is the share of the weight and whose variance follows from the number of
// orders. Its median is the split with the least absolute error: on real sales at 24 h, the daily
// error is 4 to 6 % lower than with the mean.

import { logGamma } from './sales-chance.ts';

/** The part of the first side, and the ends of its band. */
export type SplitPart = { low: number; middle: number; high: number };

const SHARES = 48;
/** Numbers of orders in the table: 1 + 2^(index / 2 − 3), from 1.1 to about 360. */
const ORDER_STEPS = 24;
const ORDERS_MIN = 1.05;

/** The probability below the band, and above it; chosen by the coverage measured in the trial. */
const BAND_TAIL = 0.15;

let table: Float64Array | null = null;

/**
 * share: the weight of the first side, 0 to 1. orders: the effective number of equal orders, at
 * least 1.
 */
export function splitPart(share: number, orders: number): SplitPart {
  if (!(share > 0)) return { low: 0, middle: 0, high: 0 };
  if (share >= 1) return { low: 1, middle: 1, high: 1 };
  if (share > 0.5) {
    const { low, middle, high } = splitPart(1 - share, orders);
    return { low: 1 - high, middle: 1 - middle, high: 1 - low };
  }
  table ??= makeTable();
  const x = share * 2 * SHARES;
  const y = Math.min(
    ORDER_STEPS - 1,
    Math.max(0, 2 * (Math.log2(Math.max(ORDERS_MIN, orders) - 1) + 3)),
  );
  return {
    low: interpolated(table, { x, y, part: 0 }),
    middle: interpolated(table, { x, y, part: 1 }),
    high: interpolated(table, { x, y, part: 2 }),
  };
}

function interpolated(values: Float64Array, point: { x: number; y: number; part: number }): number {
  const x0 = Math.min(SHARES - 1, Math.floor(point.x));
  const y0 = Math.min(ORDER_STEPS - 2, Math.floor(point.y));
  const value = (x: number, y: number) => values[(x * ORDER_STEPS + y) * 3 + point.part] as number;
  const dx = point.x - x0;
  const dy = point.y - y0;
  const first = value(x0, y0) * (1 - dx) + value(x0 + 1, y0) * dx;
  const second = value(x0, y0 + 1) * (1 - dx) + value(x0 + 1, y0 + 1) * dx;
  return first * (1 - dy) + second * dy;
}

function makeTable(): Float64Array {
  const values = new Float64Array((SHARES + 1) * ORDER_STEPS * 3);
  for (let x = 0; x <= SHARES; x++) {
    for (let y = 0; y < ORDER_STEPS; y++) {
      const share = x / (2 * SHARES);
      const spread = 2 ** (y / 2 - 3);
      [BAND_TAIL, 0.5, 1 - BAND_TAIL].forEach((level, part) => {
        const value = x === 0 ? 0 : betaQuantile(level, share * spread, (1 - share) * spread);
        values[(x * ORDER_STEPS + y) * 3 + part] = value;
      });
    }
  }
  return values;
}

/** By bisection; 30 steps are precise enough for any number of units. */
export function betaQuantile(level: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The probability below x of a beta distribution: the regularized incomplete beta function,
 * computed by its continued fraction.
 */
export function betaBelow(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x),
  );
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(x, a, b)) / a;
  return 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const nonZero = (value: number) => (Math.abs(value) < 1e-30 ? 1e-30 : value);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 200; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    const change = d * c;
    fraction *= change;
    if (Math.abs(change - 1) < 1e-9) break;
  }
  return fraction;
}
