// One row of the long table, rendered again only when its props change.
import { memo } from 'react';
import { Checkbox } from './choice.tsx';
import { classNames } from './class-names.ts';
import type { Column } from './table-column.ts';

export type RowActions = {
  open: (row: unknown) => void;
  toggle: (key: string, checked: boolean) => void;
};

type VirtualTableRowProps = {
  rowId: string;
  row: unknown;
  columns: readonly Column<unknown>[];
  index: number;
  height: number;
  reachable: boolean;
  /** Null when rows cannot be selected. */
  selectLabel: string | null;
  chosen: boolean;
  opens: boolean;
  actions: RowActions;
  onReach: (key: string) => void;
};

/** Does not render on every scroll step: its props stay the same. */
export const VirtualTableRow = memo(function VirtualTableRow(props: VirtualTableRowProps) {
  const { rowId, row, columns, index, height, chosen, selectLabel, opens, actions } = props;
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      tabIndex={props.reachable ? 0 : -1}
      onFocus={() => props.onReach(rowId)}
      onClick={(event) => {
        const onControl = (event.target as Element).closest('a,button,input,label,select');
        // Selecting text with the mouse is not a click on the row.
        if (!onControl && getSelection()?.isCollapsed !== false) actions.open(row);
      }}
      className={classNames(
        'group/row hover:bg-hover focus-visible:-outline-offset-2',
        opens && 'cursor-pointer',
        chosen && 'bg-accent-soft hover:bg-accent-soft',
      )}
      style={{ height }}
    >
      {selectLabel === null ? null : (
        <td className="border-b border-line pl-4">
          <Checkbox
            label={selectLabel}
            labelHidden
            checked={chosen}
            onChange={(checked) => actions.toggle(rowId, checked)}
          />
        </td>
      )}
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
});
