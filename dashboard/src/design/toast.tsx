// Short notifications, announced to screen readers, that disappear after a while.
import { Check, CircleAlert, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { explain } from '../app/api-problem.ts';

type Toast = {
  id: number;
  text: string;
  tone: 'done' | 'failed';
  action: { label: string; onSelect: () => void } | undefined;
};

const SHOWN_MS = 5_000;
const SHOWN_FAILURE_MS = 10_000;
const SHOWN_MAX = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function show(text: string, tone: Toast['tone'], action?: Toast['action']): void {
  lastId += 1;
  const id = lastId;
  set([...toasts, { id, text, tone, action }].slice(-SHOWN_MAX));
}

function dismiss(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

export const toast = {
  /** `toast.done('Webhook paused')` */
  done: (text: string, action?: Toast['action']) => show(text, 'done', action),
  /** With a sentence, or with an error. */
  failed: (error: unknown) =>
    show(typeof error === 'string' ? error : explain(error).detail, 'failed'),
};

/** Rendered once, at the root of the app. */
export function Toaster() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-18 z-60 flex flex-col items-center gap-2 sm:inset-x-auto sm:right-4 sm:bottom-4 sm:items-end"
    >
      {shown.map((one) => (
        <ToastLine key={one.id} toast={one} />
      ))}
    </section>
  );
}

function ToastLine({ toast: { id, text, tone, action } }: { toast: Toast }) {
  const hold = useGoing(id, tone);
  return (
    <div
      {...hold}
      className="pointer-events-auto flex max-w-100 items-start gap-2 rounded-md border border-line-strong bg-raised py-2 pr-2 pl-3 text-sm text-ink shadow-pop"
    >
      {tone === 'done' ? (
        <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-positive" />
      ) : (
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-critical" />
      )}
      <span className="min-w-0 flex-1 break-words">{text}</span>
      {action ? (
        <button
          type="button"
          className="rounded-sm px-1 font-medium text-accent-ink hover:underline"
          onClick={() => {
            action.onSelect();
            dismiss(id);
          }}
        >
          {action.label}
        </button>
      ) : null}
      <button
        type="button"
        aria-label="Dismiss"
        className="rounded-sm p-0.5 text-muted hover:text-ink"
        onClick={() => dismiss(id)}
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}

/**
 * It disappears after a while, but not under the pointer or the focus: its time restarts when both
 * are gone.
 */
function useGoing(id: number, tone: Toast['tone']) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isPointed || isFocused;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), tone === 'failed' ? SHOWN_FAILURE_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, tone, isHeld]);
  return {
    onPointerEnter: () => setPointed(true),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  };
}
