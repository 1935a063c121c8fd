// Sums up a value that holds from one observation to the next, at most as long as observed-span
// says. Summaries of adjoining parts add up to that of the whole, exactly: all sums are integers.
import { OBSERVED_SPAN_SECONDS } from './observed-span.ts';

export type Extreme = { value: number; atSeconds: number };

/** Values are whole numbers; null is a value too: it was observed that there is none. */
export type StepSummary = {
  /** Observations of the value. */
  count: number;
  firstAtSeconds: number;
  firstValue: number | null;
  lastAtSeconds: number;
  lastValue: number | null;
  /** When the last value stops holding unless it is observed again. */
  holdsUntilSeconds: number;
  /** The first and the last number, for changes across observations without one. */
  firstNumber: number | null;
  lastNumber: number | null;
  /** Time with a number and with none. The last value's time is not in it before `endAt`. */
  numberSeconds: number;
  nullSeconds: number;
  /** Time of the last value that is not in the sums yet: values repeat, and sums cost time. */
  openSeconds: number;
  /** The sum of each number times its seconds. */
  weighted: bigint;
  /** The first observation of each. */
  min: Extreme | null;
  max: Extreme | null;
  increases: number;
  decreases: number;
  /** Unobserved time between observations. */
  gaps: number;
  longestGapSeconds: number;
  /** Seconds by number; null where it was not kept. */
  secondsByValue: Map<number, number> | null;
};

export function emptySummary(options: { withValues: boolean }): StepSummary {
  return {
    count: 0,
    firstAtSeconds: 0,
    firstValue: null,
    lastAtSeconds: 0,
    lastValue: null,
    holdsUntilSeconds: 0,
    firstNumber: null,
    lastNumber: null,
    numberSeconds: 0,
    nullSeconds: 0,
    openSeconds: 0,
    weighted: 0n,
    min: null,
    max: null,
    increases: 0,
    decreases: 0,
    gaps: 0,
    longestGapSeconds: 0,
    secondsByValue: options.withValues ? new Map() : null,
  };
}

/** Whether a value has been added, be it one that was observed before the part. */
export const hasBegun = (summary: StepSummary): boolean => summary.holdsUntilSeconds > 0;

/** Adds an observation, later than all before. */
export function addStep(summary: StepSummary, atSeconds: number, value: number | null): void {
  advance(summary, atSeconds);
  summary.count += 1;
  if (value === summary.lastValue && hasBegun(summary)) summary.lastAtSeconds = atSeconds;
  else begin(summary, atSeconds, value);
  summary.holdsUntilSeconds = atSeconds + OBSERVED_SPAN_SECONDS;
}

/**
 * Begins with a value that was observed before the part and still holds at its start; one that no
 * longer holds is unknown there.
 */
export function carryIn(
  summary: StepSummary,
  fromAtSeconds: number,
  before: { atSeconds: number; value: number | null },
): void {
  const holdsUntilSeconds = before.atSeconds + OBSERVED_SPAN_SECONDS;
  if (holdsUntilSeconds <= fromAtSeconds) return;
  begin(summary, fromAtSeconds, before.value);
  summary.holdsUntilSeconds = holdsUntilSeconds;
}

/** Adds the summary of the observations that follow. */
export function addSummary(summary: StepSummary, next: StepSummary): void {
  if (!hasBegun(next)) return;
  endAt(summary, next.firstAtSeconds);
  if (!hasBegun(summary)) {
    summary.firstAtSeconds = next.firstAtSeconds;
    summary.firstValue = next.firstValue;
  }
  if (next.firstNumber !== null) countChange(summary, next.firstNumber);
  summary.firstNumber ??= next.firstNumber;
  summary.lastNumber = next.lastNumber ?? summary.lastNumber;
  summary.lastAtSeconds = next.lastAtSeconds;
  summary.lastValue = next.lastValue;
  summary.holdsUntilSeconds = next.holdsUntilSeconds;
  summary.count += next.count;
  summary.numberSeconds += next.numberSeconds;
  summary.nullSeconds += next.nullSeconds;
  summary.openSeconds = next.openSeconds;
  summary.weighted += next.weighted;
  if (next.min !== null) lower(summary, next.min.value, next.min.atSeconds);
  if (next.max !== null) raise(summary, next.max.value, next.max.atSeconds);
  summary.increases += next.increases;
  summary.decreases += next.decreases;
  summary.gaps += next.gaps;
  summary.longestGapSeconds = Math.max(summary.longestGapSeconds, next.longestGapSeconds);
  addValues(summary, next);
}

/** Counts the time of the last value up to the end of the part. Add nothing afterwards. */
export function endAt(summary: StepSummary, toAtSeconds: number): void {
  advance(summary, toAtSeconds);
  sumUp(summary);
}

/** The mean over time, rounded half up; null if no number was observed. */
export function averageOf({ numberSeconds, weighted }: StepSummary): number | null {
  if (numberSeconds === 0) return null;
  const seconds = BigInt(numberSeconds);
  return Number((2n * weighted + seconds) / (2n * seconds));
}

/** The median over time: for half of the time the number was this or less. */
export function medianOf({ numberSeconds, secondsByValue }: StepSummary): number | null {
  if (numberSeconds === 0 || secondsByValue === null) return null;
  let seconds = 0;
  for (const value of [...secondsByValue.keys()].sort((a, b) => a - b)) {
    seconds += secondsByValue.get(value) as number;
    if (2 * seconds >= numberSeconds) return value;
  }
  return null;
}

function begin(summary: StepSummary, atSeconds: number, value: number | null): void {
  if (!hasBegun(summary)) {
    summary.firstAtSeconds = atSeconds;
    summary.firstValue = value;
  }
  sumUp(summary);
  summary.lastAtSeconds = atSeconds;
  summary.lastValue = value;
  if (value === null) return;
  countChange(summary, value);
  summary.firstNumber ??= value;
  summary.lastNumber = value;
  lower(summary, value, atSeconds);
  raise(summary, value, atSeconds);
}

/** Counts the time of the last value until the next observation. */
function advance(summary: StepSummary, toAtSeconds: number): void {
  if (!hasBegun(summary)) return;
  const { lastAtSeconds, holdsUntilSeconds } = summary;
  if (toAtSeconds <= holdsUntilSeconds) {
    summary.openSeconds += toAtSeconds - lastAtSeconds;
    return;
  }
  summary.openSeconds += holdsUntilSeconds - lastAtSeconds;
  summary.gaps += 1;
  const gapSeconds = toAtSeconds - holdsUntilSeconds;
  summary.longestGapSeconds = Math.max(summary.longestGapSeconds, gapSeconds);
}

function sumUp(summary: StepSummary): void {
  const { lastValue, openSeconds, secondsByValue } = summary;
  if (openSeconds === 0) return;
  summary.openSeconds = 0;
  if (lastValue === null) {
    summary.nullSeconds += openSeconds;
    return;
  }
  summary.numberSeconds += openSeconds;
  summary.weighted += BigInt(lastValue) * BigInt(openSeconds);
  secondsByValue?.set(lastValue, (secondsByValue.get(lastValue) ?? 0) + openSeconds);
}

function countChange(summary: StepSummary, value: number): void {
  if (summary.lastNumber === null || value === summary.lastNumber) return;
  if (value > summary.lastNumber) summary.increases += 1;
  else summary.decreases += 1;
}

function lower(summary: StepSummary, value: number, atSeconds: number): void {
  if (summary.min === null || value < summary.min.value) summary.min = { value, atSeconds };
}

function raise(summary: StepSummary, value: number, atSeconds: number): void {
  if (summary.max === null || value > summary.max.value) summary.max = { value, atSeconds };
}

/** A part whose values were not kept leaves the whole without them. */
function addValues(summary: StepSummary, next: StepSummary): void {
  if (next.secondsByValue === null) summary.secondsByValue = null;
  if (summary.secondsByValue === null) return;
  for (const [value, seconds] of next.secondsByValue ?? []) {
    summary.secondsByValue.set(value, (summary.secondsByValue.get(value) ?? 0) + seconds);
  }
}
