// Writes packed days as the JSON of the units-sold history, without building objects.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { DAY_MS } from '../foundation/time.ts';
import { METHODS } from './day-sums.ts';
import { eachDay } from './packed-days.ts';

export type WrittenDays = { json: string; count: number };

/** Writes the days of a range, from inclusive, to exclusive. `years` are ascending. */
export function writeDays(
  years: readonly Uint8Array[],
  range: { fromDay: number; toDay: number },
): WrittenDays {
  let json = '';
  let count = 0;
  for (const packed of years) {
    eachDay(packed, (day, { units, low, high, method, percent }) => {
      if (day < range.fromDay || day >= range.toDay) return;
      const comma = count === 0 ? '' : ',';
      const estimate = `${units}${METHOD_TEXT[method]}${PERCENT_TEXT[percent]}${low}`;
      json += `${comma}${dateText(day)}${estimate},"high":${high}}`;
      count++;
    });
  }
  return { json, count };
}

const METHOD_TEXT = METHODS.map((method) => `,"method":"${method}","confidence":`);
const PERCENT_TEXT = Array.from({ length: 101 }, (_, percent) => `${percent / 100},"low":`);

/** Responses mostly contain the same days. */
const dates = boundedCache<number, string>(bounds.dayDatesCachedMax);

function dateText(day: number): string {
  let text = dates.get(day);
  if (text === undefined) {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    text = `{"date":"${date}","units_sold":`;
    dates.set(day, text);
  }
  return text;
}
