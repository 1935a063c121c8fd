// Browser storage that belongs to the signed-in account: cleared when the session ends.
const listeners = new Set<() => void>();

/**
 * Prefix of the storage keys of paid responses, before the account id. They are shared by all tabs;
 * everything else belongs to one tab.
 */
export const PAID_PREFIX = 'oversight.paid/';

/** Called after the storage was cleared, to drop what was read from it. */
export function onForget(listener: () => void): void {
  listeners.add(listener);
}

/**
 * Paid responses and new keys belong to the account; the next user must not find them. If the
 * account is unknown, the responses of all accounts are removed.
 */
export function forgetTab(accountId: string | null): void {
  try {
    sessionStorage.clear();
    removeAll(localStorage, accountId === null ? PAID_PREFIX : `${PAID_PREFIX}${accountId}/`);
  } catch {
    // Storage is blocked, so nothing was stored.
  }
  for (const listener of listeners) listener();
}

function removeAll(storage: Storage, start: string): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) if (key?.startsWith(start)) storage.removeItem(key);
}
