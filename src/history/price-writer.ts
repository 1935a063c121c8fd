// Writes price points as the JSON of the price history, straight from the packed form into bytes. A point
// takes about 50 bytes; through objects and JSON.stringify the same takes twelve times as long.
import { PackedCursor } from './packed-cursor.ts';

const DAY_SECONDS = 86_400;
const ZERO = 0x30;
const BEFORE_DATE = Buffer.from('{"date":"');
const BETWEEN = Buffer.from('.000Z","price":');
const DATE_AT = BEFORE_DATE.length;
const DATE_BYTES = 'YYYY-MM-DDT'.length;
const TIME_AT = DATE_AT + DATE_BYTES;
const PRICE_AT = TIME_AT + 'HH:MM:SS'.length + BETWEEN.length;

/** With a price from 10 to 99 dollars. */
const POINT_BYTES_USUAL = 51;

/** Points of one price that are written together. */
const TOGETHER_MAX = 512;
/** Their times; between two blocks none waits, so all writers share the space. */
const times = new Float64Array(TOGETHER_MAX);

export type PointRange = {
  /** Seconds; inclusive. */
  fromAt: number;
  /** Seconds; exclusive. */
  toAt: number;
  /** Only points whose price differs from the point before. */
  changesOnly: boolean;
};

/**
 * Points of one answer, one behind the other, each followed by a comma. Points of one price are gathered and
 * written together: the first, then copies of it by doubling, then each one's own time. (A copy for each
 * point took half as long again.)
 */
export class PriceWriter {
  #buffer: Buffer;
  #length = 0;
  /** Points whose times wait to be written, and their price. */
  #waiting = 0;
  #cents = -1;
  /** Points so far. */
  count = 0;

  constructor(pointsExpected: number) {
    this.#buffer = Buffer.allocUnsafe(pointsExpected * POINT_BYTES_USUAL);
  }

  /** All points of a block that lie in the range and had a buybox. */
  addBlock(block: Uint8Array, range: PointRange): void {
    const cursor = new PackedCursor(block);
    const { state } = cursor;
    while (cursor.next()) {
      const { boxCents } = cursor;
      if (boxCents === undefined || boxCents === null) continue;
      const { atSeconds } = state;
      if (atSeconds < range.fromAt || atSeconds >= range.toAt) continue;
      if (boxCents !== this.#cents) {
        this.#write();
        this.#cents = boxCents;
      } else if (range.changesOnly) continue;
      else if (this.#waiting === TOGETHER_MAX) this.#write();
      times[this.#waiting++] = atSeconds;
      this.count++;
    }
    this.#write();
  }

  /** What was written; nothing may be added afterwards. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #write(): void {
    const points = this.#waiting;
    if (points === 0) return;
    this.#waiting = 0;
    const after = `${this.#cents / 100}},`; // as JSON.stringify writes a number
    const pointBytes = PRICE_AT + after.length;
    this.#reserve(points * pointBytes);
    const buffer = this.#buffer;
    const from = this.#length;
    BEFORE_DATE.copy(buffer, from);
    BETWEEN.copy(buffer, from + PRICE_AT - BETWEEN.length);
    buffer.write(after, from + PRICE_AT, 'latin1');
    // The date is copied along; it is written again where a new day begins.
    let day = Math.floor((times[0] as number) / DAY_SECONDS);
    let date = dateBytes(day);
    buffer.set(date, from + DATE_AT);
    const end = from + points * pointBytes;
    for (let copied = from + pointBytes; copied < end; ) {
      const bytes = Math.min(copied - from, end - copied);
      buffer.copyWithin(copied, from, from + bytes);
      copied += bytes;
    }
    const firstDay = day;
    for (let index = 0, at = from; index < points; index++, at += pointBytes) {
      const seconds = times[index] as number;
      if (seconds >= (day + 1) * DAY_SECONDS) {
        day = Math.floor(seconds / DAY_SECONDS);
        date = dateBytes(day);
      }
      if (day !== firstDay) {
        for (let digit = 0; digit < DATE_BYTES; digit++) {
          buffer[at + DATE_AT + digit] = date[digit] as number;
        }
      }
      writeTime(buffer, at + TIME_AT, seconds - day * DAY_SECONDS);
    }
    this.#length = end;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

function writeTime(buffer: Buffer, at: number, secondOfDay: number): void {
  const hour = (secondOfDay / 3600) | 0;
  const minute = ((secondOfDay - hour * 3600) / 60) | 0;
  const second = secondOfDay - hour * 3600 - minute * 60;
  twoDigits(buffer, at, hour);
  buffer[at + 2] = 0x3a;
  twoDigits(buffer, at + 3, minute);
  buffer[at + 5] = 0x3a;
  twoDigits(buffer, at + 6, second);
}

function twoDigits(buffer: Buffer, at: number, value: number): void {
  const tens = (value / 10) | 0;
  buffer[at] = ZERO + tens;
  buffer[at + 1] = ZERO + value - tens * 10;
}

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
