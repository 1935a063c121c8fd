// Stands where a page failed to start or to draw, with a way to try again.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorState } from '../design/states.tsx';

const STALE = /dynamically imported module|module script|preload CSS/i;

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  // After a new release the old page's files are gone: only loading the page anew helps.
  const failure = error instanceof Error ? error : new Error(String(error));
  const stale = STALE.test(failure.message);
  const retry = () => {
    if (stale) return location.reload();
    reset();
    return router.invalidate();
  };
  const shown = stale ? new Error('A new version is out. Load the page again to get it.') : error;
  return (
    <div className="mx-auto max-w-120 pt-[14dvh]">
      <h1 className="sr-only">This page failed</h1>
      <ErrorState error={shown} onRetry={retry} />
    </div>
  );
}

/** While the first answer of the server is awaited: the frame's outline, no words. */
export function StartingPage() {
  return (
    <div role="status" className="min-h-dvh md:grid md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <span className="sr-only">Loading</span>
      <div aria-hidden className="hidden border-r border-line bg-sunken md:block" />
    </div>
  );
}
