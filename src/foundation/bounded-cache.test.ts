import { expect, test } from 'vitest';
import { boundedCache } from './bounded-cache.ts';

test('drops the least recently used entry above its limit', () => {
  const cache = boundedCache<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
  cache.get('a');
  cache.set('d', 3);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([0, undefined, 2, 3]);
  expect(cache.size).toBe(3);
});

test('never holds more than its limit, however many entries come', () => {
  const cache = boundedCache<number, true>(100);
  for (let key = 0; key < 10_000; key++) cache.set(key, true);
  expect(cache.size).toBe(100);
  expect(cache.has(9_900)).toBe(true);
  expect(cache.has(9_899)).toBe(false);
});

test('forgets an entry when its time has passed', async () => {
  const cache = boundedCache<string, number>(3, { ttlMs: 5 });
  cache.set('a', 1);
  expect(cache.get('a')).toBe(1);
  await expect.poll(() => cache.get('a'), { interval: 5 }).toBeUndefined();
});
