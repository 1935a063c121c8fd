// Remembers an API key created in this tab, for the API examples. Stored for the tab only, under
// the account's id; a sign-out and the end of the session remove it.
import { useMemo, useSyncExternalStore } from 'react';
import { onForget } from '../app/tab-memory.ts';

export type FreshKey = { id: string; name: string; apiKey: string };

const PREFIX = 'fresh-key:';
const listeners = new Set<() => void>();
onForget(notify);

/** The format of an API key; only such text is put into an example that gets copied. */
export const looksLikeKey = (text: string) => /^ovs_[0-9A-Za-z]{36}$/.test(text);

/** A masked key: enough to recognise it, useless to anyone watching. */
export const maskedKey = (apiKey: string) => `${apiKey.slice(0, 8)}${'•'.repeat(12)}`;

export function rememberFreshKey(accountId: string, key: FreshKey): void {
  inStorage((storage) => storage.setItem(PREFIX + accountId, JSON.stringify(key)));
  notify();
}

export function freshKeyOf(accountId: string): FreshKey | null {
  return read(storedText(accountId));
}

/** Forgets the key with this id after it was revoked; another remembered key stays. */
export function forgetFreshKey(accountId: string, keyId: string): void {
  if (freshKeyOf(accountId)?.id !== keyId) return;
  inStorage((storage) => storage.removeItem(PREFIX + accountId));
  notify();
}

export function useFreshKey(accountId: string | undefined): FreshKey | null {
  const text = useSyncExternalStore(subscribe, () =>
    accountId === undefined ? null : storedText(accountId),
  );
  return useMemo(() => read(text), [text]);
}

function storedText(accountId: string): string | null {
  return inStorage((storage) => storage.getItem(PREFIX + accountId)) ?? null;
}

/** The stored text may be of another version or invalid: parsed as a key or null. */
function read(text: string | null): FreshKey | null {
  try {
    const key = JSON.parse(text ?? 'null') as Partial<FreshKey> | null;
    if (typeof key?.id !== 'string' || typeof key.name !== 'string') return null;
    if (typeof key.apiKey !== 'string' || !looksLikeKey(key.apiKey)) return null;
    return { id: key.id, name: key.name, apiKey: key.apiKey };
  } catch {
    return null;
  }
}

/** Storage may be blocked: the key is then not remembered. */
function inStorage<T>(act: (storage: Storage) => T): T | undefined {
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
