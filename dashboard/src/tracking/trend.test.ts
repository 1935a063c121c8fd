import { describe, expect, test } from 'vitest';
import { batched, sparkline } from './trend.ts';

describe('rows in view', () => {
  test('are loaded together, at most fifty at once', async () => {
    const batches: number[] = [];
    const load = batched(async (keys) => {
      batches.push(keys.length);
      return keys.map((key) => `value of ${key}`);
    });
    const keys = Array.from({ length: 60 }, (_, index) => String(index));
    const values = await Promise.all(keys.map(load));
    expect(values[59]).toBe('value of 59');
    expect(batches).toEqual([50, 10]);
  });

  test('of a failed batch fail, the others do not', async () => {
    const load = batched(async (keys) => {
      if (keys.includes('0')) throw new Error('not now');
      return keys;
    });
    const keys = Array.from({ length: 51 }, (_, index) => String(index));
    const outcomes = await Promise.allSettled(keys.map(load));
    expect(outcomes.map(({ status }) => status).lastIndexOf('rejected')).toBe(49);
    expect(outcomes[50]).toEqual({ status: 'fulfilled', value: '50' });
  });
});

describe('a sparkline', () => {
  const size = { width: 60, height: 20 };
  test('is one line from low to high', () => {
    expect(sparkline([1, 2, 3], size)).toEqual(['0,19 30,10 60,1']);
  });
  test('keeps gaps, and draws a steady price through the middle', () => {
    expect(sparkline([null, 5, null, 5], size)).toEqual(['20,10', '60,10']);
    expect(sparkline([null, null], size)).toEqual([]);
  });
});
