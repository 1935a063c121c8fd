// Stores paid responses for all tabs and for a week, within limits: the oldest are dropped first.

import { DAY_MS } from '../app/server-clock.ts';
import { PAID_PREFIX as PREFIX } from '../app/tab-memory.ts';

export type Kept<T = unknown> = {
  /** By the server's clock. */
  atMs: number;
  creditsCharged: number;
  data: T;
};

export type ShelfStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

type ShelfLimits = {
  responsesMax: number;
  charsMax: number;
  /** Older responses count as missing. */
  ageMaxMs?: number;
  nowMs?: () => number;
};

const AGE_MAX_MS = 7 * DAY_MS;

/** Browsers give a site about five million characters in total. */
const SHELF_LIMITS: ShelfLimits = { responsesMax: 60, charsMax: 3_000_000 };

export function openShelf(storage: ShelfStorage, given: Partial<ShelfLimits> = {}) {
  const limits = { ...SHELF_LIMITS, ...given };
  const { ageMaxMs = AGE_MAX_MS, nowMs = () => 0 } = limits;
  const isOld = ({ atMs }: Kept) => nowMs() - atMs > ageMaxMs;
  const listeners = new Set<() => void>();
  /** Parsed responses with their text: the storage is authoritative, and a sign-out empties it. */
  const parsed = new Map<string, { text: string; kept: Kept }>();
  /** Responses too large for the storage; they last until the page is closed. */
  const unstored = new Map<string, Kept>();
  let version = 0;
  const tell = () => {
    version += 1;
    for (const listener of listeners) listener();
  };

  const read = (key: string): Kept | null => {
    const kept = readAny(key);
    return kept === null || isOld(kept) ? null : kept;
  };
  const readAny = (key: string): Kept | null => {
    const text = storage.getItem(PREFIX + key);
    if (text === null) return unstored.get(key) ?? null;
    const known = parsed.get(key);
    if (known?.text === text) return known.kept;
    const kept = parse(text);
    if (kept !== null) parsed.set(key, { text, kept });
    return kept;
  };

  /** Keys with this prefix and their responses, newest first. */
  const list = (start: string): { key: string; kept: Kept }[] => {
    const found = [...storedKeys(storage), ...unstored.keys()].flatMap((key) => {
      const kept = key.startsWith(start) ? read(key) : null;
      return kept === null ? [] : [{ key, kept }];
    });
    return found.sort((a, b) => b.kept.atMs - a.kept.atMs);
  };

  const dropOld = (): void => {
    for (const key of storedKeys(storage)) {
      const kept = readAny(key);
      if (kept === null || isOld(kept)) storage.removeItem(PREFIX + key);
    }
  };

  const keep = (key: string, kept: Kept): void => {
    dropOld();
    const text = JSON.stringify(kept);
    storage.removeItem(PREFIX + key);
    unstored.delete(key);
    const stored = text.length <= limits.charsMax && store(storage, limits, PREFIX + key, text);
    if (stored) parsed.set(key, { text, kept });
    else unstored.set(key, kept);
    tell();
  };

  /** A sign-out emptied the storage: drop what was read from it and what it did not hold. */
  const forget = (): void => {
    parsed.clear();
    unstored.clear();
    tell();
  };

  return {
    read,
    list,
    keep,
    forget,
    dropOld,
    /** Another tab stored or removed the response of this storage key; null: all of them. */
    hear: (storageKey: string | null): void => {
      if (storageKey === null || storageKey.startsWith(PREFIX)) tell();
    },
    version: () => version,
    subscribe: (listener: () => void) => {
      if (listeners.size === 0) dropOld();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function parse(text: string): Kept | null {
  try {
    const kept = JSON.parse(text) as Kept;
    return typeof kept.atMs === 'number' && kept.data !== undefined ? kept : null;
  } catch {
    return null;
  }
}

function storedKeys(storage: ShelfStorage): string[] {
  const keys = Array.from({ length: storage.length }, (_, place) => storage.key(place));
  return keys.flatMap((key) => (key?.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));
}

function store(storage: ShelfStorage, limits: ShelfLimits, key: string, text: string): boolean {
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
function put(storage: ShelfStorage, key: string, text: string): boolean {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
