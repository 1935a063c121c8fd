// A loss is one of few when less than a third are lost, for certain or by all likelihood.
import { describe, expect, test } from 'vitest';
import { countOthers, isIsolatedLoss, productsToRecheck } from './isolated-loss.ts';

const census = (lost: number, sound: number, unseen = 0) => ({
  ...{ lost, sound },
  unseen: Array.from({ length: unseen }, (_, index) => String(index)),
});

test('counts others once: lost now, seen since, not seen since', () => {
  const states = [
    { code: 'self', seenAtMs: 5, isLost: true },
    { code: 'lost before', seenAtMs: 1, isLost: true },
    { code: 'seen in the same moment', seenAtMs: 10, isLost: false },
    { code: 'seen since', seenAtMs: 11, isLost: false },
  ];
  expect(countOthers(states, { code: 'self', sinceMs: 10 })).toEqual({
    ...{ lost: 1, sound: 1, unseen: ['seen in the same moment'] },
  });
});

describe('a loss is one of few', () => {
  test.each([
    { why: 'not where no other was seen', counts: census(0, 0, 99), few: false },
    { why: 'not in a total outage', counts: census(99, 0), few: false },
    { why: 'where all others were seen', counts: census(0, 9), few: true },
    { why: 'where the unseen would not make a third', counts: census(0, 7, 2), few: true },
    { why: 'not where they would', counts: census(0, 6, 3), few: false },
    { why: 'by 18 others of many', counts: census(0, 18, 1_000), few: true },
    { why: 'not by 17', counts: census(0, 17, 1_000), few: false },
    { why: 'a fifth, once enough were seen', counts: census(24, 96, 900), few: true },
    { why: 'not a fifth of few', counts: census(10, 40, 50), few: false },
    { why: 'not two fifths, however many', counts: census(4_000, 6_000), few: false },
    { why: 'not two fifths of ten', counts: census(3, 6), few: false },
  ])('$why', ({ counts, few }) => {
    expect(isIsolatedLoss(counts)).toBe(few);
  });
});

describe('others are observed early', () => {
  test.each([
    { why: 'all where they are few', counts: census(0, 0, 9), count: 9 },
    { why: 'twenty of many', counts: census(0, 5, 500), count: 20 },
    { why: 'none once it is decided', counts: census(0, 18, 500), count: 0 },
    { why: 'none where many are lost', counts: census(20, 1, 500), count: 0 },
  ])('$why', ({ counts, count }) => {
    expect(productsToRecheck(counts)).toHaveLength(count);
  });
});
