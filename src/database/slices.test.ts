// Pages of rare matches, read in slices.
import { describe, expect, test } from 'vitest';
import { readSlices, SLICE_ROWS_MAX } from './slices.ts';

const ROWS = 60_000;

/** Rows are the numbers below ROWS, newest first; those that `isMatch` accepts are wanted. */
function numbers(isMatch: (row: number) => boolean) {
  const sliceRows: number[] = [];
  const slice = (before: number, rows: number) =>
    Array.from({ length: Math.min(rows, before) }, (_, index) => before - 1 - index);
  return {
    sliceRows,
    reader: {
      async matches(before: number, rows: number, limit: number) {
        sliceRows.push(rows);
        return slice(before, rows).filter(isMatch).slice(0, limit);
      },
      end: async (before: number, rows: number) =>
        before < rows ? undefined : slice(before, rows).at(-1),
    },
  };
}

describe('reading slices', () => {
  test.each([
    ['every third row', (row: number) => row % 3 === 0],
    ['every 997th row', (row: number) => row % 997 === 0],
    ['the oldest row', (row: number) => row === 0],
    ['no row', () => false],
  ])('finds %s, page by page, in bounded slices', async (_, isMatch) => {
    const { reader, sliceRows } = numbers(isMatch);
    const matches: number[] = [];
    for (let before = ROWS; ; ) {
      const page = await readSlices(reader, { before, limit: 7 });
      matches.push(...page);
      if (page.length < 7) break;
      before = page.at(-1) as number;
    }
    const all = Array.from({ length: ROWS }, (__, index) => ROWS - 1 - index).filter(isMatch);
    expect(matches).toEqual(all);
    expect(Math.max(...sliceRows)).toBeLessThanOrEqual(SLICE_ROWS_MAX);
  });

  test('starts with few rows, because most pages are found in them', async () => {
    const { reader, sliceRows } = numbers(() => true);
    await readSlices(reader, { before: ROWS, limit: 50 });
    expect(sliceRows).toEqual([200]);
  });
});
