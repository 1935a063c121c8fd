// Pages kept for hosts that can say "not changed".
import { describe, expect, test } from 'vitest';
import { createKeptPages } from './kept-pages.ts';

const page = (etag?: string) => ({
  facts: { wire: {} },
  etag,
  lastModified: undefined,
});

describe('kept pages', () => {
  test('are found by code and address, and bounded by forgetting the least wanted', () => {
    const kept = createKeptPages({ max: 2, timer: { nowMs: () => 0, sleepMs: async () => {} } });
    kept.set('1', 'a', page('"1"'));
    kept.set('2', 'a', page('"2"'));
    expect(kept.get('1', 'a')?.etag).toBe('"1"');
    kept.set('3', 'a', page('"3"'));
    expect(kept.get('2', 'a')).toBeUndefined();
    expect(kept.get('1', 'a')?.etag).toBe('"1"');
    expect(kept.get('1', 'b')).toBeUndefined();
  });

  test('without a validator are not kept, and one that lost it is forgotten', () => {
    const kept = createKeptPages({ max: 2, timer: { nowMs: () => 0, sleepMs: async () => {} } });
    kept.set('1', 'a', page('"1"'));
    kept.set('1', 'a', page());
    expect(kept.get('1', 'a')).toBeUndefined();
  });

  test('are forgotten after a day', () => {
    let nowMs = 0;
    const kept = createKeptPages({
      max: 2,
      timer: { nowMs: () => nowMs, sleepMs: async () => {} },
    });
    kept.set('1', 'a', page('"1"'));
    nowMs = 24 * 3_600_000;
    expect(kept.get('1', 'a')).toBeUndefined();
  });
});
