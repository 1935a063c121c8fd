// The units of a product gathered by day: spans of sales are shared by the days they touch, then totals are rounded.

import { DAY_SECONDS } from '../foundation/time.ts';
import { DAY_WEIGHT, type Timeline, weightBetween } from './hour-shape.ts';
import { splitPart } from './sales-split.ts';
import { dayOf } from './stock-observation.ts';

/** How the greater part of a day's units was found; see docs/sales-estimates.md. */
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
  /** Rather at the beginning (before a restock), at the end (after it), or as the hours weigh. */
  lean: 'early' | 'late' | null;
};

/** Parts of a unit are whole 1024ths, so that sums do not depend on the order of adding. */
const STEPS = 1_024;
const wholeSteps = (units: number) => Math.round(units * STEPS);

/** Parts are carried from day to day within blocks of this many days, so that a block can be told alone. */
export const BLOCK_DAYS = 16;

/** An estimate that was filled in may as well have been 0, or so many times more than itself. */
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
  /** By method: what it gave, for the day's name. */
  given: Float64Array;
  /** Of the weight of the day, what nobody saw. */
  unseen: Float64Array;
  /** Counted over midnight, of all sellers together: their shoppers are the same. By times, see spanKey. */
  crossing: Map<number, number>;
};

/** firstDay and days in whole blocks. */
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
    given: new Float64Array(days * METHODS.length),
    unseen: new Float64Array(days),
    crossing: new Map(),
  };
}

/** Spans are shorter than 11 days, so that both times fit into a whole number. */
const SPAN_SECONDS_MAX = 1e6;
const spanKey = (from: number, to: number) => from * SPAN_SECONDS_MAX + (to - from);

/** Whole units, each sold at some time between the two. */
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
  add(sums.given, index * METHODS.length, wholeSteps(span.units));
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

/** The weight of the part of a span that lies in a day. */
function leaning(
  line: Timeline,
  { fromAtSeconds, toAtSeconds, lean }: SalesSpan,
  day: number,
): number {
  const from = Math.max(fromAtSeconds, day * DAY_SECONDS);
  const to = Math.min(toAtSeconds, (day + 1) * DAY_SECONDS);
  const weight = weightBetween(line, from, to);
  if (lean === null) return weight;
  const passed = ((from + to) / 2 - fromAtSeconds) / (toAtSeconds - fromAtSeconds);
  return weight * (lean === 'early' ? 1 - passed : passed);
}

/** However many the orders, one day is busier than the next: no split is surer than that of 1 / this many. */
const DAYS_DIFFER = 0.05;

/** Twice the units in a day are the orders of the next bin; further days bring orders of their own. */
function ordersOf(orders: readonly number[], units: number, days: number): number {
  const bin = Math.log2(Math.max(1, units / days));
  const below = Math.min(orders.length - 1, Math.floor(bin));
  const above = Math.min(orders.length - 1, below + 1);
  const first = orders[below] as number;
  const counted = (first + ((orders[above] as number) - first) * (bin - below)) * days;
  return 1 / (1 / counted + DAYS_DIFFER);
}

/** Halves the days again and again, each time at the median part: sums stay what they are. */
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
  add(sums.given, index * METHODS.length + METHODS.indexOf(named), wholeSteps(units));
}

function add(sums: Float64Array, index: number, value: number): void {
  sums[index] = (sums[index] as number) + value;
}

/** Nobody looked, or nobody could count, for this part of the time. */
export function addUnseen(sums: DaySums, fromAtSeconds: number, toAtSeconds: number): void {
  const first = Math.max(dayOf(fromAtSeconds), sums.firstDay);
  const last = Math.min(dayOf(toAtSeconds - 1), sums.firstDay + sums.days - 1);
  for (let day = first; day <= last; day++) {
    const from = Math.max(fromAtSeconds, day * DAY_SECONDS);
    const to = Math.min(toAtSeconds, (day + 1) * DAY_SECONDS);
    add(sums.unseen, day - sums.firstDay, weightBetween(sums.line, from, to) / DAY_WEIGHT);
  }
}

export function estimatesFrom(sums: DaySums, from: number, to: number): DayEstimate[] {
  addCrossing(sums);
  const estimates: DayEstimate[] = [];
  for (let block = 0; block < sums.days; block += BLOCK_DAYS) {
    let carried = ditherOf(sums, block);
    for (let index = block; index < block + BLOCK_DAYS; index++) {
      carried += sums.steps[index] as number;
      const rounded = Math.floor(carried / STEPS);
      carried -= rounded * STEPS;
      const day = sums.firstDay + index;
      if (day >= from && day <= to) estimates.push(estimateOf(sums, index, rounded));
    }
  }
  return estimates;
}

/** What a block begins with: any part of a unit as likely as any other, but always the same for the same sales. */
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
  // Orders fall on either side of midnight by chance; what is filled in is wrong all together.
  const under = Math.hypot(Math.sqrt((sums.lowSquares[index] as number) / STEPS), filled);
  const above = FILL_EXCESS * filled;
  const over = Math.hypot(Math.sqrt((sums.highSquares[index] as number) / STEPS), above);
  const low = Math.max(0, Math.min(units, Math.ceil(middle - under - 0.25)));
  const high = Math.max(units, Math.floor(middle + over + 0.25));
  const unseen = Math.min(1, sums.unseen[index] as number);
  const confidence = ((1 + units) / (1 + units + (high - low) / 2)) * (1 - 0.8 * unseen);
  return {
    day: sums.firstDay + index,
    units,
    low,
    high,
    method: methodOf(sums, index, unseen),
    confidence: Math.round(confidence * 1_000) / 1_000,
  };
}

function methodOf({ given }: DaySums, index: number, unseen: number): Method {
  let best: Method = unseen > 0.5 ? 'unknown' : 'counted';
  let most = 0;
  METHODS.forEach((method, number) => {
    const units = given[index * METHODS.length + number] as number;
    if (units > most) {
      most = units;
      best = method;
    }
  });
  return best;
}
