// Browser storage that belongs to the signed-in account: cleared when the session ends.
const listeners = new Set<() => void>();

/** Called after the storage was cleared, to drop what was read from it. */
export function onForget(listener: () => void): void {
  listeners.add(listener);
}

/** New keys and loaded data belong to the account; the next user must not find them. */
export function forgetTab(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Storage is blocked, so nothing was stored.
  }
  for (const listener of listeners) listener();
}
