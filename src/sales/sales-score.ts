// Scores estimates against true sales: error by day and by month, bias, bands and confidence.
import { DAY_MS } from '../foundation/time.ts';

/** Items that sold on fewer days are not scored: their error is mostly random. */
export const SOLD_DAYS_MIN = 100;

/** units null: unknown, which scores as 0. seen: the day was observed. */
export type ScoredEstimate = {
  day: number;
  units: number | null;
  low: number;
  high: number;
  method?: string;
  confidence?: number;
};

/** A number said with this confidence should be right. */
const SURE = 0.9;
/** It is wrong if it is off by more than this part of the truth. */
const WRONG_PART = 0.2;
/** Bands are meant to hold four of five days: the interval score weighs misses accordingly. */
const MISS_WEIGHT = 2 / 0.2;

/** Upper ends of the rows of the reliability table. */
export const CONFIDENCE_ROWS = [0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1] as const;

export type ScoreSums = {
  items: number;
  days: number;
  trueUnits: number;
  estimatedUnits: number;
  dayError: number;
  monthError: number;
  seenTrueUnits: number;
  seenError: number;
  seenEstimated: number;
  daysInside: number;
  unknownDays: number;
  sureDays: number;
  sureWrong: number;
  intervalScore: number;
  /** Number of days by width of the band. */
  widths: Map<number, number>;
  /** By row of the confidence: days, sum of confidences, days inside their band. */
  reliability: Float64Array;
};

export type Score = {
  items: number;
  days: number;
  trueUnits: number;
  /** Σ|true − estimate| / Σ true, over days and over calendar months. */
  dayWape: number;
  monthWape: number;
  /** The same over days outside of gaps. */
  seenWape: number;
  seenBias: number;
  /** Σ(estimate − true) / Σ true. */
  bias: number;
  /** Share of days whose true units are between low and high. */
  coverage: number;
  widthMedian: number;
  /** Mean width of the band relative to the mean true units of a day. */
  widthRelative: number;
  /** Width and weighted misses of the bands, relative to the true units; lower is better. */
  intervalScore: number;
  unknownPart: number;
  /** Part of the days that are said with a confidence of 0.9 or more, and how many are wrong. */
  surePart: number;
  sureWrongPart: number;
};

export type ReliabilityRow = { upTo: number; days: number; said: number; inside: number };

export function emptyScore(): ScoreSums {
  return {
    items: 0,
    days: 0,
    trueUnits: 0,
    estimatedUnits: 0,
    dayError: 0,
    monthError: 0,
    seenTrueUnits: 0,
    seenError: 0,
    seenEstimated: 0,
    daysInside: 0,
    unknownDays: 0,
    sureDays: 0,
    sureWrong: 0,
    intervalScore: 0,
    widths: new Map(),
    reliability: new Float64Array(CONFIDENCE_ROWS.length * 3),
  };
}

/**
 * Adds an item, from its first to its last day of sales. A day without an estimate counts as 0.
 * `isSeen` is false for days in gaps.
 */
export function addToScore(
  sums: ScoreSums,
  truth: { firstDay: number; units: readonly number[] },
  estimates: readonly ScoredEstimate[],
  isSeen: (day: number) => boolean = () => true,
): void {
  const byDay = new Map(estimates.map((estimate) => [estimate.day, estimate]));
  const months = new Map<string, number>();
  truth.units.forEach((units, index) => {
    const day = truth.firstDay + index;
    const estimate = byDay.get(day) ?? { day, units: 0, low: 0, high: 0 };
    const error = (estimate.units ?? 0) - units;
    addDay(sums, units, estimate);
    if (isSeen(day)) {
      sums.seenTrueUnits += units;
      sums.seenError += Math.abs(error);
      sums.seenEstimated += estimate.units ?? 0;
    }
    const month = new Date(day * DAY_MS).toISOString().slice(0, 7);
    months.set(month, (months.get(month) ?? 0) + error);
  });
  for (const error of months.values()) sums.monthError += Math.abs(error);
  sums.items++;
}

function addDay(sums: ScoreSums, units: number, estimate: ScoredEstimate): void {
  const isUnknown = estimate.units === null;
  const [low, high] = isUnknown ? [0, 0] : [estimate.low, estimate.high];
  const error = (estimate.units ?? 0) - units;
  const isInside = low <= units && units <= high;
  sums.days++;
  sums.trueUnits += units;
  sums.estimatedUnits += estimate.units ?? 0;
  sums.dayError += Math.abs(error);
  sums.intervalScore += high - low + MISS_WEIGHT * Math.max(0, low - units, units - high);
  if (isInside) sums.daysInside++;
  sums.widths.set(high - low, (sums.widths.get(high - low) ?? 0) + 1);
  if (isUnknown) {
    sums.unknownDays++;
    return;
  }
  const confidence = estimate.confidence ?? 0;
  if (confidence >= SURE) {
    sums.sureDays++;
    if (Math.abs(error) > WRONG_PART * units) sums.sureWrong++;
  }
  const row = CONFIDENCE_ROWS.findIndex((upTo) => confidence <= upTo) * 3;
  [1, confidence, isInside ? 1 : 0].forEach((value, part) => {
    sums.reliability[row + part] = (sums.reliability[row + part] as number) + value;
  });
}

export function soldOnEnoughDays(units: readonly number[], daysMin = SOLD_DAYS_MIN): boolean {
  let soldDays = 0;
  for (const sold of units) if (sold > 0) soldDays++;
  return soldDays >= daysMin;
}

/** null if nothing was sold. */
export function scoreOf(sums: ScoreSums): Score | null {
  const { items, days, trueUnits } = sums;
  if (trueUnits === 0) return null;
  let widthSum = 0;
  for (const [width, count] of sums.widths) widthSum += width * count;
  return {
    items,
    days,
    trueUnits,
    dayWape: sums.dayError / trueUnits,
    monthWape: sums.monthError / trueUnits,
    seenWape: sums.seenError / Math.max(1, sums.seenTrueUnits),
    seenBias: (sums.seenEstimated - sums.seenTrueUnits) / Math.max(1, sums.seenTrueUnits),
    bias: (sums.estimatedUnits - trueUnits) / trueUnits,
    coverage: sums.daysInside / days,
    widthMedian: medianWidth(sums.widths, days),
    widthRelative: widthSum / trueUnits,
    intervalScore: sums.intervalScore / trueUnits,
    unknownPart: sums.unknownDays / days,
    surePart: sums.sureDays / days,
    sureWrongPart: sums.sureDays === 0 ? 0 : sums.sureWrong / sums.sureDays,
  };
}

/** Of the days said with a confidence, the share inside their band. */
export function reliabilityOf(all: readonly ScoreSums[]): ReliabilityRow[] {
  return CONFIDENCE_ROWS.map((upTo, row) => {
    const [days, said, inside] = [0, 1, 2].map((part) =>
      all.reduce((sum, { reliability }) => sum + (reliability[row * 3 + part] as number), 0),
    ) as [number, number, number];
    return { upTo, days, said: said / days, inside: inside / days };
  }).filter(({ days }) => days > 0);
}

function medianWidth(widths: ReadonlyMap<number, number>, days: number): number {
  let passed = 0;
  for (const [width, count] of [...widths].sort(([one], [other]) => one - other)) {
    passed += count;
    if (passed * 2 >= days) return width;
  }
  return 0;
}
