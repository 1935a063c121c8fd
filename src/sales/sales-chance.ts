// How likely a number of units is to be sold: a negative binomial distribution, which describes
// orders of several units. `spread` is its variance divided by its mean, at least a little above 1.

const SPREAD_MIN = 1.02;

/** The logarithm of the probability of exactly so many units. */
export function logChance(units: number, mean: number, spread: number): number {
  if (units < 0) return Number.NEGATIVE_INFINITY;
  const ratio = Math.max(SPREAD_MIN, spread);
  const expected = Math.max(1e-9, mean);
  const size = expected / (ratio - 1);
  return (
    logGamma(size + units) -
    logGamma(size) -
    logGamma(units + 1) -
    size * Math.log(ratio) +
    units * Math.log(1 - 1 / ratio)
  );
}

export const chance = (units: number, mean: number, spread: number): number =>
  Math.exp(logChance(units, mean, spread));

/** The probabilities of 0 to `most` units. */
export function chancesUpTo(most: number, mean: number, spread: number): Float64Array {
  const ratio = Math.max(SPREAD_MIN, spread);
  const size = Math.max(1e-9, mean) / (ratio - 1);
  const chances = new Float64Array(most + 1);
  chances[0] = ratio ** -size;
  for (let units = 1; units <= most; units++)
    chances[units] =
      (chances[units - 1] as number) * ((size + units - 1) / units) * (1 - 1 / ratio);
  return chances;
}

/** The expected units if no more than `most` can be sold. */
export function meanUpTo(most: number, mean: number, spread: number): number {
  // Far above the mean, the limit hardly matters.
  if (most >= mean + 6 * Math.sqrt(mean * spread)) return mean;
  const ratio = Math.max(SPREAD_MIN, spread);
  const size = Math.max(1e-9, mean) / (ratio - 1);
  let probability = ratio ** -size;
  let passed = 0;
  let sum = 0;
  for (let units = 0; units < most; units++) {
    passed += probability;
    sum += units * probability;
    probability *= ((size + units) / (units + 1)) * (1 - 1 / ratio);
  }
  return sum + most * Math.max(0, 1 - passed);
}

/** Stirling's series for an argument raised to at least 8, where it is exact to ten digits. */
export function logGamma(value: number): number {
  let shift = 0;
  let x = value;
  while (x < 8) {
    shift -= Math.log(x);
    x++;
  }
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1_260 * x ** 5);
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}
