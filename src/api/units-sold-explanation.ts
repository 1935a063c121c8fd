// The explanation of each day of the units-sold history, with explain=true.
import { type Static, Type } from 'typebox';
import { isoTime } from '../foundation/clock.ts';
import { HOUR_SECONDS, SECOND_MS } from '../foundation/time.ts';
import { type DayExplanation, reasonOf } from '../sales/day-explanation.ts';
import type { Method } from '../sales/day-sums.ts';
import { READING_KINDS } from '../sales/sales-trace.ts';
import { DateTime, nullable } from './wire.ts';

const UnitsSoldReading = Type.Object(
  {
    kind: Type.String({
      enum: [...READING_KINDS],
      description:
        '`restock_to_level`, `restock_in_packs`, `restock`: more units came, to a usual level, in packs, or freely. `returned`: units came back. `transfer`: stock moved between sellers. `miscount`: one count far from those around it, ignored. `at_cap`, `possible_cap`: the count is, or may be, displayed only up to a cap. `count_unknown`: the seller displays no count. `not_observed`: nobody observed for days. `arrived`, `left`: the seller came or went.',
    }),
    seller_name: Type.String(),
    from: DateTime('The observation before'),
    to: DateTime('The observation after'),
    units_before: nullable(Type.Integer({ minimum: 0 })),
    units_after: nullable(Type.Integer({ minimum: 0 })),
  },
  { title: 'UnitsSoldReading' },
);

export const UnitsSoldExplanation = Type.Object(
  {
    reason: Type.String({ description: 'Why the day has its method, as a sentence.' }),
    observations: Type.Object(
      {
        count: Type.Integer({ minimum: 0, description: 'Observations of offers on this day.' }),
        first_at: nullable(DateTime('The first of them')),
        last_at: nullable(DateTime('The last of them')),
        longest_gap_hours: Type.Number({
          minimum: 0,
          maximum: 24,
          description: 'The longest time of the day without an observation.',
        }),
      },
      { title: 'UnitsSoldObservations' },
    ),
    sellers: Type.Array(
      Type.Object(
        {
          seller_name: Type.String(),
          units_sold: Type.Number({ minimum: 0, description: 'Not rounded to whole units.' }),
        },
        { title: 'UnitsSoldSeller' },
      ),
      { description: 'Sellers with sales, the greatest first, at most 20.' },
    ),
    other_sellers: Type.Integer({ minimum: 0, description: 'Sellers that are not listed.' }),
    readings: Type.Array(UnitsSoldReading, {
      description: 'Intervals that are no plain decrease, at most 20 a day.',
    }),
    other_readings: Type.Integer({ minimum: 0, description: 'Readings that are not listed.' }),
  },
  {
    title: 'UnitsSoldExplanation',
    description: 'What the number of the day was made from; only with `explain=true`.',
  },
);

export const UnitsSoldModel = Type.Object(
  {
    version: Type.Integer({
      minimum: 0,
      description: 'The version of the market model; 0 before one is fitted.',
    }),
  },
  {
    title: 'UnitsSoldModel',
    description: 'The market model the days are estimated with; only with `explain=true`.',
  },
);

const timeOf = (atSeconds: number | null) =>
  atSeconds === null ? null : isoTime(atSeconds * SECOND_MS);

export function explanationRecord(
  method: Method,
  explanation: DayExplanation,
): Static<typeof UnitsSoldExplanation> {
  const { observations, sellers, readings } = explanation;
  return {
    reason: reasonOf(method, explanation),
    observations: {
      count: observations.count,
      first_at: timeOf(observations.firstAtSeconds),
      last_at: timeOf(observations.lastAtSeconds),
      longest_gap_hours: Math.round((observations.longestGapSeconds / HOUR_SECONDS) * 100) / 100,
    },
    sellers: sellers.map(({ sellerName, units }) => ({
      seller_name: sellerName,
      units_sold: units,
    })),
    other_sellers: explanation.otherSellers,
    readings: readings.map((reading) => ({
      kind: reading.kind,
      seller_name: reading.sellerName,
      from: isoTime(reading.fromAtSeconds * SECOND_MS),
      to: isoTime(reading.toAtSeconds * SECOND_MS),
      units_before: reading.before,
      units_after: reading.after,
    })),
    other_readings: explanation.moreReadings,
  };
}
