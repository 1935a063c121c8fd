// What the units of one day were made from: observations, sellers and readings.
import { useId } from 'react';
import { Button } from '../design/button.tsx';
import { countText } from '../design/money.tsx';
import { Day, Time } from '../design/time.tsx';
import { type DayExplanation, READING_NAMES, type SalesDay } from './sales-days.ts';

export function DayExplanationPanel({ day, onClose }: { day: SalesDay; onClose: () => void }) {
  const { date, explanation } = day;
  const titleId = useId();
  return (
    <section
      aria-labelledby={titleId}
      className="flex flex-col gap-3 rounded-md border border-line p-3 text-xs"
    >
      <div className="flex items-center justify-between gap-2">
        <h3 id={titleId} className="font-medium text-ink text-sm">
          <Day on={date} />
        </h3>
        <Button size="sm" variant="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      {explanation === undefined ? (
        <p className="text-muted">
          This response was fetched before days were explained. Refresh it to see why.
        </p>
      ) : (
        <Explanation explanation={explanation} />
      )}
    </section>
  );
}

function Explanation({ explanation }: { explanation: DayExplanation }) {
  const { reason, sellers, other_sellers, readings, other_readings } = explanation;
  return (
    <>
      <p className="text-ink">{reason}</p>
      <Observations observations={explanation.observations} />
      {sellers.length > 0 ? (
        <ul aria-label="Units by seller" className="flex flex-col gap-0.5 text-muted">
          {sellers.map(({ seller_name, units_sold }) => (
            <li key={seller_name}>
              <span className="font-medium text-ink">{countText(units_sold)}</span> {seller_name}
            </li>
          ))}
          {other_sellers > 0 ? <li>and {countText(other_sellers)} more sellers</li> : null}
        </ul>
      ) : null}
      {readings.length > 0 ? (
        <ul aria-label="Readings" className="flex flex-col gap-0.5 text-muted">
          {readings.map((reading) => (
            <li key={`${reading.kind}${reading.seller_name}${reading.from}`}>
              <span className="font-medium text-ink">{READING_NAMES[reading.kind]}</span>:{' '}
              {reading.seller_name}, {countsText(reading)}
              <Time at={reading.from} /> to <Time at={reading.to} />
            </li>
          ))}
          {other_readings > 0 ? <li>and {countText(other_readings)} more readings</li> : null}
        </ul>
      ) : null}
    </>
  );
}

function countsText({ units_before, units_after }: DayExplanation['readings'][number]): string {
  if (units_before === null || units_after === null) return '';
  return `${countText(units_before)} → ${countText(units_after)}, `;
}

function Observations({ observations }: Pick<DayExplanation, 'observations'>) {
  const { count, first_at, last_at, longest_gap_hours } = observations;
  if (count === 0 || first_at === null || last_at === null)
    return <p className="text-muted">No observation on this day.</p>;
  return (
    <p className="text-muted">
      {countText(count)} {count === 1 ? 'observation' : 'observations'}, <Time at={first_at} /> to{' '}
      <Time at={last_at} />; at most {countText(Math.round(longest_gap_hours * 10) / 10)} hours
      without one.
    </p>
  );
}
