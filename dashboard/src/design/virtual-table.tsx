// A table for thousands of rows: only those in sight are in the document; sorts, selects, by keyboard.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { Checkbox } from './choice.tsx';
import { classNames } from './class-names.ts';
import { useIsPhone } from './media.ts';
import { VirtualTableHead } from './virtual-table-head.tsx';

export type Column<R> = {
  id: string;
  header: string;
  cell: (row: R) => ReactNode;
  /** Pixels; columns without one share what is left. */
  width?: number;
  align?: 'start' | 'end';
  /** Ascending order of two rows; a column without it does not sort. Put unknowns last yourself. */
  compare?: (a: R, b: R) => number;
  /** Left out on a phone. */
  wideOnly?: boolean;
};

export type Sort = { column: string; direction: 'ascending' | 'descending' };

export type Selection = {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
};

export type VirtualTableProps<R> = {
  caption: string;
  rows: readonly R[];
  rowKey: (row: R) => string;
  /** Keep it stable (useMemo or outside of the component). */
  columns: readonly Column<R>[];
  sort?: Sort | null;
  onSort?: (sort: Sort) => void;
  /** Enter or a click on a row. The row's main cell should also hold a link or a button. */
  onOpen?: (row: R) => void;
  rowName?: (row: R) => string;
  selection?: Selection;
  rowHeight?: number;
  /** CSS height that the table may take at most. */
  maxHeight?: string;
  /** Called when the last rows come into sight, to load more. */
  onEndReached?: () => void;
  /** Stands in the body when there are no rows. */
  empty?: ReactNode;
};

const SELECT_WIDTH = 40;
/** Room for the sharing columns before the table scrolls sideways. */
const SHARED_WIDTH_MIN = 160;

export function VirtualTable<R>(props: VirtualTableProps<R>) {
  const { caption, rowKey, selection, rowHeight = 40, maxHeight = '70dvh', empty } = props;
  const phone = useIsPhone();
  const columns = useMemo(
    () => props.columns.filter((column) => !(phone && column.wideOnly)),
    [props.columns, phone],
  );
  const rows = useSorted(props.rows, props.columns, props.sort);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollPaddingStart: 34,
    onChange: (instance) => {
      const last = instance.getVirtualItems().at(-1);
      if (last && last.index >= rows.length - 20) props.onEndReached?.();
    },
  });
  const { activeKey, setActiveKey, onKeyDown } = useRowKeys(props, rows, (index) =>
    virtual.scrollToIndex(index),
  );
  const inSight = virtual.getVirtualItems();
  const above = inSight[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0);
  const width = columns.reduce((sum, column) => sum + (column.width ?? SHARED_WIDTH_MIN), 0);
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
        <colgroup>
          {selection ? <col style={{ width: SELECT_WIDTH }} /> : null}
          {columns.map((column) => (
            <col key={column.id} style={{ width: column.width }} />
          ))}
        </colgroup>
        <VirtualTableHead {...props} columns={columns} rows={rows} />
        <tbody>
          <Spacer height={above} span={span} />
          {inSight.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const key = rowKey(row);
            return (
              <BodyRow
                key={key}
                {...props}
                row={row}
                columns={columns}
                index={index}
                height={rowHeight}
                reachable={key === reachableKey}
                onReach={() => setActiveKey(key)}
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

function Spacer({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={span} style={{ height, padding: 0 }} />
    </tr>
  );
}

type BodyRowProps<R> = Omit<VirtualTableProps<R>, 'columns'> & {
  row: R;
  columns: readonly Column<R>[];
  index: number;
  height: number;
  reachable: boolean;
  onReach: () => void;
};

function BodyRow<R>(props: BodyRowProps<R>) {
  const { row, columns, index, height, selection, onOpen, rowKey, rowName } = props;
  const key = rowKey(row);
  const chosen = selection?.keys.has(key) ?? false;
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={selection ? chosen : undefined}
      tabIndex={props.reachable ? 0 : -1}
      onFocus={props.onReach}
      onClick={(event) => {
        const onControl = (event.target as Element).closest('a,button,input,label,select');
        // Text being selected with the mouse is not a click on the row.
        if (!onControl && getSelection()?.isCollapsed !== false) onOpen?.(row);
      }}
      className={classNames(
        'group/row hover:bg-hover focus-visible:-outline-offset-2',
        onOpen && 'cursor-pointer',
        chosen && 'bg-accent-soft hover:bg-accent-soft',
      )}
      style={{ height }}
    >
      {selection ? (
        <td className="border-b border-line pl-4">
          <Checkbox
            label={`Select ${rowName?.(row) ?? key}`}
            labelHidden
            checked={chosen}
            onChange={(checked) => {
              const keys = new Set(selection.keys);
              if (checked) keys.add(key);
              else keys.delete(key);
              selection.onChange(keys);
            }}
          />
        </td>
      ) : null}
      {columns.map((column) => (
        <td
          key={column.id}
          className={classNames(
            'truncate border-b border-line px-3 first:pl-4 last:pr-4',
            column.align === 'end' && 'text-right',
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

function useSorted<R>(
  rows: readonly R[],
  columns: readonly Column<R>[],
  sort: Sort | null | undefined,
): readonly R[] {
  return useMemo(() => {
    const compare = columns.find((column) => column.id === sort?.column)?.compare;
    if (!compare || !sort) return rows;
    const sign = sort.direction === 'ascending' ? 1 : -1;
    return rows.toSorted((a, b) => sign * compare(a, b));
  }, [rows, columns, sort]);
}

/** One row is in the tab order; the arrows move it. */
function useRowKeys<R>(
  { rowKey, onOpen, rowHeight = 40 }: VirtualTableProps<R>,
  rows: readonly R[],
  scrollTo: (index: number) => void,
) {
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    const line = event.target as HTMLElement;
    const at = Number(line.dataset.row);
    if (line.tagName !== 'TR' || Number.isNaN(at)) return;
    const page = Math.floor((line.closest('section')?.clientHeight ?? 400) / rowHeight) - 2;
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
    const wanted = moves[event.key];
    if (wanted === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const index = Math.min(Math.max(wanted, 0), rows.length - 1);
    const row = rows[index];
    if (row === undefined) return;
    setActiveKey(rowKey(row));
    scrollTo(index);
    const table = event.currentTarget;
    // The row may come into the document only after the scroll.
    const focus = () => table.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus();
    requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  return { activeKey, setActiveKey, onKeyDown };
}
