// A table for thousands of rows: only the visible ones are in the document. Supports selection and
// keys.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useIsPhone } from './media.ts';
import type { Column, Selection, Sort } from './table-column.ts';
import { VirtualTableHead } from './virtual-table-head.tsx';
import { type RowActions, VirtualTableRow } from './virtual-table-row.tsx';

type VirtualTableProps<R> = {
  caption: string;
  rows: readonly R[];
  rowKey: (row: R) => string;
  /** Must be stable (useMemo, or outside of the component). */
  columns: readonly Column<R>[];
  sort?: Sort | null;
  onSort?: (sort: Sort) => void;
  /** Enter or a click on a row. The main cell should also hold a link or a button. */
  onOpen?: (row: R) => void;
  rowName?: (row: R) => string;
  selection?: Selection;
  rowHeight?: number;
  /** The maximum height as CSS. */
  maxHeight?: string;
  /** Shown in the body when there are no rows. */
  empty?: ReactNode;
};

const SELECT_WIDTH = 40;
/** Minimum width of a column without a width, before the table scrolls sideways. */
const SHARED_WIDTH_MIN = 160;
const SHARED_WIDTH_MIN_ON_PHONE = 112;

export function VirtualTable<R>(props: VirtualTableProps<R>) {
  const { caption, rows, rowKey, selection, rowHeight = 40, maxHeight = '70dvh', empty } = props;
  const phone = useIsPhone();
  const columns = useMemo(
    () => props.columns.filter((column) => !(phone && column.wideOnly)),
    [props.columns, phone],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollPaddingStart: 34,
  });
  const { activeKey, setActiveKey, onKeyDown } = useRowKeys(props, (index) =>
    virtual.scrollToIndex(index),
  );
  const actions = useRowActions(props);
  const visible = virtual.getVirtualItems();
  const above = visible[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (visible.at(-1)?.end ?? 0);
  const shared = phone ? SHARED_WIDTH_MIN_ON_PHONE : SHARED_WIDTH_MIN;
  const width = columns.reduce((sum, column) => sum + (column.width ?? shared), 0);
  const span = columns.length + (selection ? 1 : 0);
  const firstKey = rows[0] === undefined ? null : rowKey(rows[0]);
  const reachableKey = activeKey ?? firstKey;
  return (
    <section
      ref={scroller}
      aria-label={caption}
      className="relative overflow-auto"
      style={{ maxHeight }}
    >
      <table
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed border-separate border-spacing-0 text-left text-sm"
        style={{ minWidth: width + (selection ? SELECT_WIDTH : 0) }}
        onKeyDown={onKeyDown}
      >
        <caption className="sr-only">{caption}</caption>
        <Widths columns={columns} selects={selection !== undefined} />
        <VirtualTableHead {...props} columns={columns} />
        <tbody>
          <Spacer height={above} span={span} />
          {visible.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const key = rowKey(row);
            return (
              <VirtualTableRow
                key={key}
                rowId={key}
                row={row}
                columns={columns as readonly Column<unknown>[]}
                index={index}
                height={rowHeight}
                reachable={key === reachableKey}
                selectLabel={selection ? `Select ${props.rowName?.(row) ?? key}` : null}
                chosen={selection?.keys.has(key) ?? false}
                opens={props.onOpen !== undefined}
                actions={actions}
                onReach={setActiveKey}
              />
            );
          })}
          <Spacer height={below} span={span} />
          {rows.length === 0 && empty ? (
            <tr>
              <td colSpan={span}>{empty}</td>
            </tr>
          ) : null}
        </tbody>
      </table>
    </section>
  );
}

function Widths<R>({ columns, selects }: { columns: readonly Column<R>[]; selects: boolean }) {
  return (
    <colgroup>
      {selects ? <col style={{ width: SELECT_WIDTH }} /> : null}
      {columns.map((column) => (
        <col key={column.id} style={{ width: column.width }} />
      ))}
    </colgroup>
  );
}

function Spacer({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={span} style={{ height, padding: 0 }} />
    </tr>
  );
}

/** The same functions for the life of the table, so that rows need not render again. */
function useRowActions<R>(props: VirtualTableProps<R>): RowActions {
  const now = useRef(props);
  now.current = props;
  const open = useCallback((row: unknown) => now.current.onOpen?.(row as R), []);
  const toggle = useCallback((key: string, checked: boolean) => {
    const { selection } = now.current;
    if (!selection) return;
    const keys = new Set(selection.keys);
    if (checked) keys.add(key);
    else keys.delete(key);
    selection.onChange(keys);
  }, []);
  return useMemo(() => ({ open, toggle }), [open, toggle]);
}

/** One row is in the tab order; the arrow keys move it. */
function useRowKeys<R>(
  { rows, rowKey, onOpen, rowHeight = 40 }: VirtualTableProps<R>,
  scrollTo: (index: number) => void,
) {
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    const from = event.target as HTMLElement;
    const at = Number(from.dataset.row);
    if (from.tagName !== 'TR' || Number.isNaN(at)) return;
    const page = Math.floor((from.closest('section')?.clientHeight ?? 400) / rowHeight) - 2;
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      j: at + 1,
      k: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const here = rows[at];
    if (event.key === 'Enter' && here !== undefined) onOpen?.(here);
    const target = moves[event.key];
    if (target === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const index = Math.min(Math.max(target, 0), rows.length - 1);
    const row = rows[index];
    if (row === undefined) return;
    setActiveKey(rowKey(row));
    scrollTo(index);
    const table = event.currentTarget;
    const focus = () => {
      const line = table.querySelector<HTMLElement>(`[data-row="${index}"]`);
      line?.focus({ preventScroll: true });
      return line !== null;
    };
    // A distant row is rendered only after the scroll.
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  return { activeKey, setActiveKey, onKeyDown };
}
