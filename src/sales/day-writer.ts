// Writes packed days as the JSON of the units-sold history, without building objects.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { DAY_MS } from '../foundation/time.ts';
import { eachDay, STORED_METHODS } from './packed-days.ts';

/** `withUnits`: the days that have a number. */
export type WrittenDays = { json: string; count: number; withUnits: number };

/** Writes the days of a range, from inclusive, to exclusive. `years` are ascending. */
export function writeDays(
  years: readonly Uint8Array[],
  range: { fromDay: number; toDay: number },
): WrittenDays {
  let json = '';
  let count = 0;
  let withUnits = 0;
  for (const packed of years) {
    eachDay(packed, (day, { units, low, high, method, percent }) => {
      if (day < range.fromDay || day >= range.toDay) return;
      const comma = count === 0 ? '' : ',';
      count++;
      if (method === UNKNOWN) {
        json += `${comma}${dateText(day)}${UNKNOWN_TEXT}`;
        return;
      }
      withUnits++;
      const estimate = `${units}${METHOD_TEXT[method]}${PERCENT_TEXT[percent]}${low}`;
      json += `${comma}${dateText(day)}${estimate},"high":${high}}`;
    });
  }
  return { json, count, withUnits };
}

const UNKNOWN = STORED_METHODS.indexOf('unknown');
const UNKNOWN_TEXT = 'null,"method":"unknown","confidence":0,"low":null,"high":null}';
const METHOD_TEXT = STORED_METHODS.map((method) => `,"method":"${method}","confidence":`);
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
