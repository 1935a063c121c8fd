// The account that this tab shows. Another tab may sign in as somebody else: requests would then
// read and pay for that account, so the page reloads.

let shown: string | null = null;

/** Missing in old browsers; the server then rejects requests meant for another account. */
const otherTabs =
  typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('oversight-session');

otherTabs?.addEventListener('message', () => {
  if (shown !== null) location.reload();
});

/** Sent with every request. */
export const shownAccount = (): string | null => shown;

/** Set from the server's response to GET /session. */
export function showAccount(accountId: string): void {
  if (shown !== null && shown !== accountId) location.reload();
  shown = accountId;
}

/** Called after a sign-in or sign-out: this tab shows no account, and other tabs reload. */
export function changeAccount(): void {
  shown = null;
  otherTabs?.postMessage('changed');
}
