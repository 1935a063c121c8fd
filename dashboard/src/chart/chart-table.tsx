// The shown range as a table, for readers who cannot or do not want to read it off the lines.
import { useMemo } from 'react';
import { Absent } from '../design/money.tsx';
import type { Column } from '../design/table-column.ts';
import { Time } from '../design/time.tsx';
import { VirtualTable } from '../design/virtual-table.tsx';
import type { Line, Scene, Window } from './chart-model.ts';
import { type ChartRow, columnName, rowsIn } from './chart-rows.ts';
import { valueText } from './value-text.ts';

const ROWS_MAX = 1_000;

export function ChartTable({ scene, window }: { scene: Scene; window: Window }) {
  const rows = useMemo(() => rowsIn(scene, window, ROWS_MAX).toReversed(), [scene, window]);
  const columns = useMemo(() => columnsOf(scene), [scene]);
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <VirtualTable
        caption="Values in the shown range"
        rows={rows}
        rowKey={({ atMs }) => String(atMs)}
        rowName={({ atMs }) => new Date(atMs).toISOString()}
        columns={columns}
        rowHeight={32}
        maxHeight="20rem"
      />
    </div>
  );
}

function columnsOf({ lines, holders }: Scene): Column<ChartRow>[] {
  const columns: Column<ChartRow>[] = [
    { id: 'time', header: 'Time', width: 168, cell: ({ atMs }) => <Time at={atMs} /> },
    ...lines.map((line, index) => ({
      id: line.id,
      header: line.pane === 'price' ? line.name : columnName(line),
      width: 130,
      align: 'end' as const,
      cell: ({ values, state }: ChartRow) => {
        const value = values[index];
        if (value == null) return <Absent reason={state === '' ? 'no value' : state} />;
        return valueText(kindOf(line), value);
      },
    })),
  ];
  if (holders.length > 0)
    columns.push({ id: 'holder', header: 'Buybox holder', cell: ({ holder }) => holder ?? '–' });
  columns.push({ id: 'state', header: 'State', width: 110, cell: ({ state }) => state });
  return columns;
}

const kindOf = ({ pane }: Line) =>
  pane === 'price' ? 'price' : pane === 'rank' ? 'rank' : 'count';
