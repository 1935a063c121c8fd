// Writes estimated days as the JSON of the units-sold history, straight from their packed form.
import { METHODS } from './day-sums.ts';
import { eachDay } from './packed-days.ts';

export type WrittenDays = { json: string; count: number };

/** Days from inclusive, to exclusive; ascending, as the years come. */
export function writeDays(
  years: readonly Uint8Array[],
  range: { fromDay: number; toDay: number },
): WrittenDays {
  let json = '';
  let count = 0;
  for (const packed of years) {
    eachDay(packed, (day, { units, low, high, method, percent }) => {
      if (day < range.fromDay || day >= range.toDay) return;
      json += `${count === 0 ? '' : ','}${dateText(day)}${units}${METHOD_TEXT[method]}${PERCENT_TEXT[percent]}${low},"high":${high}}`;
      count++;
    });
  }
  return { json, count };
}

const METHOD_TEXT = METHODS.map((method) => `,"method":"${method}","confidence":`);
const PERCENT_TEXT = Array.from({ length: 101 }, (_, percent) => `${percent / 100},"low":`);

// The same days are written in one answer after the other.
const DAYS_KEPT_MAX = 16_384;
const dates = new Map<number, string>();

function dateText(day: number): string {
  let text = dates.get(day);
  if (text === undefined) {
    const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
    text = `{"date":"${date}","units_sold":`;
    if (dates.size >= DAYS_KEPT_MAX) dates.clear();
    dates.set(day, text);
  }
  return text;
}
