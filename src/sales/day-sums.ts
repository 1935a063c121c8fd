// The units of a product by day: the sales of an interval are divided among its days, then rounded.
import { DAY_SECONDS } from '../foundation/time.ts';
import { DAY_WEIGHT, type Timeline, weightBetween } from './hour-shape.ts';
import { splitPart } from './sales-split.ts';
import type { SalesTrace } from './sales-trace.ts';
import { dayOf } from './stock-observation.ts';

/**
 * How a day's units were found; see docs/sales-estimates.md. `unknown` has no units: nothing
 * supports a number.
 */
export const METHODS = ['counted', 'inferred', 'typical', 'at_least', 'unknown'] as const;
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
  /** `at_least`: may have been sold on top of what was counted. */
  method: Exclude<Method, 'unknown'>;
  /** Variance of filled-in units divided by their mean. */
  spread?: number;
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

/** The band of filled-in units reaches this many standard deviations down and up. */
const FILL_BELOW = 1.15;
const FILL_ABOVE = 1.45;
/** Rates of single days differ by this part, however many units they have. */
const DAY_RATE_PART = 0.45;
/** What may have been sold on top is at most this many times the expected. */
const HIDDEN_EXCESS = 2.6;

/** A day about which this part or more is unknown has no number, unless something was counted. */
const BLIND_PART = 0.5;
/** A day is `at_least` if units may be hidden in this part of it or more. */
const HIDDEN_PART_MIN = 0.12;

export type DaySums = {
  firstDay: number;
  days: number;
  line: Timeline;
  orders: readonly number[];
  whole: Float64Array;
  steps: Float64Array;
  lowSquares: Float64Array;
  highSquares: Float64Array;
  /** Filled-in units that are typical for the product, in steps. */
  typical: Float64Array;
  /** Units that may have been sold on top, in steps, and the part of the day. */
  hidden: Float64Array;
  hiddenPart: Float64Array;
  /** The part of the day's weight about which nothing is known. */
  blind: Float64Array;
  /** The chance that a decrease hides a restock. */
  risk: Float64Array;
  /** Whether the day was observed. */
  seen: Uint8Array;
  /**
   * Units counted over midnight, by spanKey, summed over sellers because they share their
   * customers.
   */
  crossing: Map<number, number>;
  /** Notes where units come from, if they are to be explained. */
  trace: SalesTrace | null;
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
    typical: new Float64Array(days),
    hidden: new Float64Array(days),
    hiddenPart: new Float64Array(days),
    blind: new Float64Array(days),
    risk: new Float64Array(days),
    seen: new Uint8Array(days),
    crossing: new Map(),
    trace: null,
  };
}

/** Spans are shorter than 23 days, so both times fit into a safe integer. */
const SPAN_SECONDS_MAX = 2e6;
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
    sums.trace?.crossed(key, span.units);
    return;
  }
  const index = day - sums.firstDay;
  if (index < 0 || index >= sums.days) return;
  add(sums.whole, index, span.units);
  sums.trace?.sold(day, span.units);
}

function addCrossing(sums: DaySums): void {
  for (const [key, units] of sums.crossing) {
    const fromAtSeconds = Math.floor(key / SPAN_SECONDS_MAX);
    const toAtSeconds = fromAtSeconds + (key % SPAN_SECONDS_MAX);
    sums.trace?.sharedBy(key);
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
    const share = (weights[index] as number) / total;
    const { low, high } = splitPart(share, orders);
    // Orders are few: one of them on the other side of midnight is more than the band allows.
    if (span.method === 'counted')
      noteRisk(sums, (firstDay + index) * DAY_SECONDS, 1 - Math.max(share, 1 - share) ** orders);
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

/** Days differ, however many orders there are: a split is never more certain than for 19 orders. */
const DAYS_DIFFER = 0.053;

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
  { method, spread = 1 }: SalesSpan,
): void {
  const index = day - sums.firstDay;
  if (index < 0 || index >= sums.days) return;
  if (method === 'at_least') {
    add(sums.hidden, index, wholeSteps(units));
    return;
  }
  sums.trace?.sold(day, units);
  let below = Math.max(0, units - low);
  let above = Math.max(0, high - units);
  if (method === 'counted') add(sums.whole, index, units);
  else {
    add(sums.steps, index, wholeSteps(units));
    if (method === 'typical') add(sums.typical, index, wholeSteps(units));
    const deviation = Math.sqrt(Math.max(0, spread * units) + (DAY_RATE_PART * units) ** 2);
    below = Math.min(Math.max(0, units), Math.hypot(below, FILL_BELOW * deviation));
    above = Math.hypot(above, FILL_ABOVE * deviation);
  }
  add(sums.lowSquares, index, wholeSteps(below ** 2));
  add(sums.highSquares, index, wholeSteps(above ** 2));
}

function add(sums: Float64Array, index: number, value: number): void {
  sums[index] = (sums[index] as number) + value;
}

/** Adds time about which nothing is known (`blind`), or in which units may be hidden. */
export function addUncertainTime(
  sums: DaySums,
  what: 'blind' | 'hiddenPart',
  span: { fromAtSeconds: number; toAtSeconds: number },
): void {
  const first = Math.max(dayOf(span.fromAtSeconds), sums.firstDay);
  const last = Math.min(dayOf(span.toAtSeconds - 1), sums.firstDay + sums.days - 1);
  for (let day = first; day <= last; day++) {
    const startAtSeconds = Math.max(span.fromAtSeconds, day * DAY_SECONDS);
    const endAtSeconds = Math.min(span.toAtSeconds, (day + 1) * DAY_SECONDS);
    const part = weightBetween(sums.line, startAtSeconds, endAtSeconds) / DAY_WEIGHT;
    // Whole steps, so that sums do not depend on the order of addition.
    add(sums[what], day - sums.firstDay, wholeSteps(part) / STEPS);
  }
}

/** Notes the chance that the day of a decrease hides a restock. */
export function noteRisk(sums: DaySums, atSeconds: number, chance: number): void {
  const index = dayOf(atSeconds) - sums.firstDay;
  if (index >= 0 && index < sums.days) add(sums.risk, index, wholeSteps(chance) / STEPS);
}

/** Notes that offers were observed at an instant. */
export function noteSeen(sums: DaySums, atSeconds: number): void {
  const index = dayOf(atSeconds) - sums.firstDay;
  if (index >= 0 && index < sums.days) sums.seen[index] = 1;
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
  const filled = (sums.steps[index] as number) / STEPS;
  const hidden = (sums.hidden[index] as number) / STEPS;
  const units = whole + rounded;
  const middle = whole + filled;
  const day = sums.firstDay + index;
  const blind = (sums.blind[index] as number) >= BLIND_PART;
  if (blind && middle === 0 && hidden === 0)
    return { day, units: 0, low: 0, high: 0, method: 'unknown', confidence: 0 };
  const under = Math.sqrt((sums.lowSquares[index] as number) / STEPS);
  const over = Math.sqrt((sums.highSquares[index] as number) / STEPS);
  const low = Math.max(0, Math.min(units, Math.ceil(middle - under - 0.25)));
  const top = middle + Math.hypot(over, HIDDEN_EXCESS * hidden + Math.sqrt(hidden));
  const high = Math.max(units, Math.floor(top + 0.25));
  const method = methodOf(sums, index, { units, filled, width: high - low });
  const risk = filled + (sums.risk[index] as number);
  const confidence = CONFIDENCE[method] ?? (high > low ? BAND_CONFIDENCE : sureOf(risk));
  return { day, units, low, high, method, confidence };
}

function methodOf(
  sums: DaySums,
  index: number,
  { units, filled, width }: { units: number; filled: number; width: number },
): Method {
  const hiddenPart = sums.hiddenPart[index] as number;
  if (hiddenPart >= HIDDEN_PART_MIN && (sums.hidden[index] as number) > 0) return 'at_least';
  const typical = (sums.typical[index] as number) / STEPS;
  if (sums.seen[index] === 0 || typical > units / 2) return 'typical';
  return width > 0 || filled > 0.1 * units ? 'inferred' : 'counted';
}

/**
 * The probability that the true units are inside the band, as measured in the trial: bands hold
 * four of five days, and a number without a band is wrong if a restock hides in a decrease.
 */
const BAND_CONFIDENCE = 0.83;
const CONFIDENCE: Partial<Record<Method, number>> = { typical: 0.79, at_least: 0.81 };
const SURE_MOST = 0.992;

const sureOf = (risk: number) => Math.round(SURE_MOST * Math.exp(-risk) * 1_000) / 1_000;
