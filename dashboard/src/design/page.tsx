// The parts of a page: header, cards, sections, lists of facts, and the tab's title.
import { type ReactNode, useEffect, useId } from 'react';
import { classNames } from './class-names.ts';
import { Link } from './link.tsx';

export function Page({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return (
    <div
      className={classNames(
        // Not centred: the left edge stays where it is from page to page.
        'flex w-full flex-col gap-5 px-4 py-5 sm:px-6',
        wide ? 'max-w-screen-2xl' : 'max-w-280',
      )}
    >
      {children}
    </div>
  );
}

/** The one h1 of a page; also the tab's title. */
export function PageHeader({
  title,
  tabTitle,
  description,
  actions,
  back,
}: {
  title: ReactNode;
  /** For a title that is not plain text. */
  tabTitle?: string;
  description?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; label: string };
}) {
  const named = tabTitle ?? (typeof title === 'string' ? title : '');
  useTabTitle(named);
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        {back ? (
          <Link to={back.to} className="rounded-sm text-xs text-muted hover:text-ink">
            <span aria-hidden>← </span>
            {back.label}
          </Link>
        ) : null}
        <h1
          tabIndex={-1}
          className="text-xl font-semibold tracking-tight wrap-anywhere text-ink outline-none"
        >
          {title}
        </h1>
        {description ? <div className="mt-0.5 text-sm text-muted">{description}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </header>
  );
}

/** When the focused element disappears, the keyboard continues from the page's title. */
export const focusPageTitle = () => document.querySelector('h1')?.focus();

/** A bordered box with a heading. `flush` for a table that fills it to the edges. */
export function Card({
  title,
  description,
  actions,
  children,
  flush = false,
  className,
}: {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  flush?: boolean;
  className?: string;
}) {
  const id = useId();
  const headed = title !== undefined;
  return (
    <section
      aria-labelledby={headed ? id : undefined}
      className={classNames(
        'flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface',
        className,
      )}
    >
      {headed ? (
        <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-3 gap-y-1.5 border-b border-line px-4 py-1.25">
          <div className="min-w-0">
            <h2 id={id} className="text-sm font-semibold text-ink">
              {title}
            </h2>
            {description ? <p className="text-xs text-muted">{description}</p> : null}
          </div>
          {actions ? (
            // A quiet button has no visible edge: its text, not its padding, aligns with the card's
            // text.
            <div className="flex flex-wrap items-center gap-2 [&>[data-quiet]:last-child]:-mr-2.5">
              {actions}
            </div>
          ) : null}
        </div>
      ) : null}
      <div className={classNames('min-w-0 flex-1', !flush && 'p-4')}>{children}</div>
    </section>
  );
}

/** A part of a long page: heading and text on the left, content on the right on wide screens. */
export function Section({
  title,
  description,
  children,
}: {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-8 gap-y-3 border-t border-line pt-5 first-of-type:border-0 first-of-type:pt-0 lg:grid-cols-[16rem_minmax(0,1fr)]"
    >
      <div>
        <h2 id={id} className="text-sm font-semibold text-ink">
          {title}
        </h2>
        {description ? <div className="mt-0.5 text-sm text-muted">{description}</div> : null}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}

type Fact = { name: ReactNode; value: ReactNode };

/** Names and values in two columns. */
export function Facts({ facts, className }: { facts: readonly Fact[]; className?: string }) {
  return (
    <dl className={classNames('grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5', className)}>
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a page keep their order.
        <div key={index} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-sm text-muted">{fact.name}</dt>
          <dd className="min-w-0 text-sm break-words text-ink tabular-nums">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One large number with its name above and a remark below. */
export function Figure({
  name,
  value,
  note,
}: {
  name: string;
  value: ReactNode;
  note?: ReactNode;
}) {
  return (
    <div className="min-w-0">
      <div className="text-xs text-muted">{name}</div>
      <div className="text-2xl font-semibold tracking-tight text-ink tabular-nums">{value}</div>
      {note ? <div className="text-xs text-muted">{note}</div> : null}
    </div>
  );
}

/** A sentence of warning or information inside a page. */
export function Notice({
  tone = 'neutral',
  children,
  action,
}: {
  tone?: 'neutral' | 'caution' | 'critical' | 'positive';
  children: ReactNode;
  action?: ReactNode;
}) {
  const styles = {
    neutral: 'border-line bg-sunken text-ink',
    caution: 'border-transparent bg-caution-soft text-caution',
    critical: 'border-transparent bg-critical-soft text-critical',
    positive: 'border-transparent bg-positive-soft text-positive',
  };
  return (
    <div
      className={classNames(
        'flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md border px-3 py-2 text-sm',
        styles[tone],
      )}
    >
      <div className="min-w-0 flex-1 basis-60">{children}</div>
      {action}
    </div>
  );
}

/** Sets document.title: the static title element comes first, so a second one would be ignored. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Oversight' : `${title} · Oversight`;
  }, [title]);
}
