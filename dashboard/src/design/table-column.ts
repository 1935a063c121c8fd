// The columns, sort order and selection of a long table.
import type { ReactNode } from 'react';

export type Column<R> = {
  id: string;
  header: string;
  cell: (row: R) => ReactNode;
  /** In pixels; columns without a width share the rest. */
  width?: number;
  align?: 'start' | 'end';
  /** The heading becomes a button; the owner of the rows sorts them. */
  sortable?: boolean;
  /** Hidden on a phone. */
  wideOnly?: boolean;
};

export type Sort = { column: string; direction: 'ascending' | 'descending' };

export type Selection = {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
};
