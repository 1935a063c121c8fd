// A loss is isolated when fewer than a third of the products are lost, for certain or very likely.
import { describe, expect, test } from 'vitest';
import { countOthers, isIsolatedLoss, productsToRecheck } from './isolated-loss.ts';

const counts = (lost: number, sound: number, unseen = 0) => ({
  lost,
  sound,
  unseen: Array.from({ length: unseen }, (_, index) => String(index)),
});

test('counts each other product once: lost, observed since, or not observed since', () => {
  const states = [
    { code: 'self', seenAtMs: 5, isLost: true },
    { code: 'lost before', seenAtMs: 1, isLost: true },
    { code: 'seen at the same instant', seenAtMs: 10, isLost: false },
    { code: 'seen since', seenAtMs: 11, isLost: false },
  ];
  expect(countOthers(states, { code: 'self', sinceMs: 10 })).toEqual({
    lost: 1,
    sound: 1,
    unseen: ['seen at the same instant'],
  });
});

describe('a loss is isolated', () => {
  test.each([
    { when: 'not when no other product was seen', others: counts(0, 0, 99), isIsolated: false },
    { when: 'not in a total outage', others: counts(99, 0), isIsolated: false },
    { when: 'when all others were seen', others: counts(0, 9), isIsolated: true },
    { when: 'when the unseen would not make a third', others: counts(0, 7, 2), isIsolated: true },
    { when: 'not when the unseen would make a third', others: counts(0, 6, 3), isIsolated: false },
    { when: 'when 18 of many were seen', others: counts(0, 18, 1_000), isIsolated: true },
    { when: 'not when 17 of many were seen', others: counts(0, 17, 1_000), isIsolated: false },
    { when: 'when a fifth of enough is lost', others: counts(24, 96, 900), isIsolated: true },
    { when: 'not when a fifth of few is lost', others: counts(10, 40, 50), isIsolated: false },
    { when: 'not when two fifths are lost', others: counts(4_000, 6_000), isIsolated: false },
    { when: 'not when two fifths of ten are lost', others: counts(3, 6), isIsolated: false },
  ])('$when', ({ others, isIsolated }) => {
    expect(isIsolatedLoss(others)).toBe(isIsolated);
  });
});

describe('other products are collected early', () => {
  test.each([
    { when: 'all of them when they are few', others: counts(0, 0, 9), count: 9 },
    { when: 'twenty of many', others: counts(0, 5, 500), count: 20 },
    { when: 'none once the loss is decided', others: counts(0, 18, 500), count: 0 },
    { when: 'none when many are lost', others: counts(20, 1, 500), count: 0 },
  ])('$when', ({ others, count }) => {
    expect(productsToRecheck(others)).toHaveLength(count);
  });
});
