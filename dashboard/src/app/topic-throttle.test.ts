// Live messages refetch each topic at a limited rate, and none is lost.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Topic } from './query-keys.ts';
import { createTopicThrottle } from './topic-throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function throttled() {
  const refetched: Topic[] = [];
  const throttle = createTopicThrottle((topics) => refetched.push(...topics));
  const times = (topic: Topic) => refetched.filter((one) => one === topic).length;
  return { throttle, times };
}

test('the first message refetches at once, together with those that arrive with it', () => {
  const { throttle, times } = throttled();
  throttle.add(['credits']);
  throttle.add(['credits', 'tracked']);
  vi.advanceTimersByTime(10);
  expect([times('credits'), times('usage'), times('tracked')]).toEqual([1, 1, 1]);
});

test('under constant messages usage is refetched once a minute and the rest once a second', () => {
  const { throttle, times } = throttled();
  for (let step = 0; step < 1_500; step++) {
    throttle.add(['credits']);
    vi.advanceTimersByTime(100);
  }
  expect(times('usage')).toBe(3);
  expect(times('credits')).toBeGreaterThanOrEqual(148);
  expect(times('credits')).toBeLessThanOrEqual(151);
});

test('the last message is not lost, however soon it follows another', () => {
  const { throttle, times } = throttled();
  throttle.add(['credits']);
  vi.advanceTimersByTime(100);
  throttle.add(['credits']);
  vi.advanceTimersByTime(1_000);
  expect([times('ledger'), times('usage')]).toEqual([2, 1]);
  vi.advanceTimersByTime(60_000);
  expect([times('ledger'), times('usage')]).toEqual([2, 2]);
});

test('nothing is refetched after a stop, nor for an unknown topic', () => {
  const { throttle, times } = throttled();
  throttle.add(['unknown']);
  throttle.add(['events']);
  throttle.stop();
  vi.advanceTimersByTime(60_000);
  expect(times('events')).toBe(0);
});
