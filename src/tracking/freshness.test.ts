import { expect, test } from 'vitest';
import { HOUR_MS, HOUR_SECONDS, MINUTE_MS } from '../foundation/time.ts';
import { slotsAfterFailure, slotsAfterSnapshot } from './freshness.ts';
import { nextSlot, phaseMs } from './slot.ts';

const code = '100';
const slotAtMs = nextSlot(Date.UTC(2026, 5, 1), phaseMs(code), HOUR_MS);
const due = {
  code,
  dueAtMs: slotAtMs,
  intervalSeconds: HOUR_SECONDS,
  failures: 0,
  firstHeldAtMs: null,
};

test.each([
  ['at its start', 0, { in_time: 1, late: 0, missed: 0 }],
  ['after six minutes of an hour', 6 * MINUTE_MS, { in_time: 1, late: 0, missed: 0 }],
  ['after seven minutes', 7 * MINUTE_MS, { in_time: 0, late: 1, missed: 0 }],
  ['early in the third slot', 2 * HOUR_MS + 1, { in_time: 1, late: 0, missed: 2 }],
  ['late in the third slot', 2 * HOUR_MS + 30 * MINUTE_MS, { in_time: 0, late: 1, missed: 2 }],
])('a slot served %s counts once', (_, afterMs, counts) => {
  expect(slotsAfterSnapshot(due, slotAtMs + afterMs)).toEqual({ tier: 0, counts });
});

test('a retry in the same slot gives up nothing, one in a later slot the slots before', () => {
  const missedBy = (afterMs: number) => slotsAfterFailure(due, slotAtMs + afterMs)?.counts.missed;
  expect([30 * MINUTE_MS, HOUR_MS - 1, HOUR_MS, 3 * HOUR_MS].map(missedBy)).toEqual([0, 0, 1, 3]);
});

test('an interval that no tier has is not counted', () => {
  expect(slotsAfterSnapshot({ ...due, intervalSeconds: 7 }, slotAtMs)).toBeNull();
});
