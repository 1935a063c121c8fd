// Signs out: ends the session and forgets everything that was kept of it.
import type { AnyRouter } from '@tanstack/react-router';
import { call } from '../api-client.ts';
import { isSignedOut } from '../api-problem.ts';
import { toast } from '../design/toast.tsx';
import { stopLive } from '../live.ts';
import { paths } from '../paths.ts';
import { queryClient } from '../query-client.ts';
import { changeAccount, shownAccount } from '../shown-account.ts';
import { forgetTab } from '../tab-memory.ts';

export async function signOut(router: AnyRouter): Promise<void> {
  try {
    await call('POST /session/sign-out', { body: {} });
  } catch (error) {
    if (!isSignedOut(error)) return toast.failed(error);
  }
  stopLive();
  forgetTab(shownAccount());
  changeAccount();
  queryClient.clear();
  router.history.push(paths.signIn());
}
