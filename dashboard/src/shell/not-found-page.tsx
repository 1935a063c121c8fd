// Stands where an address leads nowhere.
import { ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/states.tsx';
import { useTabTitle } from '../design/tab-title.ts';
import { paths } from '../paths.ts';

export function NotFoundPage() {
  useTabTitle('Not found');
  return (
    <main className="mx-auto max-w-120 pt-[18dvh]">
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        title="There is no page at this address"
        action={<ButtonLink to={paths.overview()}>Go to the overview</ButtonLink>}
      >
        It may have been removed, or the address was mistyped.
      </EmptyState>
    </main>
  );
}
