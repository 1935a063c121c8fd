// The units of a product by day: the sales of an interval are divided among its days, then rounded.
import { DAY_SECONDS } from '../foundation/time.ts';
import { DAY_WEIGHT, type Timeline, weightBetween } from './hour-shape.ts';
import { splitPart } from './sales-split.ts';
import { dayOf } from './stock-observation.ts';

/** How most of a day's units were estimated; see docs/sales-estimates.md. */
export const METHODS = ['counted', 'split', 'restock', 'rank_curve', 'typical', 'unknown'] as const;
export type Method = (typeof METHODS)[number];

export type DayEstimate = {
  /** Days since 1970-01-01, UTC. */
  day: number;
  units: number;
  low: number;
  high: number;
  method: Method;
  /** 0 to 1. */
  confidence: number;
};

/** Units sold at some time between two instants. */
export type SalesSpan = {
  fromAtSeconds: number;
  toAtSeconds: number;
  units: number;
  method: Method;
  /**
   * Sold rather early (before a restock), rather late (after it), or by the weights of the hours.
   */
  lean: 'early' | 'late' | null;
};

/** Parts of a unit are whole 1024ths, so that sums do not depend on the order of addition. */
const STEPS = 1_024;
const wholeSteps = (units: number) => Math.round(units * STEPS);

/**
 * Remainders carry from day to day within blocks of this size, so a block can be estimated alone.
 */
export const BLOCK_DAYS = 16;

/** The true value of filled-in units may be 0, or this many times higher. */
const FILL_EXCESS = 1;

export type DaySums = {
  firstDay: number;
  days: number;
  line: Timeline;
  orders: readonly number[];
  whole: Float64Array;
  steps: Float64Array;
  lowSquares: Float64Array;
  highSquares: Float64Array;
  /** By day and method: the units, which decide the method of the day. */
  unitsByMethod: Float64Array;
  /** The part of the day's weight that was not observed. */
  unobserved: Float64Array;
  /**
   * Units counted over midnight, by spanKey, summed over sellers because they share their
   * customers.
   */
  crossing: Map<number, number>;
};

/** Empty sums. The range consists of whole blocks. */
export function daySumsFor(
  range: { firstDay: number; days: number },
  line: Timeline,
  orders: readonly number[],
): DaySums {
  const { firstDay, days } = range;
  return {
    firstDay,
    days,
    line,
    orders,
    whole: new Float64Array(days),
    steps: new Float64Array(days),
    lowSquares: new Float64Array(days),
    highSquares: new Float64Array(days),
    unitsByMethod: new Float64Array(days * METHODS.length),
    unobserved: new Float64Array(days),
    crossing: new Map(),
  };
}

/** Spans are shorter than 11 days, so both times fit into a safe integer. */
const SPAN_SECONDS_MAX = 1e6;
const spanKey = (fromAtSeconds: number, toAtSeconds: number) =>
  fromAtSeconds * SPAN_SECONDS_MAX + (toAtSeconds - fromAtSeconds);

/** Adds counted units, each sold at some time between the two instants. */
export function addCounted(
  sums: DaySums,
  span: { fromAtSeconds: number; toAtSeconds: number; units: number },
): void {
  const day = dayOf(span.fromAtSeconds);
  if (day !== dayOf(span.toAtSeconds - 1)) {
    const key = spanKey(span.fromAtSeconds, span.toAtSeconds);
    sums.crossing.set(key, (sums.crossing.get(key) ?? 0) + span.units);
    return;
  }
  const index = day - sums.firstDay;
  if (index < 0 || index >= sums.days) return;
  add(sums.whole, index, span.units);
  add(sums.unitsByMethod, index * METHODS.length, wholeSteps(span.units));
}

function addCrossing(sums: DaySums): void {
  for (const [key, units] of sums.crossing) {
    const fromAtSeconds = Math.floor(key / SPAN_SECONDS_MAX);
    const toAtSeconds = fromAtSeconds + (key % SPAN_SECONDS_MAX);
    addSpan(sums, { fromAtSeconds, toAtSeconds, units, method: 'counted', lean: null });
  }
  sums.crossing.clear();
}

export function addSpan(sums: DaySums, span: SalesSpan): void {
  const firstDay = dayOf(span.fromAtSeconds);
  const lastDay = dayOf(span.toAtSeconds - 1);
  if (lastDay < sums.firstDay || firstDay >= sums.firstDay + sums.days) return;
  if (firstDay === lastDay) {
    addPiece(sums, firstDay, { units: span.units, low: span.units, high: span.units }, span);
    return;
  }
  const weights: number[] = [];
  let total = 0;
  for (let day = firstDay; day <= lastDay; day++) {
    const weight = leaning(sums.line, span, day);
    weights.push(weight);
    total += weight;
  }
  const orders = ordersOf(sums.orders, span.units, weights.length - 1);
  const parts = shared(span, weights, orders);
  parts.forEach((units, index) => {
    const { low, high } = splitPart((weights[index] as number) / total, orders);
    const band = { units, low: low * span.units, high: high * span.units };
    addPiece(sums, firstDay + index, band, span);
  });
}

/** The weight of the part of a span that is in a day. */
function leaning(
  line: Timeline,
  { fromAtSeconds, toAtSeconds, lean }: SalesSpan,
  day: number,
): number {
  const startAtSeconds = Math.max(fromAtSeconds, day * DAY_SECONDS);
  const endAtSeconds = Math.min(toAtSeconds, (day + 1) * DAY_SECONDS);
  const weight = weightBetween(line, startAtSeconds, endAtSeconds);
  if (lean === null) return weight;
  const middleAtSeconds = (startAtSeconds + endAtSeconds) / 2;
  const passed = (middleAtSeconds - fromAtSeconds) / (toAtSeconds - fromAtSeconds);
  return weight * (lean === 'early' ? 1 - passed : passed);
}

/** Days differ, however many orders there are: a split is never more certain than for 20 orders. */
const DAYS_DIFFER = 0.05;

/** The number of orders of so many units over so many days, interpolated between the bins. */
function ordersOf(orders: readonly number[], units: number, days: number): number {
  const bin = Math.log2(Math.max(1, units / days));
  const below = Math.min(orders.length - 1, Math.floor(bin));
  const above = Math.min(orders.length - 1, below + 1);
  const first = orders[below] as number;
  const counted = (first + ((orders[above] as number) - first) * (bin - below)) * days;
  return 1 / (1 / counted + DAYS_DIFFER);
}

/**
 * Divides the units among the days by repeated halving at the median split; the sum is preserved.
 */
function shared(span: SalesSpan, weights: readonly number[], orders: number): number[] {
  const parts = new Array<number>(weights.length).fill(0);
  const whole = Number.isInteger(span.units);
  const share = (units: number, first: number, last: number, total: number) => {
    if (first === last) {
      parts[first] = units;
      return;
    }
    let cut = first;
    let passed = weights[first] as number;
    while (cut + 1 < last && passed < total / 2) passed += weights[++cut] as number;
    const part = splitPart(total > 0 ? passed / total : 0.5, orders).middle * units;
    const early = whole ? Math.round(part) : wholeSteps(part) / STEPS;
    share(early, first, cut, passed);
    share(units - early, cut + 1, last, total - passed);
  };
  share(
    span.units,
    0,
    weights.length - 1,
    weights.reduce((sum, weight) => sum + weight, 0),
  );
  return parts;
}

function addPiece(
  sums: DaySums,
  day: number,
  { units, low, high }: { units: number; low: number; high: number },
  { method }: SalesSpan,
): void {
  const index = day - sums.firstDay;
  if (index < 0 || index >= sums.days) return;
  const filled = method !== 'counted';
  if (filled) add(sums.steps, index, wholeSteps(units));
  else add(sums.whole, index, units);
  add(sums.lowSquares, index, wholeSteps(Math.max(0, units - low) ** 2));
  add(sums.highSquares, index, wholeSteps(Math.max(0, high - units) ** 2));
  const named = filled || high - low < 0.5 ? method : 'split';
  add(sums.unitsByMethod, index * METHODS.length + METHODS.indexOf(named), wholeSteps(units));
}

function add(sums: Float64Array, index: number, value: number): void {
  sums[index] = (sums[index] as number) + value;
}

/** Adds time in which nothing was observed or counts were unknown. */
export function addUnobserved(sums: DaySums, fromAtSeconds: number, toAtSeconds: number): void {
  const first = Math.max(dayOf(fromAtSeconds), sums.firstDay);
  const last = Math.min(dayOf(toAtSeconds - 1), sums.firstDay + sums.days - 1);
  for (let day = first; day <= last; day++) {
    const startAtSeconds = Math.max(fromAtSeconds, day * DAY_SECONDS);
    const endAtSeconds = Math.min(toAtSeconds, (day + 1) * DAY_SECONDS);
    const weight = weightBetween(sums.line, startAtSeconds, endAtSeconds);
    add(sums.unobserved, day - sums.firstDay, weight / DAY_WEIGHT);
  }
}

/** The estimates of the days of a range, both inclusive. */
export function estimatesFrom(sums: DaySums, fromDay: number, toDay: number): DayEstimate[] {
  addCrossing(sums);
  const estimates: DayEstimate[] = [];
  for (let block = 0; block < sums.days; block += BLOCK_DAYS) {
    let carried = ditherOf(sums, block);
    for (let index = block; index < block + BLOCK_DAYS; index++) {
      carried += sums.steps[index] as number;
      const rounded = Math.floor(carried / STEPS);
      carried -= rounded * STEPS;
      const day = sums.firstDay + index;
      if (day >= fromDay && day <= toDay) estimates.push(estimateOf(sums, index, rounded));
    }
  }
  return estimates;
}

/**
 * The remainder that a block begins with: pseudo-random, but always the same for the same sales.
 */
function ditherOf(sums: DaySums, block: number): number {
  let mixed = Math.imul((sums.firstDay + block) | 0, 0x9e3779b1);
  for (let index = block; index < block + BLOCK_DAYS; index++) {
    const units = (sums.whole[index] as number) + (sums.steps[index] as number);
    mixed = Math.imul(mixed ^ (units | 0), 0x85ebca6b);
    mixed ^= mixed >>> 15;
  }
  return (mixed >>> 7) % STEPS;
}

function estimateOf(sums: DaySums, index: number, rounded: number): DayEstimate {
  const whole = sums.whole[index] as number;
  const units = whole + rounded;
  const filled = (sums.steps[index] as number) / STEPS;
  const middle = whole + filled;
  // Errors of splits are independent; those of filled-in units add up.
  const under = Math.hypot(Math.sqrt((sums.lowSquares[index] as number) / STEPS), filled);
  const above = FILL_EXCESS * filled;
  const over = Math.hypot(Math.sqrt((sums.highSquares[index] as number) / STEPS), above);
  const low = Math.max(0, Math.min(units, Math.ceil(middle - under - 0.25)));
  const high = Math.max(units, Math.floor(middle + over + 0.25));
  const unobserved = Math.min(1, sums.unobserved[index] as number);
  const confidence = ((1 + units) / (1 + units + (high - low) / 2)) * (1 - 0.8 * unobserved);
  return {
    day: sums.firstDay + index,
    units,
    low,
    high,
    method: methodOf(sums, index, unobserved),
    confidence: Math.round(confidence * 1_000) / 1_000,
  };
}

function methodOf({ unitsByMethod }: DaySums, index: number, unobserved: number): Method {
  let best: Method = unobserved > 0.5 ? 'unknown' : 'counted';
  let most = 0;
  METHODS.forEach((method, number) => {
    const units = unitsByMethod[index * METHODS.length + number] as number;
    if (units > most) {
      most = units;
      best = method;
    }
  });
  return best;
}
