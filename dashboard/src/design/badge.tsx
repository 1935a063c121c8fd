// Small marks: a badge, a status dot with text, a key of the keyboard.
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'accent' | 'positive' | 'caution' | 'critical';

const BADGES: Record<Tone, string> = {
  neutral: 'bg-hover text-muted',
  accent: 'bg-accent-soft text-accent-ink',
  positive: 'bg-positive-soft text-positive',
  caution: 'bg-caution-soft text-caution',
  critical: 'bg-critical-soft text-critical',
};
const DOTS: Record<Tone, string> = {
  neutral: 'bg-faint',
  accent: 'bg-accent',
  positive: 'bg-positive',
  caution: 'bg-caution',
  critical: 'bg-critical',
};

export function Badge({
  tone = 'neutral',
  children,
  className,
}: {
  tone?: Tone;
  children: ReactNode;
  className?: string;
}) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center gap-1 rounded-sm px-1.5 text-2xs font-medium whitespace-nowrap',
        BADGES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** A dot is always accompanied by text. */
export function StatusDot({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden className={classNames('size-1.5 shrink-0 rounded-full', DOTS[tone])} />
      {children}
    </span>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line-strong bg-surface px-1 font-sans text-2xs text-muted">
      {children}
    </kbd>
  );
}
