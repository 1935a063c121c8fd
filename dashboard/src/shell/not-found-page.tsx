// Shown for an unknown path; inside the frame if signed in.
import { useQuery } from '@tanstack/react-query';
import { isSignedOut } from '../app/api-problem.ts';
import { paths } from '../app/paths.ts';
import { sessionQuery } from '../app/session.ts';
import { ButtonLink } from '../design/button.tsx';
import { useTabTitle } from '../design/page.tsx';
import { EmptyState } from '../design/states.tsx';
import { StartingPage } from './failed-page.tsx';
import { Frame } from './frame.tsx';

export function NotFoundPage() {
  const session = useQuery({ ...sessionQuery, retry: false });
  if (session.isPending) return <StartingPage />;
  if (session.data !== undefined && !isSignedOut(session.error))
    return (
      <Frame>
        <NotFound />
      </Frame>
    );
  return (
    <main>
      <NotFound />
    </main>
  );
}

function NotFound() {
  useTabTitle('Not found');
  return (
    <div className="mx-auto max-w-120 pt-[18dvh]">
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        title="Page not found"
        action={<ButtonLink to={paths.overview()}>Go to Overview</ButtonLink>}
      >
        It may have been removed, or the address has a typo.
      </EmptyState>
    </div>
  );
}
