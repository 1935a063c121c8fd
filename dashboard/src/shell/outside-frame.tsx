// The frame of the pages without a session: one narrow column. Also the product's wordmark.
import type { ReactNode } from 'react';
import { useTabTitle } from '../design/page.tsx';

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

export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2">
      <svg aria-hidden="true" viewBox="0 0 20 20" className="size-5">
        <rect width="20" height="20" rx="5" className="fill-accent" />
        <circle cx="10" cy="10" r="5" fill="none" className="stroke-on-accent" strokeWidth="1.6" />
        <circle cx="10" cy="10" r="1.8" className="fill-on-accent" />
      </svg>
      <span className="text-base font-semibold tracking-tight text-ink">Oversight</span>
    </span>
  );
}
