// Stands where a page failed to start or to draw, with a way to try again.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isAccountClosed } from '../app/api-problem.ts';
import { Button } from '../design/button.tsx';
import { ErrorState } from '../design/states.tsx';
import { signOut } from './sign-out.ts';

const UNLOADED = /dynamically imported module|module script|preload CSS/i;

const isServerThere = () =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const failure = error instanceof Error ? error : new Error(String(error));
  const isUnloaded = UNLOADED.test(failure.message);
  const retry = async () => {
    // After a new release the old page's files are gone: where the server answers, only loading anew helps.
    if (isUnloaded && (await isServerThere())) return location.reload();
    reset();
    return router.invalidate();
  };
  useRetryOnline(isUnloaded, retry);
  const shown = isUnloaded
    ? new Error(
        'This page could not be loaded: the server does not answer, or a new version is out.',
      )
    : error;
  return (
    <div className="mx-auto max-w-120 pt-[14dvh]">
      <h1 className="sr-only">This page failed</h1>
      <ErrorState error={shown} onRetry={retry} />
      {isAccountClosed(error) ? (
        <p className="text-center">
          <Button onClick={() => void signOut(router)}>Sign out</Button>
        </p>
      ) : null}
    </div>
  );
}

/** What could not be loaded for want of a network comes by itself when that is back. */
function useRetryOnline(isWanted: boolean, retry: () => Promise<unknown>): void {
  useEffect(() => {
    if (!isWanted) return;
    const again = () => void retry();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  });
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
