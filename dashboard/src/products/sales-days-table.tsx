// The days of an estimate one by one, also for readers who cannot see the chart.
import { useMemo, useState } from 'react';
import { useIsPhone } from '../design/media.ts';
import { Count, countText, Percent } from '../design/money.tsx';
import type { Column } from '../design/table-column.ts';
import { Day } from '../design/time.tsx';
import { VirtualTable } from '../design/virtual-table.tsx';
import { DayExplanationPanel } from './day-explanation.tsx';
import { METHOD_NAMES, type SalesDay, unitsOf } from './sales-days.ts';

const NOTHING = 'no data';

const COLUMNS: Column<SalesDay>[] = [
  { id: 'date', header: 'Day', cell: ({ date }) => <Day on={date} /> },
  {
    id: 'units',
    header: 'Units',
    width: 60,
    align: 'end',
    cell: (day) => <Count of={unitsOf(day)} absent={NOTHING} />,
  },
  {
    id: 'band',
    header: 'Low–high',
    width: 80,
    align: 'end',
    cell: ({ low, high }) =>
      low === null || high === null ? NOTHING : `${countText(low)}–${countText(high)}`,
  },
  { id: 'method', header: 'Method', width: 92, cell: ({ method }) => METHOD_NAMES[method] },
  {
    id: 'confidence',
    header: 'Confidence',
    width: 100,
    align: 'end',
    wideOnly: true,
    cell: ({ confidence }) => <Percent share={confidence} />,
  },
];

/** No column shares the remaining width, so that all four fit without scrolling. */
const PHONE_COLUMNS = COLUMNS.map((column) =>
  column.id === 'date' ? { ...column, width: 98 } : column,
);

export function SalesDaysTable({ days }: { days: readonly SalesDay[] }) {
  const isPhone = useIsPhone();
  const newestFirst = useMemo(() => days.toReversed(), [days]);
  const [openDate, setOpenDate] = useState<string | null>(null);
  const openDay = days.find(({ date }) => date === openDate);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-muted">Choose a day to see what its number was made from.</p>
      <div className="overflow-hidden rounded-md border border-line">
        <VirtualTable
          caption="Units sold by day"
          rows={newestFirst}
          rowKey={({ date }) => date}
          rowName={({ date }) => date}
          columns={isPhone ? PHONE_COLUMNS : COLUMNS}
          rowHeight={32}
          maxHeight="20rem"
          onOpen={({ date }) => setOpenDate(date === openDate ? null : date)}
        />
      </div>
      {openDay ? <DayExplanationPanel day={openDay} onClose={() => setOpenDate(null)} /> : null}
    </div>
  );
}
