import { expect, test } from 'vitest';
import { manualClock } from '../foundation/clock.ts';
import { createMemoryRateLimiter } from './memory-rate-limiter.ts';

const limit = { bucket: 'product', perSecond: 1 };

test('accounts that stay away are forgotten, those that keep coming are not', () => {
  const clock = manualClock(0);
  const limiter = createMemoryRateLimiter(clock.nowMs);
  for (let index = 0; index < 1000; index++) limiter.take(`account ${index}`, limit);
  clock.setMs(500);
  limiter.take('regular', limit);
  for (let second = 1; second <= 5; second++) {
    clock.setMs(second * 1000 + 400);
    expect(limiter.take('regular', limit)).toMatchObject({ admitted: false });
    clock.setMs(second * 1000 + 500);
    expect(limiter.take('regular', limit)).toMatchObject({ admitted: true });
  }
  expect(limiter.logCount()).toBeLessThanOrEqual(2);
});

test('after a long silence the first request clears everything', () => {
  const clock = manualClock(0);
  const limiter = createMemoryRateLimiter(clock.nowMs);
  for (let index = 0; index < 1000; index++) limiter.take(`account ${index}`, limit);
  clock.setMs(60_000);
  limiter.take('first', limit);
  expect(limiter.logCount()).toBe(1);
});
