// The columns, sort order and selection of a long table.
import type { ReactNode } from 'react';

export type Column<R> = {
  id: string;
  header: string;
  cell: (row: R) => ReactNode;
  /** Pixels; columns without one share what is left. */
  width?: number;
  align?: 'start' | 'end';
  /** Whether its heading is a button; whoever owns the rows sorts them. */
  sortable?: boolean;
  /** Left out on a phone. */
  wideOnly?: boolean;
};

export type Sort = { column: string; direction: 'ascending' | 'descending' };

export type Selection = {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
};
