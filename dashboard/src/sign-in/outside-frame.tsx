// What stands around the pages for those who are not signed in: one narrow column.
import type { ReactNode } from 'react';
import { useTabTitle } from '../design/tab-title.ts';
import { Wordmark } from '../shell/wordmark.tsx';

export function OutsideFrame({
  title,
  description,
  children,
  below,
}: {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  below?: ReactNode;
}) {
  useTabTitle(title);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-88 flex-col px-4 pt-[14dvh] pb-10">
      <Wordmark />
      <h1 className="mt-6 text-xl font-semibold tracking-tight text-ink">{title}</h1>
      {description ? <div className="mt-1 text-sm text-muted">{description}</div> : null}
      <div className="mt-5">{children}</div>
      {below ? <div className="mt-5 flex flex-col gap-1.5 text-sm text-muted">{below}</div> : null}
    </main>
  );
}
