// A double click is one action.
import { expect, test, vi } from 'vitest';
import { createOnce, DOUBLE_CLICK_MS } from './once.ts';

function clocked() {
  let now = 0;
  const once = createOnce(() => now);
  return { once, pass: (ms: number) => (now += ms) };
}

test('a second click while the first runs, or has just finished, joins the first', async () => {
  const { once, pass } = clocked();
  const act = vi.fn(async () => 'made');
  const both = await Promise.all([once.run('a', act), once.run('a', act)]);
  pass(DOUBLE_CLICK_MS - 1);
  expect([...both, await once.run('a', act)]).toEqual(['made', 'made', 'made']);
  expect(act).toHaveBeenCalledTimes(1);
  expect(once.isDoubleClick()).toBe(true);
});

test('later, or with another key, it is a new action', async () => {
  const { once, pass } = clocked();
  const act = vi.fn(async () => 'made');
  await once.run('a', act);
  await once.run('b', act);
  pass(DOUBLE_CLICK_MS);
  expect(once.isDoubleClick()).toBe(false);
  await once.run('a', act);
  expect(act).toHaveBeenCalledTimes(3);
});

test('a slow action is not started again, and a failed one can be retried at once', async () => {
  const { once, pass } = clocked();
  const failing = vi.fn(() => Promise.reject(new Error('no')));
  const first = once.run('a', failing);
  pass(60_000);
  expect(once.run('a', failing)).toBe(first);
  await expect(first).rejects.toThrow('no');
  await expect(once.run('a', failing)).rejects.toThrow('no');
  expect(failing).toHaveBeenCalledTimes(2);
});
