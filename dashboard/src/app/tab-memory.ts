// What this browser remembers of who is signed in, beside the cache: forgotten in one go when that ends.
const listeners = new Set<() => void>();

/** Before the account's id, in the keys of paid answers: those are for all tabs, everything else is for one. */
export const PAID_PREFIX = 'oversight.paid/';

/** Told after the storage was emptied, to let go of what was read from it. */
export function onForget(listener: () => void): void {
  listeners.add(listener);
}

/**
 * Paid answers and new keys belong to who was signed in; whoever comes next must not find them. Where it is not known
 * who that was, nobody's answers stay.
 */
export function forgetTab(accountId: string | null): void {
  try {
    sessionStorage.clear();
    removeAll(localStorage, accountId === null ? PAID_PREFIX : `${PAID_PREFIX}${accountId}/`);
  } catch {
    // Where storage is forbidden, nothing was kept in it.
  }
  for (const listener of listeners) listener();
}

function removeAll(storage: Storage, start: string): void {
  const keys = Array.from({ length: storage.length }, (_, place) => storage.key(place));
  for (const key of keys) if (key?.startsWith(start)) storage.removeItem(key);
}
