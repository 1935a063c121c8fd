// The header of the long table: sticky, sorts by a column, selects all rows.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo } from 'react';
import { Checkbox } from './choice.tsx';
import { classNames } from './class-names.ts';
import type { Column, Selection, Sort } from './table-column.ts';

const CELL = 'sticky top-0 z-10 h-8 border-b border-line bg-surface px-3 first:pl-4 last:pr-4';

export function VirtualTableHead<R>(props: {
  columns: readonly Column<R>[];
  rows: readonly R[];
  rowKey: (row: R) => string;
  sort?: Sort | null;
  onSort?: (sort: Sort) => void;
  selection?: Selection;
}) {
  const { columns, rows, rowKey, sort, onSort, selection } = props;
  const keys = selection?.keys;
  const chosen = useMemo(
    () => (keys?.size ? rows.filter((row) => keys.has(rowKey(row))).length : 0),
    [rows, rowKey, keys],
  );
  return (
    <thead className="text-xs text-muted">
      <tr aria-rowindex={1}>
        {selection ? (
          <th scope="col" className={CELL}>
            <Checkbox
              label="Select all rows"
              labelHidden
              checked={rows.length > 0 && chosen === rows.length}
              mixed={chosen > 0 && chosen < rows.length}
              onChange={(checked) =>
                selection.onChange(new Set(checked ? rows.map((row) => rowKey(row)) : []))
              }
            />
          </th>
        ) : null}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
      </tr>
    </thead>
  );
}

function HeadCell<R>({
  column,
  sort,
  onSort,
}: {
  column: Column<R>;
  sort: Sort | null | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  const { id, header, align } = column;
  const sortable = column.sortable === true && onSort !== undefined;
  const direction = sort?.column === id ? sort.direction : null;
  const Arrow = direction === 'descending' ? ArrowDown : ArrowUp;
  const next = direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      aria-sort={sortable ? (direction ?? 'none') : undefined}
      className={classNames(CELL, 'truncate font-medium', align === 'end' && 'text-right')}
    >
      {sortable ? (
        <button
          type="button"
          onClick={() => onSort({ column: id, direction: next })}
          className={classNames(
            'group/sort inline-flex max-w-full items-center gap-1 rounded-sm font-medium hover:text-ink',
            align === 'end' && 'flex-row-reverse',
            direction && 'text-ink',
          )}
        >
          <span className="truncate">{header}</span>
          <Arrow
            aria-hidden
            className={classNames(
              'size-3 shrink-0',
              !direction && 'opacity-0 group-hover/sort:opacity-60',
            )}
          />
        </button>
      ) : (
        header
      )}
    </th>
  );
}
