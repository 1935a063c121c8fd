// When a request shows that the session has ended: go to the sign-in page, and back afterwards.
import type { AnyRouter } from '@tanstack/react-router';
import { onSignedOut } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryClient } from '../app/query-client.ts';
import { changeAccount } from '../app/shown-account.ts';
import { forgetTab } from '../app/tab-memory.ts';

const OUTSIDE = [
  paths.signIn(),
  paths.signUp(),
  paths.finishSignUp(),
  paths.forgotPassword(),
  paths.resetPassword(),
];

const isOutside = (pathname: string) => OUTSIDE.includes(pathname);

/** A mistyped path shows "Not found" instead of asking to sign in. */
const leadsNowhere = (router: AnyRouter) =>
  router.getMatchedRoutes(location.pathname)[2] === undefined;

export function followSession(router: AnyRouter): void {
  onSignedOut(() => {
    if (isOutside(location.pathname) || leadsNowhere(router)) return;
    const here = `${location.pathname}${location.search}`;
    // The next user must not see what the account had loaded.
    queryClient.clear();
    forgetTab();
    changeAccount();
    router.history.replace(paths.signIn({ next: here === '/' ? undefined : here }));
  });
}

/** Where to go after signing in: a path of this app, never another site. */
export function safeNext(next: string | null | undefined): string {
  if (!next?.startsWith('/')) return paths.overview();
  try {
    const address = new URL(next, location.origin);
    if (address.origin !== location.origin || isOutside(address.pathname)) return paths.overview();
    return `${address.pathname}${address.search}${address.hash}`;
  } catch {
    return paths.overview();
  }
}
