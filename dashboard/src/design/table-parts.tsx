// Plain dense tables with real table elements. Long lists use virtual-table.tsx.
import type { HTMLAttributes, ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react';
import { classNames } from './class-names.ts';

/** `caption` names the table for screen readers. Scrolls sideways when it does not fit. */
export function DataTable({
  caption,
  children,
  className,
}: {
  caption: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs keyboard focus.
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className={classNames('w-full border-collapse text-left text-sm', className)}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}

export function TableHead({ children }: { children: ReactNode }) {
  return (
    <thead className="border-b border-line bg-surface text-xs text-muted">
      <tr>{children}</tr>
    </thead>
  );
}

type Aligned = { align?: 'start' | 'end' };

export function Th({
  align = 'start',
  className,
  ...rest
}: Omit<ThHTMLAttributes<HTMLTableCellElement>, 'align'> & Aligned) {
  return (
    <th
      scope="col"
      {...rest}
      className={classNames(
        'h-8 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4',
        align === 'end' && 'text-right',
        className,
      )}
    />
  );
}

export function TableBody({ children }: { children: ReactNode }) {
  return <tbody className="divide-y divide-line">{children}</tbody>;
}

export function Tr({ className, ...rest }: HTMLAttributes<HTMLTableRowElement>) {
  return <tr {...rest} className={classNames('hover:bg-hover/60', className)} />;
}

export function Td({
  align = 'start',
  className,
  ...rest
}: Omit<TdHTMLAttributes<HTMLTableCellElement>, 'align'> & Aligned) {
  return (
    <td
      {...rest}
      className={classNames(
        'h-9 px-3 py-1.5 first:pl-4 last:pr-4',
        align === 'end' && 'text-right',
        className,
      )}
    />
  );
}
