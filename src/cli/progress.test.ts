// The progress bar: its text, and that it is drawn only on a terminal.
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

  it('shows count and rate when the total is unknown', () => {
    const state = { what: 'lines', totalBytes: null, doneBytes: 9, count: 10, seconds: 2 };
    expect(progressLine(state)).toBe('10 lines, 5/s');
  });

  it('is redrawn on the same line of a terminal, and not drawn elsewhere', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    createProgress('lines', 10, { write }).show(1, 1);
    expect(written).toEqual([]);
    const bar = createProgress('lines', 10, { isTTY: true, write });
    bar.show(1, 1);
    bar.show(2, 2); // too soon after the first to be drawn
    bar.clear();
    expect(written).toEqual([expect.stringMatching(/█+░+ {2}10 %/), '\r\x1b[K']);
  });
});
