// Markers let rare rows of a big table be found without an index entry for each row. Time is cut
// into slots of ten seconds. A row is a marker, and in the index, unless its process knows that
// the same key has a marker in the same slot. Readers search the index for slots (marked-pages.ts)
// and then the rows of these slots. Rows that are markers without need cost time, nothing else.
import { bounds } from '../foundation/bounds.ts';
import { SECOND_MS } from '../foundation/time.ts';

export const MARKER_SLOT_MS = 10 * SECOND_MS;

export const slotStartMs = (atMs: number): number =>
  Math.floor(atMs / MARKER_SLOT_MS) * MARKER_SLOT_MS;

/** `key`: owner and filtered value, such as an account and an operation. */
export type MarkedRow = { key: string; atMs: number };

export type MarkerMemory = ReturnType<typeof createMarkerMemory>;

/** Two, because rows of the slot before still arrive when the next one has begun. */
const SLOTS_REMEMBERED = 2;

/** The committed markers of this process in the newest slots. */
export function createMarkerMemory(keysMax: number = bounds.markersRememberedMax) {
  const keysBySlot = new Map<number, Set<string>>();
  const keysOf = (slot: number): Set<string> | undefined => {
    const keys = keysBySlot.get(slot);
    if (keys !== undefined || keysBySlot.size < SLOTS_REMEMBERED) return keys;
    const oldest = Math.min(...keysBySlot.keys());
    if (slot > oldest) keysBySlot.delete(oldest);
    return undefined;
  };
  return {
    has: ({ key, atMs }: MarkedRow): boolean =>
      keysBySlot.get(slotStartMs(atMs))?.has(key) ?? false,
    /** Call it after the commit of these rows: each is a marker, or its slot has one. */
    add(rows: readonly MarkedRow[]): void {
      for (const { key, atMs } of rows) {
        const slot = slotStartMs(atMs);
        const keys = keysOf(slot);
        if (keys !== undefined) {
          if (keys.size < keysMax) keys.add(key);
        } else if (keysBySlot.size < SLOTS_REMEMBERED) keysBySlot.set(slot, new Set([key]));
      }
    },
  };
}

/** Which of these rows, inserted by one statement, must be markers. */
export function chooseMarkers(rows: readonly MarkedRow[], memory?: MarkerMemory): boolean[] {
  const chosen = new Set<string>();
  return rows.map((row) => {
    if (memory?.has(row)) return false;
    const keyInSlot = `${slotStartMs(row.atMs)} ${row.key}`;
    if (chosen.has(keyInSlot)) return false;
    chosen.add(keyInSlot);
    return true;
  });
}
