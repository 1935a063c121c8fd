// What this tab remembers of who is signed in, beside the cache: forgotten in one go when that ends.
const listeners = new Set<() => void>();

/** Told after the tab's storage was emptied, to let go of what was read from it. */
export function onForget(listener: () => void): void {
  listeners.add(listener);
}

/** Paid answers and new keys belong to who was signed in; whoever comes next must not find them. */
export function forgetTab(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Where storage is forbidden, nothing was kept in it.
  }
  for (const listener of listeners) listener();
}
