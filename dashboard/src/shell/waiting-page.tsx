// Shown while an account waits for its deletion: when that is, and how to cancel it.
import { useRouter } from '@tanstack/react-router';
import { call } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryClient } from '../app/query-client.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { ExportButton } from '../settings/your-data.tsx';
import { OutsideFrame } from './outside-frame.tsx';
import { signOut } from './sign-out.ts';

export function WaitingPage({ email, deleteAt }: { email: string; deleteAt: string }) {
  const router = useRouter();
  const restore = useOnceMutation({
    mutationFn: () => call('POST /session/account/restore', { body: {} }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <OutsideFrame
      title="This account will be deleted"
      below={
        <p>
          <button
            type="button"
            className="underline underline-offset-2"
            onClick={() => void signOut(router)}
          >
            Sign out
          </button>
        </p>
      }
    >
      <div className="flex flex-col gap-4 text-sm">
        <Notice tone="caution">
          All data of <strong className="font-medium">{email}</strong> will be deleted on{' '}
          <strong className="font-medium">
            <Time at={deleteAt} />
          </strong>
          .
        </Notice>
        <p className="text-muted">
          Until then tracking, charges, webhooks and API keys are stopped. Restore the account to
          resume them.
        </p>
        {restore.isError ? (
          <p role="alert" className="text-critical">
            {explain(restore.error).detail}
          </p>
        ) : null}
        <Button variant="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
          Restore account
        </Button>
        <ExportButton />
      </div>
    </OutsideFrame>
  );
}
