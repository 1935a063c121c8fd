import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../foundation/time.ts';
import { afterServedAt, IN_TIME_DAYS, inTimeShare } from './in-time-days.ts';
import { nextSlot, phaseMs } from './slot.ts';
import type { Tier } from './tier.ts';

const code = '100';
const today = 20_773;
const startMs = today * DAY_MS;
const firstSlotMs = nextSlot(startMs - 1, phaseMs(code), HOUR_MS);

const watcher = {
  code,
  tier: 0 as Tier,
  isSuspended: false,
  sinceAtMs: startMs - 30 * DAY_MS,
  servedAtMs: null as number | null,
  inTimeDays: null as string | null,
};

/** The watcher after slots were served so many minutes after their start; null skips a slot. */
function served(fromMs: number, delays: readonly (number | null)[], from = watcher) {
  const after = { ...from };
  for (const [index, delay] of delays.entries()) {
    if (delay === null) continue;
    after.servedAtMs = fromMs + index * HOUR_MS + delay * MINUTE_MS;
    after.inTimeDays = afterServedAt(after, after.servedAtMs);
  }
  return after;
}

const shareAt = (one: typeof watcher, nowMs: number, fromDay = today) =>
  inTimeShare(one, { fromDay, nowMs });

test('late and missed slots are due and not in time', () => {
  const one = served(firstSlotMs, [0, 6, 7, null, 59, 1]);
  expect(one.inTimeDays).toBe(`${today}:3`);
  expect(shareAt(one, firstSlotMs + 5.5 * HOUR_MS)).toEqual({ due: 6, inTime: 3 });
});

test('the slot under way is due when it was served, or can no longer be in time', () => {
  const one = served(firstSlotMs, [0]);
  const nextMs = firstSlotMs + HOUR_MS;
  expect(shareAt(one, nextMs + 6 * MINUTE_MS)).toEqual({ due: 1, inTime: 1 });
  expect(shareAt(one, nextMs + 7 * MINUTE_MS)).toEqual({ due: 2, inTime: 1 });
  expect(shareAt(served(nextMs, [2], one), nextMs + 2 * MINUTE_MS)).toEqual({ due: 2, inTime: 2 });
});

test('a week of hours is 168 slots, and the days before it are forgotten', () => {
  const hours = 10 * 24;
  const fromMs = firstSlotMs - (hours - 24) * HOUR_MS;
  const one = served(fromMs, Array(hours).fill(1));
  expect(one.inTimeDays).toBe(`${today}:${'o'.repeat(IN_TIME_DAYS)}`);
  const nowMs = fromMs + (hours - 1) * HOUR_MS + 30 * MINUTE_MS;
  const share = shareAt(one, nowMs, today - IN_TIME_DAYS + 1);
  expect(share).toEqual({ due: 168, inTime: 168 });
});

test('days without a slot in time count as none', () => {
  const one = served(firstSlotMs, [1], served(firstSlotMs - 3 * DAY_MS, [1, 1]));
  expect(one.inTimeDays).toBe(`${today}:1002`);
  const late = served(firstSlotMs - 2 * DAY_MS, [1], one);
  expect(late.inTimeDays).toBe(`${today}:1012`);
});

test('a slot that began before the product was watched at this tier is not due', () => {
  const since = { ...watcher, sinceAtMs: firstSlotMs + MINUTE_MS };
  expect(served(firstSlotMs, [2, 1], since).inTimeDays).toBe(`${today}:1`);
  const changed = { ...since, inTimeDays: `${today}:9o` };
  expect(shareAt(changed, firstSlotMs + 1.5 * HOUR_MS, today - 6)).toEqual({ due: 1, inTime: 1 });
});

test('nothing is due while suspended, and a damaged text counts as none', () => {
  const one = served(firstSlotMs, [0, 0]);
  expect(shareAt({ ...one, isSuspended: true }, firstSlotMs + HOUR_MS)).toEqual({
    due: 0,
    inTime: 0,
  });
  const damaged = { ...one, inTimeDays: 'nonsense' };
  expect(shareAt(damaged, firstSlotMs + 1.5 * HOUR_MS)).toEqual({ due: 2, inTime: 0 });
  expect(served(firstSlotMs + 2 * HOUR_MS, [0], damaged).inTimeDays).toBe(`${today}:1`);
});
