// Which rows of a statement are markers, and what a process remembers of committed ones.
import { describe, expect, test } from 'vitest';
import { chooseMarkers, createMarkerMemory, MARKER_SLOT_MS } from './markers.ts';

const at = (slot: number, key: string) => ({ key, atMs: slot * MARKER_SLOT_MS + 5 });

describe('markers', () => {
  test('are the first rows of each key and slot of a statement', () => {
    const rows = [at(1, 'a'), at(1, 'a'), at(1, 'b'), at(2, 'a'), at(2, 'a')];
    expect(chooseMarkers(rows)).toEqual([true, false, true, true, false]);
  });

  test('are not repeated once they are committed', () => {
    const memory = createMarkerMemory();
    expect(chooseMarkers([at(1, 'a')], memory)).toEqual([true]);
    expect(chooseMarkers([at(1, 'a')], memory)).toEqual([true]);
    memory.add([at(1, 'a')]);
    expect(chooseMarkers([at(1, 'a'), at(1, 'b'), at(2, 'a')], memory)).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('are remembered in the two newest slots', () => {
    const memory = createMarkerMemory();
    for (const slot of [1, 2, 3, 1]) memory.add([at(slot, 'a')]);
    expect([1, 2, 3].map((slot) => memory.has(at(slot, 'a')))).toEqual([false, true, true]);
  });

  test('above the limit of a slot are made again instead of remembered', () => {
    const memory = createMarkerMemory(2);
    memory.add([at(1, 'a'), at(1, 'b'), at(1, 'c')]);
    expect(chooseMarkers([at(1, 'b'), at(1, 'c')], memory)).toEqual([false, true]);
  });
});
