// Writes the price points of packed blocks as JSON bytes, without building objects. A point takes
// about 50 bytes; objects and JSON.stringify take twelve times as long.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { DAY_MS, DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../foundation/time.ts';
import { PackedCursor } from './packed-cursor.ts';

const ZERO = 0x30;
const COLON = 0x3a;
const BEFORE_DATE = Buffer.from('{"date":"');
const BETWEEN = Buffer.from('.000Z","price":');
const DATE_OFFSET = BEFORE_DATE.length;
const DATE_BYTES = 'YYYY-MM-DDT'.length;
const TIME_OFFSET = DATE_OFFSET + DATE_BYTES;
const PRICE_OFFSET = TIME_OFFSET + 'HH:MM:SS'.length + BETWEEN.length;

/** The length of a point with a price from 10 to 99 dollars. */
const POINT_BYTES_USUAL = 51;

/** Points per group that is written together. */
const GROUP_POINTS_MAX = 512;
/**
 * The group: its times, its prices, and the point at which each price begins. It is empty between
 * two blocks, so all writers share it.
 */
const timesSeconds = new Float64Array(GROUP_POINTS_MAX);
const priceFrom = new Int32Array(GROUP_POINTS_MAX);
const prices: string[] = [];

export type PointRange = {
  /** Inclusive. */
  fromAtSeconds: number;
  /** Exclusive. */
  toAtSeconds: number;
  /** Only points whose price differs from that of the point before. */
  changesOnly: boolean;
};

/**
 * Writes the points of one response into one buffer, each followed by a comma. Points of the same
 * length are grouped: the first is written, then copied by doubling, then the times and prices that
 * differ are overwritten. A thousand points of which 6 % change the price take 135 µs; a new group
 * for each price, written digit by digit, took 180.
 */
export class PriceWriter {
  #buffer: Buffer;
  #length = 0;
  /** Points and prices of the current group. */
  #grouped = 0;
  #prices = 0;
  #cents = -1;
  /** The end of a point with the price #cents. */
  #ending = '';
  /** Points added so far. */
  count = 0;

  constructor(pointsExpected: number, otherBytes = 0) {
    this.#buffer = Buffer.allocUnsafe(pointsExpected * POINT_BYTES_USUAL + otherBytes);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds bytes that were rendered before, and the number of points in them. */
  addBytes(bytes: Uint8Array, points = 0): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    this.count += points;
  }

  /** Removes the comma after the last point. */
  dropComma(): void {
    if (this.count > 0) this.#length--;
  }

  /** Adds all points of a block that are in the range and have a price. */
  addBlock(block: Uint8Array, range: PointRange): void {
    try {
      this.#addPoints(new PackedCursor(block), range);
    } finally {
      this.#write(); // points before a damaged byte were counted
    }
  }

  #addPoints(cursor: PackedCursor, range: PointRange): void {
    const { state } = cursor;
    while (cursor.next()) {
      const { boxCents } = cursor;
      if (boxCents === undefined || boxCents === null) continue;
      const { atSeconds } = state;
      if (atSeconds < range.fromAtSeconds || atSeconds >= range.toAtSeconds) continue;
      if (boxCents !== this.#cents) this.#startPrice(boxCents);
      else if (range.changesOnly) continue;
      if (this.#grouped === GROUP_POINTS_MAX) this.#write();
      if (this.#grouped === 0) this.#addPrice();
      timesSeconds[this.#grouped++] = atSeconds;
      this.count++;
    }
  }

  #startPrice(cents: number): void {
    const ending = `${cents / 100}},`; // as JSON.stringify writes a number
    if (ending.length !== this.#ending.length) this.#write();
    this.#cents = cents;
    this.#ending = ending;
    if (this.#grouped > 0 && this.#grouped < GROUP_POINTS_MAX) this.#addPrice();
  }

  #addPrice(): void {
    priceFrom[this.#prices] = this.#grouped;
    prices[this.#prices++] = this.#ending;
  }

  /** The bytes from an offset on. Later writes do not change them. */
  bytes(from = 0): Buffer {
    return this.#buffer.subarray(from, this.#length);
  }

  #write(): void {
    const points = this.#grouped;
    if (points === 0) return;
    const first = prices[0] as string;
    const pointBytes = PRICE_OFFSET + first.length;
    this.#reserve(points * pointBytes);
    const buffer = this.#buffer;
    const from = this.#length;
    BEFORE_DATE.copy(buffer, from);
    BETWEEN.copy(buffer, from + PRICE_OFFSET - BETWEEN.length);
    buffer.write(first, from + PRICE_OFFSET, 'latin1');
    const day = Math.floor((timesSeconds[0] as number) / DAY_SECONDS);
    buffer.set(dateBytes(day), from + DATE_OFFSET);
    buffer[from + TIME_OFFSET + 2] = COLON;
    buffer[from + TIME_OFFSET + 5] = COLON;
    const end = from + points * pointBytes;
    for (let copied = from + pointBytes; copied < end; ) {
      const bytes = Math.min(copied - from, end - copied);
      buffer.copyWithin(copied, from, from + bytes);
      copied += bytes;
    }
    writeTimes(buffer, { from, pointBytes, points, firstDay: day });
    for (let index = 1; index < this.#prices; index++) {
      const pointsEnd = index + 1 < this.#prices ? (priceFrom[index + 1] as number) : points;
      const price = prices[index] as string;
      for (let digit = 0; digit < price.length - 2; digit++) {
        const code = price.charCodeAt(digit);
        const column = from + PRICE_OFFSET + digit;
        for (let point = priceFrom[index] as number; point < pointsEnd; point++) {
          buffer[column + point * pointBytes] = code;
        }
      }
    }
    this.#grouped = 0;
    this.#prices = 0;
    this.#length = end;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** Overwrites the time of each point, and its date if it is not that of the first, copied one. */
function writeTimes(
  buffer: Buffer,
  {
    from,
    pointBytes,
    points,
    firstDay,
  }: Record<'from' | 'pointBytes' | 'points' | 'firstDay', number>,
): void {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  let day = firstDay;
  /** The bytes of 'YYYY', '-MM-' and 'DD' as numbers. */
  let [year, month, dayOfMonth] = [0, 0, 0];
  for (let index = 0, at = from; index < points; index++, at += pointBytes) {
    const seconds = timesSeconds[index] as number;
    if (seconds >= (day + 1) * DAY_SECONDS) {
      day = Math.floor(seconds / DAY_SECONDS);
      const date = dateBytes(day);
      year = date.readUInt32BE(0);
      month = date.readUInt32BE(4);
      dayOfMonth = date.readUInt16BE(8);
    }
    if (day !== firstDay) {
      view.setUint32(at + DATE_OFFSET, year);
      view.setUint32(at + DATE_OFFSET + 4, month);
      view.setUint16(at + DATE_OFFSET + 8, dayOfMonth);
    }
    const secondOfDay = (seconds - day * DAY_SECONDS) | 0;
    const hour = (secondOfDay / HOUR_SECONDS) | 0;
    const minute = ((secondOfDay - hour * HOUR_SECONDS) / MINUTE_SECONDS) | 0;
    view.setUint16(at + TIME_OFFSET, TWO_DIGITS[hour] as number);
    view.setUint16(at + TIME_OFFSET + 3, TWO_DIGITS[minute] as number);
    const second = secondOfDay - hour * HOUR_SECONDS - minute * MINUTE_SECONDS;
    view.setUint16(at + TIME_OFFSET + 6, TWO_DIGITS[second] as number);
  }
}

/** The digits of 0 to 59, the tens in the upper byte. */
const TWO_DIGITS = Uint16Array.from(
  { length: 60 },
  (_, value) => ((ZERO + Math.floor(value / 10)) << 8) | (ZERO + (value % 10)),
);

/** Responses mostly contain the same days. */
const dates = boundedCache<number, Buffer>(bounds.pointDatesCachedMax);

/** 'YYYY-MM-DDT' of a day since 1970. */
function dateBytes(day: number): Buffer {
  let bytes = dates.get(day);
  if (bytes === undefined) {
    bytes = Buffer.from(new Date(day * DAY_MS).toISOString().slice(0, DATE_BYTES));
    dates.set(day, bytes);
  }
  return bytes;
}
