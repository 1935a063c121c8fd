import { describe, expect, it } from 'vitest';
import { createProgress, progressLine } from './progress.ts';

describe('progress', () => {
  it('shows a bar, the count, the rate and the time left', () => {
    const state = { what: 'lines', totalBytes: 1000, doneBytes: 250, count: 50_000, seconds: 10 };
    expect(progressLine(state)).toBe(
      '███████░░░░░░░░░░░░░░░░░░░░░  25 %  50,000 lines, 5,000/s, 30 s left',
    );
    expect(progressLine({ ...state, seconds: 100 })).toContain('5 min 0 s left');
  });

  it('shows count and rate where the end is not known', () => {
    const state = { what: 'lines', totalBytes: null, doneBytes: 9, count: 10, seconds: 2 };
    expect(progressLine(state)).toBe('10 lines, 5/s');
  });

  it('is drawn in place on a terminal and nowhere else', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    createProgress('lines', 10, { write }).show(1, 1);
    expect(written).toEqual([]);
    const bar = createProgress('lines', 10, { isTTY: true, write });
    bar.show(1, 1);
    bar.show(2, 2); // too soon to be worth drawing
    bar.clear();
    expect(written).toEqual([expect.stringMatching(/█+░+ {2}10 %/), '\r\x1b[K']);
  });
});
