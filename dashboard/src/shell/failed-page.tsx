// Shown when a page fails to load or to render, with a button to retry.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isAccountClosed } from '../app/api-problem.ts';
import { Button } from '../design/button.tsx';
import { ErrorState } from '../design/states.tsx';
import { signOut } from './sign-out.ts';

/** The file of a page could not be loaded. */
export class PageLoadError extends Error {
  constructor(cause: unknown) {
    super(
      'This page could not be loaded. The server does not respond, or a new version was released.',
      { cause },
    );
    this.name = 'PageLoadError';
  }
}

const isServerThere = () =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isUnloaded = error instanceof PageLoadError;
  const retry = async () => {
    // After a release the files of the old version are gone: if the server responds, only a reload
    // helps.
    if (isUnloaded && (await isServerThere())) return location.reload();
    reset();
    return router.invalidate();
  };
  useRetryOnline(isUnloaded, retry);
  return (
    <div className="mx-auto max-w-120 pt-[14dvh]">
      <h1 className="sr-only">This page failed</h1>
      <ErrorState error={error} onRetry={retry} />
      {isAccountClosed(error) ? (
        <p className="text-center">
          <Button onClick={() => void signOut(router)}>Sign out</Button>
        </p>
      ) : null}
    </div>
  );
}

/** A page that failed to load offline is loaded when the network is back. */
function useRetryOnline(isNeeded: boolean, retry: () => Promise<unknown>): void {
  useEffect(() => {
    if (!isNeeded) return;
    const again = () => void retry();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  });
}

/** Shown until the first response of the server: the outline of the frame, without text. */
export function StartingPage() {
  return (
    <div role="status" className="min-h-dvh md:grid md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <span className="sr-only">Loading</span>
      <div aria-hidden className="hidden border-r border-line bg-sunken md:block" />
    </div>
  );
}
