// Writes price points as the JSON of the price history, straight from the packed form into bytes. A point
// takes about 50 bytes; through objects and JSON.stringify the same takes twelve times as long.

import { DAY_SECONDS } from '../foundation/time.ts';
import { PackedCursor } from './packed-cursor.ts';

const ZERO = 0x30;
const COLON = 0x3a;
const BEFORE_DATE = Buffer.from('{"date":"');
const BETWEEN = Buffer.from('.000Z","price":');
const DATE_AT = BEFORE_DATE.length;
const DATE_BYTES = 'YYYY-MM-DDT'.length;
const TIME_AT = DATE_AT + DATE_BYTES;
const PRICE_AT = TIME_AT + 'HH:MM:SS'.length + BETWEEN.length;

/** With a price from 10 to 99 dollars. */
const POINT_BYTES_USUAL = 51;

/** Points that are written together. */
const TOGETHER_MAX = 512;
/** Their times, and where among them another price begins; between two blocks none waits, so all writers share it. */
const times = new Float64Array(TOGETHER_MAX);
const priceFrom = new Int32Array(TOGETHER_MAX);
const prices: string[] = [];

export type PointRange = {
  /** Seconds; inclusive. */
  fromAtSeconds: number;
  /** Seconds; exclusive. */
  toAtSeconds: number;
  /** Only points whose price differs from the point before. */
  changesOnly: boolean;
};

/**
 * Points of one answer, one behind the other, each followed by a comma. Points of the same length are gathered and
 * written together: the first, then copies of it by doubling, then what is each one's own. A thousand points of which
 * 6 % change take 135 µs; begun anew for each price, and digit by digit, it was 180.
 */
export class PriceWriter {
  #buffer: Buffer;
  #length = 0;
  /** Points whose times wait to be written, and how many prices they have. */
  #waiting = 0;
  #prices = 0;
  #cents = -1;
  /** The end of a point with this price. */
  #after = '';
  /** Points so far. */
  count = 0;

  constructor(pointsExpected: number, otherBytes = 0) {
    this.#buffer = Buffer.allocUnsafe(pointsExpected * POINT_BYTES_USUAL + otherBytes);
  }

  /** Where the next byte goes. */
  get length(): number {
    return this.#length;
  }

  /** Bytes that are written already, with so many points in them. */
  addBytes(bytes: Uint8Array, points = 0): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    this.count += points;
  }

  /** Takes the comma behind the last point away. */
  dropComma(): void {
    if (this.count > 0) this.#length--;
  }

  /** All points of a block that lie in the range and had a buybox. */
  addBlock(block: Uint8Array, range: PointRange): void {
    try {
      this.#gather(new PackedCursor(block), range);
    } finally {
      this.#write(); // what came before the damage, if there is any, was counted
    }
  }

  #gather(cursor: PackedCursor, range: PointRange): void {
    const { state } = cursor;
    while (cursor.next()) {
      const { boxCents } = cursor;
      if (boxCents === undefined || boxCents === null) continue;
      const { atSeconds } = state;
      if (atSeconds < range.fromAtSeconds || atSeconds >= range.toAtSeconds) continue;
      if (boxCents !== this.#cents) this.#turnTo(boxCents);
      else if (range.changesOnly) continue;
      if (this.#waiting === TOGETHER_MAX) this.#write();
      if (this.#waiting === 0) this.#addPrice();
      times[this.#waiting++] = atSeconds;
      this.count++;
    }
  }

  #turnTo(cents: number): void {
    const after = `${cents / 100}},`; // as JSON.stringify writes a number
    if (after.length !== this.#after.length) this.#write();
    this.#cents = cents;
    this.#after = after;
    if (this.#waiting > 0 && this.#waiting < TOGETHER_MAX) this.#addPrice();
  }

  #addPrice(): void {
    priceFrom[this.#prices] = this.#waiting;
    prices[this.#prices++] = this.#after;
  }

  /** What was written from a place on. More may be written behind it; it stays what it is. */
  bytes(from = 0): Buffer {
    return this.#buffer.subarray(from, this.#length);
  }

  #write(): void {
    const points = this.#waiting;
    if (points === 0) return;
    const first = prices[0] as string;
    const pointBytes = PRICE_AT + first.length;
    this.#reserve(points * pointBytes);
    const buffer = this.#buffer;
    const from = this.#length;
    BEFORE_DATE.copy(buffer, from);
    BETWEEN.copy(buffer, from + PRICE_AT - BETWEEN.length);
    buffer.write(first, from + PRICE_AT, 'latin1');
    const day = Math.floor((times[0] as number) / DAY_SECONDS);
    buffer.set(dateBytes(day), from + DATE_AT);
    buffer[from + TIME_AT + 2] = COLON;
    buffer[from + TIME_AT + 5] = COLON;
    const end = from + points * pointBytes;
    for (let copied = from + pointBytes; copied < end; ) {
      const bytes = Math.min(copied - from, end - copied);
      buffer.copyWithin(copied, from, from + bytes);
      copied += bytes;
    }
    writeTimes(buffer, { from, pointBytes, points, firstDay: day });
    for (let place = 1; place < this.#prices; place++) {
      const last = place + 1 < this.#prices ? (priceFrom[place + 1] as number) : points;
      const own = prices[place] as string;
      for (let digit = 0; digit < own.length - 2; digit++) {
        const code = own.charCodeAt(digit);
        const column = from + PRICE_AT + digit;
        for (let point = priceFrom[place] as number; point < last; point++) {
          buffer[column + point * pointBytes] = code;
        }
      }
    }
    this.#waiting = 0;
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

/** Each point's own time; the date only where it is not the first one's, which was copied along. */
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
  /** 'YYYY', '-MM-' and 'DD' as the bytes that they are. */
  let [year, month, dayOfMonth] = [0, 0, 0];
  for (let index = 0, at = from; index < points; index++, at += pointBytes) {
    const seconds = times[index] as number;
    if (seconds >= (day + 1) * DAY_SECONDS) {
      day = Math.floor(seconds / DAY_SECONDS);
      const date = dateBytes(day);
      year = date.readUInt32BE(0);
      month = date.readUInt32BE(4);
      dayOfMonth = date.readUInt16BE(8);
    }
    if (day !== firstDay) {
      view.setUint32(at + DATE_AT, year);
      view.setUint32(at + DATE_AT + 4, month);
      view.setUint16(at + DATE_AT + 8, dayOfMonth);
    }
    const secondOfDay = (seconds - day * DAY_SECONDS) | 0;
    const hour = (secondOfDay / 3600) | 0;
    const minute = ((secondOfDay - hour * 3600) / 60) | 0;
    view.setUint16(at + TIME_AT, TWO_DIGITS[hour] as number);
    view.setUint16(at + TIME_AT + 3, TWO_DIGITS[minute] as number);
    const second = secondOfDay - hour * 3600 - minute * 60;
    view.setUint16(at + TIME_AT + 6, TWO_DIGITS[second] as number);
  }
}

/** 0 to 59 as two digits, the tens in the upper byte. */
const TWO_DIGITS = Uint16Array.from(
  { length: 60 },
  (_, value) => ((ZERO + Math.floor(value / 10)) << 8) | (ZERO + (value % 10)),
);

// The same days are written in one answer after the other.
const DAYS_KEPT_MAX = 8_192;
const days = new Map<number, Buffer>();

/** 'YYYY-MM-DDT' of a day since 1970. */
function dateBytes(day: number): Buffer {
  let bytes = days.get(day);
  if (bytes === undefined) {
    bytes = Buffer.from(new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, DATE_BYTES));
    if (days.size >= DAYS_KEPT_MAX) days.clear();
    days.set(day, bytes);
  }
  return bytes;
}
