import { expect, test } from 'vitest';
import { createSingleFlight } from './single-flight.ts';

test('concurrent calls for one key share one run; a later call starts again', async () => {
  const flight = createSingleFlight<number>();
  let runs = 0;
  const start = async () => ++runs;
  expect(await Promise.all([flight.run('a', start), flight.run('a', start)])).toEqual([1, 1]);
  expect(await flight.run('b', start)).toBe(2);
  expect(flight.current('a')).toBeUndefined();
  expect(await flight.run('a', start)).toBe(3);
});

test('a failed call is not kept', async () => {
  const flight = createSingleFlight<number>();
  await expect(flight.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await flight.run('a', async () => 1)).toBe(1);
});
