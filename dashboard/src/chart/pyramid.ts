// Summaries of a step series by time bucket, each level twice as wide as the one before. Whatever
// the zoom, one level has about one bucket per few pixels: drawing costs as much as the screen is
// wide, not as much as the history is long.

export type Level = {
  bucketMs: number;
  /** The number of the first bucket: its start divided by `bucketMs`. */
  first: number;
  min: Float32Array;
  max: Float32Array;
  /** Weighted by time. */
  mean: Float32Array;
  /** The part of the bucket that has a value; 0: a gap. */
  share: Float32Array;
};

/** Buckets begin at multiples of their width, so that they stay in place while the chart moves. */
const BUCKET_MIN_MS = 60_000;
/** A wrong instant must not use up the memory. */
const BUCKETS_MAX = 200_000;

export function buildPyramid(
  times: Float64Array,
  values: Float64Array,
  endAtMs: number,
): readonly Level[] {
  if (times.length < 2) return [];
  const levels = [baseLevel(times, values, endAtMs)];
  while ((levels.at(-1) as Level).min.length > 2) levels.push(wider(levels.at(-1) as Level));
  return levels;
}

function baseLevel(times: Float64Array, values: Float64Array, endAtMs: number): Level {
  const from = times[0] as number;
  const spanMs = Math.max(1, endAtMs - from);
  const bucketsMax = Math.min(BUCKETS_MAX, times.length * 2);
  let bucketMs = BUCKET_MIN_MS;
  while (spanMs / bucketMs > bucketsMax) bucketMs *= 2;
  const first = Math.floor(from / bucketMs);
  const level = emptyLevel(bucketMs, first, Math.floor(endAtMs / bucketMs) - first + 1);
  for (let index = 0; index < times.length; index += 1) {
    const value = values[index] as number;
    const toAtMs = index + 1 < times.length ? (times[index + 1] as number) : endAtMs;
    if (!Number.isNaN(value)) addStep(level, times[index] as number, toAtMs, value);
  }
  for (let bucket = 0; bucket < level.mean.length; bucket += 1) {
    const share = level.share[bucket] as number;
    if (share > 0) level.mean[bucket] = (level.mean[bucket] as number) / share;
  }
  return level;
}

/** Until the end of `baseLevel`, `mean` holds the sum weighted by the share. */
function addStep(level: Level, fromAtMs: number, toAtMs: number, value: number): void {
  const { bucketMs, first, min, max, mean, share } = level;
  for (let atMs = fromAtMs; atMs < toAtMs; ) {
    const number = Math.floor(atMs / bucketMs);
    const untilMs = Math.min(toAtMs, (number + 1) * bucketMs);
    const bucket = number - first;
    const part = (untilMs - atMs) / bucketMs;
    if (value < (min[bucket] as number)) min[bucket] = value;
    if (value > (max[bucket] as number)) max[bucket] = value;
    mean[bucket] = (mean[bucket] as number) + value * part;
    share[bucket] = (share[bucket] as number) + part;
    atMs = untilMs;
  }
}

function wider(level: Level): Level {
  const first = Math.floor(level.first / 2);
  const last = Math.floor((level.first + level.min.length - 1) / 2);
  const next = emptyLevel(level.bucketMs * 2, first, last - first + 1);
  for (let from = 0; from < level.min.length; from += 1) {
    const part = (level.share[from] as number) / 2;
    if (part === 0) continue;
    const to = Math.floor((level.first + from) / 2) - first;
    const before = next.share[to] as number;
    const share = before + part;
    next.min[to] = Math.min(next.min[to] as number, level.min[from] as number);
    next.max[to] = Math.max(next.max[to] as number, level.max[from] as number);
    next.mean[to] =
      ((next.mean[to] as number) * before + (level.mean[from] as number) * part) / share;
    next.share[to] = share;
  }
  return next;
}

const emptyLevel = (bucketMs: number, first: number, size: number): Level => ({
  bucketMs,
  first,
  min: new Float32Array(size).fill(Number.POSITIVE_INFINITY),
  max: new Float32Array(size).fill(Number.NEGATIVE_INFINITY),
  mean: new Float32Array(size),
  share: new Float32Array(size),
});

/** The finest level whose buckets are at least this wide; undefined: the steps are as coarse. */
export function levelFor(levels: readonly Level[], bucketMinMs: number): Level | undefined {
  return levels.find(({ bucketMs }) => bucketMs >= bucketMinMs) ?? levels.at(-1);
}
