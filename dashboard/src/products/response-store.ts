// Stores paid responses for all tabs and for a week, within limits: the oldest are dropped first.

import { DAY_MS } from '../app/server-clock.ts';
import { PAID_PREFIX as PREFIX } from '../app/tab-memory.ts';

export type StoredResponse<T = unknown> = {
  /** By the server's clock. */
  atMs: number;
  creditsCharged: number;
  data: T;
};

export type ResponseStorage = Pick<
  Storage,
  'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'
>;

type StoreLimits = {
  responsesMax: number;
  charsMax: number;
  /** Older responses count as missing. */
  ageMaxMs?: number;
  nowMs?: () => number;
};

const AGE_MAX_MS = 7 * DAY_MS;

/** Browsers give a site about five million characters in total. */
const STORE_LIMITS: StoreLimits = { responsesMax: 60, charsMax: 3_000_000 };

export function openResponseStore(storage: ResponseStorage, overrides: Partial<StoreLimits> = {}) {
  const limits = { ...STORE_LIMITS, ...overrides };
  const { ageMaxMs = AGE_MAX_MS, nowMs = () => 0 } = limits;
  const isOld = ({ atMs }: StoredResponse) => nowMs() - atMs > ageMaxMs;
  const listeners = new Set<() => void>();
  /** Parsed responses with their text: the storage is authoritative, and a sign-out empties it. */
  const parsed = new Map<string, { text: string; stored: StoredResponse }>();
  /** Responses too large for the storage; they last until the page is closed. */
  const unstored = new Map<string, StoredResponse>();
  let version = 0;
  const notify = () => {
    version += 1;
    for (const listener of listeners) listener();
  };

  const read = (key: string): StoredResponse | null => {
    const stored = readAny(key);
    return stored === null || isOld(stored) ? null : stored;
  };
  const readAny = (key: string): StoredResponse | null => {
    const text = storage.getItem(PREFIX + key);
    if (text === null) return unstored.get(key) ?? null;
    const cached = parsed.get(key);
    if (cached?.text === text) return cached.stored;
    const stored = parse(text);
    if (stored !== null) parsed.set(key, { text, stored });
    return stored;
  };

  /** Keys with this prefix and their responses, newest first. */
  const list = (start: string): { key: string; stored: StoredResponse }[] => {
    const entries = [...storedKeys(storage), ...unstored.keys()].flatMap((key) => {
      const stored = key.startsWith(start) ? read(key) : null;
      return stored === null ? [] : [{ key, stored }];
    });
    return entries.sort((a, b) => b.stored.atMs - a.stored.atMs);
  };

  const dropOld = (): void => {
    for (const key of storedKeys(storage)) {
      const stored = readAny(key);
      if (stored === null || isOld(stored)) storage.removeItem(PREFIX + key);
    }
  };

  const keep = (key: string, stored: StoredResponse): void => {
    dropOld();
    const text = JSON.stringify(stored);
    storage.removeItem(PREFIX + key);
    unstored.delete(key);
    const isWritten = text.length <= limits.charsMax && store(storage, limits, PREFIX + key, text);
    if (isWritten) parsed.set(key, { text, stored });
    else unstored.set(key, stored);
    notify();
  };

  /** A sign-out emptied the storage: drop what was read from it and what it did not hold. */
  const forget = (): void => {
    parsed.clear();
    unstored.clear();
    notify();
  };

  return {
    read,
    list,
    keep,
    forget,
    dropOld,
    /** Another tab stored or removed the response of this storage key; null: all of them. */
    hear: (storageKey: string | null): void => {
      if (storageKey === null || storageKey.startsWith(PREFIX)) notify();
    },
    version: () => version,
    subscribe: (listener: () => void) => {
      if (listeners.size === 0) dropOld();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function parse(text: string): StoredResponse | null {
  try {
    const stored = JSON.parse(text) as StoredResponse;
    return typeof stored.atMs === 'number' && stored.data !== undefined ? stored : null;
  } catch {
    return null;
  }
}

function storedKeys(storage: ResponseStorage): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  return keys.flatMap((key) => (key?.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));
}

function store(storage: ResponseStorage, limits: StoreLimits, key: string, text: string): boolean {
  const others = storedKeys(storage).map((name) => {
    const other = storage.getItem(PREFIX + name) ?? '';
    return { key: PREFIX + name, chars: other.length, atMs: parse(other)?.atMs ?? 0 };
  });
  others.sort((a, b) => a.atMs - b.atMs);
  let chars = others.reduce((sum, other) => sum + other.chars, text.length);
  let responses = others.length + 1;
  const fits = () => responses <= limits.responsesMax && chars <= limits.charsMax;
  for (const oldest of others) {
    if (fits() && put(storage, key, text)) return true;
    storage.removeItem(oldest.key);
    chars -= oldest.chars;
    responses -= 1;
  }
  return fits() && put(storage, key, text);
}

/** False when the browser reports that the storage is full. */
function put(storage: ResponseStorage, key: string, text: string): boolean {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
