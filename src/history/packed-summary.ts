// The summary of a run as bytes: version, 1 if prices were too many to keep, checksum, then the
// numbers of each series. The checksum continues that of the run, so a summary of other bytes is
// recognized.
import { crc32 } from 'node:zlib';
import { type BlockSummary, emptyBlockSummary, SERIES } from './block-summary.ts';
import { OBSERVED_SPAN_SECONDS } from './observed-span.ts';
import { DamagedBlock } from './packed-block.ts';
import { endAt, hasBegun, type StepSummary } from './step-summary.ts';

const VERSION = 1;
const HEAD_BYTES = 6;
/** With more different prices than this a run is read for the median. */
const PRICES_KEPT_MAX = 64;

/** The first bytes of a summary that can be used instead of its run. */
export const WHOLE_SUMMARY_HEAD = Buffer.from([VERSION, 0]);

export function packSummary(summary: BlockSummary, runChecksum: number): Buffer {
  sumUp(summary);
  const numbers: bigint[] = [];
  for (const series of SERIES) writeSeries(numbers, summary[series]);
  const bytes: number[] = [];
  for (const number of numbers) writeNumber(bytes, number);
  const body = Buffer.from(bytes);
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = VERSION;
  head[1] = isKept(summary.price) ? 0 : 1;
  head.writeUInt32BE(crc32(body, runChecksum), 2);
  return Buffer.concat([head, body]);
}

export function unpackSummary(packed: Buffer, runChecksum: number): BlockSummary {
  const body = packed.subarray(HEAD_BYTES);
  if (packed.length < HEAD_BYTES || packed[0] !== VERSION) {
    throw new DamagedBlock('unknown version of the summary');
  }
  if (packed.readUInt32BE(2) !== crc32(body, runChecksum)) {
    throw new DamagedBlock('the checksum of its summary differs');
  }
  const next = reader(body);
  const summary = emptyBlockSummary();
  if (packed[1] !== 0) summary.price.secondsByValue = null;
  for (const series of SERIES) readSeries(next, summary[series]);
  return summary;
}

const isKept = ({ secondsByValue }: StepSummary) =>
  secondsByValue !== null && secondsByValue.size <= PRICES_KEPT_MAX;

/** Brings the time up to the last observation into the sums. */
function sumUp(summary: BlockSummary): void {
  for (const series of SERIES) endAt(summary[series], summary[series].lastAtSeconds);
}

function writeSeries(numbers: bigint[], summary: StepSummary): void {
  const put = (...values: (number | null)[]) => {
    for (const value of values) numbers.push(value === null ? 0n : BigInt(value) + 1n);
  };
  put(summary.count);
  if (!hasBegun(summary)) return;
  const { firstAtSeconds, min, max, secondsByValue } = summary;
  put(firstAtSeconds, summary.lastAtSeconds - firstAtSeconds);
  put(summary.firstValue, summary.lastValue, summary.firstNumber, summary.lastNumber);
  put(summary.numberSeconds, summary.nullSeconds);
  numbers.push(summary.weighted);
  if (min !== null && max !== null) {
    put(min.value, min.atSeconds - firstAtSeconds, max.value, max.atSeconds - firstAtSeconds);
  }
  put(summary.increases, summary.decreases, summary.gaps, summary.longestGapSeconds);
  if (secondsByValue === null || !isKept(summary)) return;
  put(secondsByValue.size);
  let last = 0;
  for (const value of [...secondsByValue.keys()].sort((a, b) => a - b)) {
    put(value - last, secondsByValue.get(value) as number);
    last = value;
  }
}

type Next = { big(): bigint; number(): number; orNull(): number | null };

function readSeries(next: Next, summary: StepSummary): void {
  summary.count = next.number();
  if (summary.count === 0) return;
  summary.firstAtSeconds = next.number();
  summary.lastAtSeconds = summary.firstAtSeconds + next.number();
  summary.holdsUntilSeconds = summary.lastAtSeconds + OBSERVED_SPAN_SECONDS;
  summary.firstValue = next.orNull();
  summary.lastValue = next.orNull();
  summary.firstNumber = next.orNull();
  summary.lastNumber = next.orNull();
  summary.numberSeconds = next.number();
  summary.nullSeconds = next.number();
  summary.weighted = next.big();
  if (summary.firstNumber !== null) {
    const extreme = () => ({
      value: next.number(),
      atSeconds: summary.firstAtSeconds + next.number(),
    });
    summary.min = extreme();
    summary.max = extreme();
  }
  summary.increases = next.number();
  summary.decreases = next.number();
  summary.gaps = next.number();
  summary.longestGapSeconds = next.number();
  if (summary.secondsByValue === null) return;
  let value = 0;
  for (let left = next.number(); left > 0; left--) {
    value += next.number();
    summary.secondsByValue.set(value, next.number());
  }
}

function writeNumber(bytes: number[], number: bigint): void {
  let rest = number;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
}

function reader(body: Buffer): Next {
  let at = 0;
  const byte = (): number => {
    const next = body[at++];
    if (next === undefined) throw new DamagedBlock('a summary cut short');
    return next;
  };
  const orNull = () => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const next = byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value === 0 ? null : value - 1;
      scale *= 0x80;
    }
  };
  const big = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const next = byte();
      value |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
  };
  return { big, orNull, number: () => orNull() ?? 0 };
}
