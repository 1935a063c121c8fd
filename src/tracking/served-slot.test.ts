import { expect, test } from 'vitest';
import { DAY_MS } from '../foundation/time.ts';
import { afterServing, GRACE_MS } from './served-slot.ts';
import { phaseMs } from './slot.ts';
import type { Watcher } from './watcher.ts';

const DAY = 20_000;
const DAY_START_MS = DAY * DAY_MS;
const DAY_END_MS = DAY_START_MS + DAY_MS;
const code = '527182818';
const watcher: Watcher = {
  code,
  accountId: 'a',
  trackedId: 't',
  tier: 4,
  isSuspended: false,
  sinceAtMs: 0,
  servedAtMs: DAY_START_MS,
  seenAtMs: DAY_START_MS,
  countedDay: DAY - 1,
  slotsServed: 1,
  inTimeDays: null,
  slotsServedBefore: 1,
  chargedDay: DAY,
  sellerName: null,
  rules: null,
  conditions: null,
  endsAtMs: null,
  conditionState: null,
  state: null,
};

test.each([
  { when: 'when it begins', atMs: DAY_START_MS + phaseMs(code), isCounted: true },
  { when: 'at the end of the hour of grace', atMs: DAY_END_MS + GRACE_MS - 1, isCounted: true },
  { when: 'after the hour of grace', atMs: DAY_END_MS + GRACE_MS, isCounted: false },
  {
    when: 'at the end of the slot',
    atMs: DAY_START_MS + phaseMs(code) + DAY_MS - 1,
    isCounted: false,
  },
])('a slot served $when counts for its day: $isCounted', ({ atMs, isCounted }) => {
  const after = afterServing(watcher, { atMs, seenAtMs: atMs });
  expect(after).toMatchObject({ servedAtMs: atMs, seenAtMs: atMs });
  expect([after?.countedDay, after?.slotsServed]).toEqual(isCounted ? [DAY, 1] : [DAY - 1, 1]);
});
