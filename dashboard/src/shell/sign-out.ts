// Signs out: ends the session and clears everything stored for it.
import type { AnyRouter } from '@tanstack/react-router';
import { call } from '../app/api-client.ts';
import { isSignedOut } from '../app/api-problem.ts';
import { stopLive } from '../app/live.ts';
import { paths } from '../app/paths.ts';
import { queryClient } from '../app/query-client.ts';
import { changeAccount } from '../app/shown-account.ts';
import { forgetTab } from '../app/tab-memory.ts';
import { toast } from '../design/toast.tsx';

export async function signOut(router: AnyRouter): Promise<void> {
  try {
    await call('POST /session/sign-out', { body: {} });
  } catch (error) {
    if (!isSignedOut(error)) return toast.failed(error);
  }
  stopLive();
  forgetTab();
  changeAccount();
  queryClient.clear();
  router.history.push(paths.signIn());
}
