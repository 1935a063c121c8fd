// The estimated days of a year in a packed form of about five bytes a day.
import { DAY_MS } from '../foundation/time.ts';
import { DamagedBlock } from '../history/packed-block.ts';
import type { DayEstimate, Method } from './day-sums.ts';

const VERSION = 1;

/**
 * Methods by their stored number. Earlier releases stored six: splits and restocks are inferred
 * now, and a rank curve was used where counts were hidden.
 */
export const STORED_METHODS: readonly Method[] = [
  'counted',
  'inferred',
  'inferred',
  'at_least',
  'typical',
  'unknown',
];

/** The calendar year of a day since 1970. */
export const yearOf = (day: number): number => new Date(day * DAY_MS).getUTCFullYear();

/** Packs consecutive days. */
export function packDays(days: readonly DayEstimate[]): Buffer {
  const bytes: number[] = [VERSION];
  writeNumber(bytes, days[0]?.day ?? 0);
  for (const day of days) {
    writeNumber(bytes, day.units);
    writeNumber(bytes, day.units - day.low);
    writeNumber(bytes, day.high - day.units);
    bytes.push(STORED_METHODS.indexOf(day.method), percentOf(day.confidence));
  }
  return Buffer.from(bytes);
}

const percentOf = (confidence: number) => Math.round(Math.min(1, Math.max(0, confidence)) * 100);

/** Calls `visit` for each day in order, without building objects that outlive the call. */
export function eachDay(packed: Uint8Array, visit: (day: number, values: PackedDay) => void): void {
  if (packed[0] !== VERSION) throw new DamagedBlock(`unknown version ${packed[0]}`);
  const reader = { position: 1 };
  let day = readNumber(packed, reader);
  while (reader.position < packed.length) {
    const units = readNumber(packed, reader);
    const below = readNumber(packed, reader);
    const above = readNumber(packed, reader);
    const method = packed[reader.position++] ?? STORED_METHODS.length;
    const percent = packed[reader.position++];
    if (percent === undefined || method >= STORED_METHODS.length)
      throw new DamagedBlock('cut short');
    visit(day++, { units, low: units - below, high: units + above, method, percent });
  }
}

export type PackedDay = {
  units: number;
  low: number;
  high: number;
  /** Index in STORED_METHODS. */
  method: number;
  percent: number;
};

export function unpackDays(packed: Uint8Array): DayEstimate[] {
  const days: DayEstimate[] = [];
  eachDay(packed, (day, { units, low, high, method, percent }) => {
    const name = STORED_METHODS[method] ?? 'unknown';
    days.push({ day, units, low, high, method: name, confidence: percent / 100 });
  });
  return days;
}

function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

function readNumber(bytes: Uint8Array, reader: { position: number }): number {
  let value = 0;
  for (let scale = 1; scale < 2 ** 49; scale *= 0x80) {
    const byte = bytes[reader.position++];
    if (byte === undefined) throw new DamagedBlock('cut short');
    if (byte < 0x80) return value + byte * scale;
    value += (byte - 0x80) * scale;
  }
  throw new DamagedBlock('a number too large');
}
