// Whose pages this tab shows. Another tab of the same browser may sign in as somebody else: then what is shown here is no
// longer what a request would answer, or pay for, and the page is loaded anew.

let shown: string | null = null;

/** Missing in browsers that are too old to need it: the server refuses what was meant for another account. */
const otherTabs =
  typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('oversight-session');

otherTabs?.addEventListener('message', () => {
  if (shown !== null) location.reload();
});

/** Sent along with every request. */
export const shownAccount = (): string | null => shown;

/** By the server's answer to who is signed in. */
export function showAccount(accountId: string): void {
  if (shown !== null && shown !== accountId) location.reload();
  shown = accountId;
}

/** Somebody has signed in or out here: nothing is shown of anybody, and other tabs look anew. */
export function changeAccount(): void {
  shown = null;
  otherTabs?.postMessage('changed');
}
