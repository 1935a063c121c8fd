// The rank curve of a category: daily units by rank, a straight line on a double logarithmic scale,
// fitted robustly so that single products cannot bend it.

/** The slope of a category with few products. */
export const PRIOR_SLOPE = -0.87;

/**
 * units a day = exp(intercept) × rank ^ slope; `products` is the number of products it is fitted
 * to.
 */
export type RankCurve = { intercept: number; slope: number; products: number };

/** Ranks are binned by half octaves, daily units by quarters of a natural logarithm. */
const RANK_BIN = Math.log(2) / 2;
const RANK_BINS = 60;
const UNIT_BIN = 0.25;
const UNIT_BIN_LEAST = -24;
const UNIT_BINS = 70;
/** Bin 0 is for products that sold nothing. */
const NOTHING_BIN = 0;

const PRODUCTS_MIN = 5;
const TRIMMED_PART = 0.1;
/** The prior slope weighs as much as two groups of this many products, one octave apart. */
const PRIOR_PRODUCTS = 10;
const SLOPE_MIN = -1.6;
const SLOPE_MAX = -0.4;

/** Number of products by rank and daily units; the key is rank bin × UNIT_BINS + unit bin. */
export type CurveSums = Map<number, number>;

export function rankBin(position: number): number {
  const bin = Math.round(Math.log(Math.max(1, position)) / RANK_BIN);
  return Math.min(RANK_BINS - 1, bin);
}

/** Adds the daily units of one product while it was in this rank bin. */
export function addToCurve(sums: CurveSums, bin: number, unitsPerDay: number): void {
  const unitBin =
    unitsPerDay > 0
      ? Math.min(
          UNIT_BINS - 1,
          Math.max(1, Math.round(Math.log(unitsPerDay) / UNIT_BIN) - UNIT_BIN_LEAST),
        )
      : NOTHING_BIN;
  const key = bin * UNIT_BINS + unitBin;
  sums.set(key, (sums.get(key) ?? 0) + 1);
}

export function mergeCurves(into: CurveSums, other: CurveSums): void {
  for (const [key, count] of other) into.set(key, (into.get(key) ?? 0) + count);
}

/** Fits the curve; null with too few products. */
export function curveOf(sums: CurveSums): RankCurve | null {
  const points: { x: number; y: number; weight: number }[] = [];
  let products = 0;
  for (let bin = 0; bin < RANK_BINS; bin++) {
    const counts = Array.from(
      { length: UNIT_BINS },
      (_, unit) => sums.get(bin * UNIT_BINS + unit) ?? 0,
    );
    const count = counts.reduce((sum, value) => sum + value, 0);
    const mean = trimmedMean(counts, count);
    products += count;
    if (mean > 0) points.push({ x: bin * RANK_BIN, y: Math.log(mean), weight: count });
  }
  const weights = points.reduce((sum, { weight }) => sum + weight, 0);
  if (weights < PRODUCTS_MIN) return null;
  const slope = slopeOf(points);
  const intercept = weightedMedian(
    points.map(({ x, y, weight }) => ({ value: y - slope * x, weight })),
  );
  return { intercept, slope, products };
}

export function curveUnits(curve: RankCurve, position: number): number {
  return Math.exp(curve.intercept + curve.slope * Math.log(Math.max(1, position)));
}

/**
 * The weighted median of the slopes between any two ranks and the prior: outliers do not bend it.
 */
function slopeOf(points: readonly { x: number; y: number; weight: number }[]): number {
  const slopes = [{ value: PRIOR_SLOPE, weight: PRIOR_PRODUCTS ** 2 * Math.log(2) }];
  for (const [index, one] of points.entries()) {
    for (const other of points.slice(index + 1)) {
      const apart = other.x - one.x;
      const weight = one.weight * other.weight * apart;
      slopes.push({ value: (other.y - one.y) / apart, weight });
    }
  }
  return Math.min(SLOPE_MAX, Math.max(SLOPE_MIN, weightedMedian(slopes)));
}

/** The mean of binned daily units, without the lowest and highest, which may be miscounted. */
function trimmedMean(counts: readonly number[], count: number): number {
  const cut = count * TRIMMED_PART;
  let passed = 0;
  let sum = 0;
  let weight = 0;
  counts.forEach((binCount, unit) => {
    const included = Math.max(0, Math.min(passed + binCount, count - cut) - Math.max(passed, cut));
    if (unit !== NOTHING_BIN) sum += included * Math.exp((unit + UNIT_BIN_LEAST) * UNIT_BIN);
    weight += included;
    passed += binCount;
  });
  return weight > 0 ? sum / weight : 0;
}

function weightedMedian(values: { value: number; weight: number }[]): number {
  values.sort((one, other) => one.value - other.value);
  const half = values.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const { value, weight } of values) {
    passed += weight;
    if (passed >= half) return value;
  }
  return 0;
}
