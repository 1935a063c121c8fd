// Long work yields to other work, and a gate limits how many tasks run at once.
import { expect, test } from 'vitest';
import { monotonicMs } from '../foundation/clock.ts';
import { createGate, createPause } from './slices.ts';

const busyFor = (ms: number) => {
  const endMs = monotonicMs() + ms;
  while (monotonicMs() < endMs);
};

test('other work runs between the slices of long work, never within a slice', async () => {
  const pause = createPause();
  let turns = 0;
  let isDone = false;
  const others = () => {
    turns += 1;
    if (!isDone) setImmediate(others);
  };
  setImmediate(others);
  for (let step = 0; step < 100; step++) await pause();
  expect(turns).toBe(0);
  for (let step = 0; step < 20; step++) {
    busyFor(6);
    await pause();
  }
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(20);
});

test('runs a limited number at once, and the rest in order of arrival', async () => {
  const gate = createGate(2, 10);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const ended = works.map(({ promise }, index) =>
    gate(async () => {
      begun.push(index);
      await promise;
      if (index === 1) throw new Error('failed');
      return index;
    }),
  );
  const settled = Promise.allSettled(ended);
  expect(begun).toEqual([0, 1]);
  // A task that fails frees its slot like any other.
  works[1]?.resolve();
  await expect(ended[1]).rejects.toThrow('failed');
  expect(begun).toEqual([0, 1, 2]);
  for (const work of works) work.resolve();
  await settled;
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(await gate(async () => 'again')).toBe('again');
});

test('refuses at once when too many are waiting', async () => {
  const gate = createGate(1, 1);
  const first = Promise.withResolvers<void>();
  const works = [gate(() => first.promise), gate(async () => 'second')];
  await expect(gate(async () => 'third')).rejects.toThrow('The server is busy');
  first.resolve();
  expect(await Promise.all(works)).toEqual([undefined, 'second']);
});
