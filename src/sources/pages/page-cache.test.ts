// The cache of pages that can be requested conditionally.
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../foundation/time.ts';
import { createPageCache } from './page-cache.ts';

const page = (etag?: string) => ({
  facts: { wire: {} },
  etag,
  lastModified: undefined,
});

describe('cached pages', () => {
  test('are found by code and URL, and the least recently used is evicted', () => {
    const cache = createPageCache({ max: 2, timer: { nowMs: () => 0, sleepMs: async () => {} } });
    cache.set('1', 'a', page('"1"'));
    cache.set('2', 'a', page('"2"'));
    expect(cache.get('1', 'a')?.etag).toBe('"1"');
    cache.set('3', 'a', page('"3"'));
    expect(cache.get('2', 'a')).toBeUndefined();
    expect(cache.get('1', 'a')?.etag).toBe('"1"');
    expect(cache.get('1', 'b')).toBeUndefined();
  });

  test('need a validator, and are removed when the page no longer has one', () => {
    const cache = createPageCache({ max: 2, timer: { nowMs: () => 0, sleepMs: async () => {} } });
    cache.set('1', 'a', page('"1"'));
    cache.set('1', 'a', page());
    expect(cache.get('1', 'a')).toBeUndefined();
  });

  test('expire after a day', () => {
    let nowMs = 0;
    const cache = createPageCache({
      max: 2,
      timer: { nowMs: () => nowMs, sleepMs: async () => {} },
    });
    cache.set('1', 'a', page('"1"'));
    nowMs = DAY_MS;
    expect(cache.get('1', 'a')).toBeUndefined();
  });
});
