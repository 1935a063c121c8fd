// Placeholders for loading, empty and failed content.
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { explain } from '../app/api-problem.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';

/** A grey bar the size of the expected content: `<Skeleton className="h-4 w-24" />`. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames('skeleton block', className ?? 'h-4 w-full')} />;
}

const WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-5/6', 'w-2/5'];

export function SkeletonText({ lines = 3 }: { lines?: number }) {
  return (
    <Loading>
      <div className="flex flex-col gap-2.5 py-1">
        {Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars are identical.
          <Skeleton key={line} className={classNames('h-3', WIDTHS[line % WIDTHS.length])} />
        ))}
      </div>
    </Loading>
  );
}

/** As tall as a table with this many rows, so that nothing moves when it loads. */
export function SkeletonRows({ rows = 6, columns = 4 }: { rows?: number; columns?: number }) {
  return (
    <Loading>
      <div className="divide-y divide-line">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical.
          <div key={row} className="flex h-10 items-center gap-6 px-4">
            {Array.from({ length: columns }, (_, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the bars are identical.
              <span key={column} className={column === 0 ? 'flex-2' : 'flex-1'}>
                <Skeleton
                  className={classNames('h-3', WIDTHS[(row * 2 + column) % WIDTHS.length])}
                />
              </span>
            ))}
          </div>
        ))}
      </div>
    </Loading>
  );
}

function Loading({ children }: { children: ReactNode }) {
  return (
    <div role="status">
      <span className="sr-only">Loading</span>
      {children}
    </div>
  );
}

export function EmptyState({
  title,
  children,
  action,
  icon,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-10 text-center">
      {icon ? <span className="mb-1 text-faint [&>svg]:size-5">{icon}</span> : null}
      <p className="text-sm font-medium text-ink">{title}</p>
      {children ? <div className="max-w-100 text-sm text-muted">{children}</div> : null}
      {action ? <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  );
}

/** What failed, why, and a button to retry. */
export function ErrorState({
  error,
  onRetry,
  compact = false,
}: {
  error: unknown;
  onRetry?: () => unknown;
  compact?: boolean;
}) {
  const { title, detail, retryable, requestId } = explain(error);
  return (
    <div
      role="alert"
      className={classNames(
        'flex flex-col items-center gap-1 text-center',
        compact ? 'px-3 py-4' : 'px-6 py-10',
      )}
    >
      <p className="text-sm font-medium text-ink">{title}</p>
      <p className="max-w-110 text-sm text-muted">{detail}</p>
      {requestId ? <p className="font-mono text-2xs text-faint">Request {requestId}</p> : null}
      {onRetry && retryable ? (
        <Button
          size="sm"
          className="mt-3"
          icon={<RotateCw aria-hidden className="size-3.5" />}
          onClick={() => void onRetry()}
        >
          Try again
        </Button>
      ) : null}
    </div>
  );
}
