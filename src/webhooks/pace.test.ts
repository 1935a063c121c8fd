import { describe, expect, test } from 'vitest';
import { createPaces } from './pace.ts';

const answered = { status: 500, durationMs: 40 };
const silent = { status: null, durationMs: 15_000 };
const late = { status: 200, durationMs: 14_000 };

describe('the pace of a registration', () => {
  test('is as many requests at once as are allowed, and then it is full', () => {
    const paces = createPaces(3);
    expect(paces.roomFor('a')).toBe(3);
    for (let index = 0; index < 3; index++) paces.begin('a');
    expect(paces.roomFor('a')).toBe(0);
    expect(paces.full()).toEqual(['a']);
    paces.end('a', answered);
    expect(paces.roomFor('a')).toBe(1);
    expect(paces.full()).toEqual([]);
  });

  test('halves with every silence, down to one, or late answer, down to four, and doubles with every other', () => {
    const paces = createPaces(8);
    const after = (outcome: typeof silent | typeof answered) => {
      paces.begin('a');
      paces.end('a', outcome);
      return paces.roomFor('a');
    };
    expect([silent, silent, silent, silent].map(after)).toEqual([4, 2, 1, 1]);
    expect([answered, answered].map(after)).toEqual([4, 8]);
    expect([late, late, silent, late].map(after)).toEqual([4, 4, 2, 4]);
    expect(paces.roomFor('b')).toBe(8);
  });
});
