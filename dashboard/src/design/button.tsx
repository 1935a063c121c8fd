// Buttons, and links that look like them.
import { LoaderCircle } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { type ClassName, classNames } from './class-names.ts';
import { Link } from './link.tsx';
import { Tooltip } from './tooltip.tsx';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';
export type ButtonSize = 'sm' | 'md';

const BASE =
  'relative inline-flex items-center justify-center gap-1.5 rounded-md border font-medium ' +
  'whitespace-nowrap select-none transition-colors duration-100 ' +
  'disabled:opacity-50 aria-disabled:opacity-50 disabled:pointer-events-none';
const SIZES: Record<ButtonSize, string> = {
  sm: 'h-7 px-2.5 text-xs coarse:h-9',
  md: 'h-8 px-3 text-sm coarse:h-10',
};
const SQUARES: Record<ButtonSize, string> = {
  sm: 'size-7 coarse:size-9',
  md: 'size-8 coarse:size-10',
};
const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border-line-strong bg-surface text-ink hover:bg-hover active:bg-pressed',
  quiet: 'border-transparent bg-transparent text-muted hover:bg-hover hover:text-ink',
  danger:
    'border-line-strong bg-surface text-critical hover:bg-critical-soft hover:border-critical',
};

function buttonStyle(
  variant: ButtonVariant = 'secondary',
  size: ButtonSize = 'md',
  more?: ClassName,
): string {
  return classNames(BASE, SIZES[size], VARIANTS[variant], more);
}

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  /** Shows a spinner instead of the icon, keeps the width and ignores further clicks. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  busy = false,
  className,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      data-quiet={variant === 'quiet' || undefined}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      // A busy button stays focusable, so that keyboard focus is not lost while it waits.
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={buttonStyle(variant, size, className)}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

type ButtonLinkProps = {
  to?: string;
  href?: string;
  download?: boolean;
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  className?: string;
  children: ReactNode;
};

/** `to` for a page of the app, `href` for anything else (with `download` for a file). */
export function ButtonLink({
  to,
  href,
  download,
  variant,
  size,
  icon,
  className,
  children,
}: ButtonLinkProps) {
  const style = buttonStyle(variant, size, className);
  const quiet = variant === 'quiet' || undefined;
  if (to !== undefined)
    return (
      <Link to={to} className={style} data-quiet={quiet}>
        {icon}
        {children}
      </Link>
    );
  return (
    <a href={href} download={download} className={style} data-quiet={quiet}>
      {icon}
      {children}
    </a>
  );
}

type IconButtonProps = Omit<ButtonProps, 'icon' | 'children'> & {
  /** The accessible name, and the tooltip. */
  label: string;
  icon: ReactNode;
};

export function IconButton({
  label,
  icon,
  variant = 'quiet',
  size = 'md',
  busy = false,
  className,
  type = 'button',
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        aria-busy={busy || undefined}
        aria-disabled={busy || undefined}
        onClick={busy ? (event) => event.preventDefault() : onClick}
        className={classNames(BASE, SQUARES[size], VARIANTS[variant], className)}
      >
        {busy ? <Spinner /> : icon}
      </button>
    </Tooltip>
  );
}

function Spinner() {
  return <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />;
}
