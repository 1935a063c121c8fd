// The table of tracked products: selection by mouse and keyboard, and a scroll position that live
// changes keep.
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import { useIsPhone } from '../design/media.ts';
import type { Sort } from '../design/table-column.ts';
import { VirtualTable } from '../design/virtual-table.tsx';
import { useTableSettings } from './table-settings.ts';
import type { TierPrices } from './tier-words.tsx';
import { nameOf, phoneColumns, wideColumns } from './tracked-columns.tsx';
import type { Tracked } from './tracked-product.ts';

/** Three lines: a name of two lines, and the code. */
const ROW_HEIGHTS = { comfortable: 60, compact: 36 } as const;
const ROW_HEIGHT_PHONE = 80;
const keyOf = (row: Tracked) => row.id;

type TrackedTableProps = {
  /** Filtered and sorted. */
  rows: readonly Tracked[];
  /** Changes with the view; a new view starts at the top. */
  view: string;
  prices: TierPrices | undefined;
  sort: Sort;
  onSort: (sort: Sort) => void;
  selected: ReadonlySet<string>;
  onSelect: (keys: ReadonlySet<string>) => void;
  onOpen: (row: Tracked) => void;
  onEdit: (id: string) => void;
  empty: ReactNode;
};

export function TrackedTable(props: TrackedTableProps) {
  const { rows, view, prices, selected, onSelect, onEdit } = props;
  const phone = useIsPhone();
  const { hidden, density } = useTableSettings();
  const rowHeight = phone ? ROW_HEIGHT_PHONE : ROW_HEIGHTS[density];
  const frame = useRef<HTMLDivElement>(null);
  useSteadyScroll(frame, { rows, view, rowHeight });
  const columns = useMemo(
    () =>
      phone
        ? phoneColumns({ prices, onEdit })
        : wideColumns({ prices, onEdit }, { hidden, density }),
    [phone, prices, onEdit, hidden, density],
  );
  const range = useRangeSelection(rows, selected, onSelect);
  return (
    <div
      ref={frame}
      onKeyDownCapture={(event) => onRowKey(event, props)}
      onClickCapture={range.onClickCapture}
    >
      <VirtualTable
        // A row that changes its height must be measured again.
        key={rowHeight}
        caption="Tracked products"
        rows={rows}
        rowKey={keyOf}
        rowName={nameOf}
        columns={columns}
        sort={props.sort}
        onSort={props.onSort}
        selection={{ keys: selected, onChange: range.onChange }}
        onOpen={props.onOpen}
        rowHeight={rowHeight}
        maxHeight={phone ? 'calc(100dvh - 11rem)' : 'max(20rem, calc(100dvh - 13.5rem))'}
        empty={props.empty}
      />
    </div>
  );
}

/**
 * Space or x selects the row; Shift with an arrow selects the next one too; e edits; Escape clears
 * the selection.
 */
function onRowKey(event: KeyboardEvent, props: TrackedTableProps): void {
  const { rows, selected, onSelect, onEdit } = props;
  if (event.key === 'Escape' && selected.size > 0) onSelect(new Set());
  const line = event.target as HTMLElement;
  const at = Number(line.dataset.row);
  const row = line.tagName === 'TR' ? rows[at] : undefined;
  if (row === undefined) return;
  if ((event.metaKey || event.ctrlKey) && event.key === 'a') {
    event.preventDefault();
    onSelect(new Set(rows.map(keyOf)));
  }
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === 'e') onEdit(row.id);
  if (event.key === ' ' || event.key === 'x') {
    event.preventDefault();
    const keys = new Set(selected);
    if (!keys.delete(row.id)) keys.add(row.id);
    onSelect(keys);
  }
  if (event.shiftKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    const next = rows[at + (event.key === 'ArrowDown' ? 1 : -1)];
    onSelect(new Set([...selected, row.id, ...(next ? [next.id] : [])]));
  }
}

/** Shift and a click applies the click to all rows since the last one. */
function useRangeSelection(
  rows: readonly Tracked[],
  selected: ReadonlySet<string>,
  onSelect: (keys: ReadonlySet<string>) => void,
) {
  const isShift = useRef(false);
  const lastKey = useRef<string | null>(null);
  return {
    onClickCapture: (event: { shiftKey: boolean }) => {
      isShift.current = event.shiftKey;
    },
    onChange: (keys: ReadonlySet<string>) => {
      const changed = rows.filter(({ id }) => keys.has(id) !== selected.has(id));
      const only = changed.length === 1 ? changed[0]?.id : undefined;
      const from = rows.findIndex(({ id }) => id === lastKey.current);
      lastKey.current = only ?? null;
      if (!isShift.current || only === undefined || from < 0) return onSelect(keys);
      const to = rows.findIndex(({ id }) => id === only);
      const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
      const next = new Set(keys);
      for (const { id } of between) keys.has(only) ? next.add(id) : next.delete(id);
      onSelect(next);
    },
  };
}

/** The first visible row keeps its position when rows are added, removed or moved. */
function useSteadyScroll(
  frame: { current: HTMLDivElement | null },
  input: { rows: readonly Tracked[]; view: string; rowHeight: number },
): void {
  const { rows, view, rowHeight } = input;
  const shown = useRef({ rows, view });
  useLayoutEffect(() => {
    const scroller = frame.current?.querySelector('section');
    const before = shown.current;
    shown.current = { rows, view };
    if (!scroller || before.rows === rows) return;
    if (before.view !== view) {
      scroller.scrollTop = 0;
      return;
    }
    const firstIndex = Math.floor(scroller.scrollTop / rowHeight);
    const top = before.rows[firstIndex];
    // At the very top new rows should become visible.
    if (firstIndex === 0 || top === undefined) return;
    const now = rows.findIndex(({ id }) => id === top.id);
    if (now >= 0 && now !== firstIndex) scroller.scrollTop += (now - firstIndex) * rowHeight;
  }, [frame, rows, view, rowHeight]);
}
