// A slot counts for the day on which it began, when it is served until an hour after that day.
import { expect, test } from 'vitest';
import { DAY_MS } from '../foundation/time.ts';
import { afterServing, GRACE_MS } from './serving.ts';
import { phaseMs } from './slot.ts';
import type { Watcher } from './watcher.ts';

const DAY = 20_000;
const END = (DAY + 1) * DAY_MS;
const code = '527182818';
const watcher: Watcher = {
  ...{ code, accountId: 'a', trackedId: 't', tier: 4, isSuspended: false, sinceAt: 0 },
  ...{ servedAt: DAY * DAY_MS, seenAt: DAY * DAY_MS, countedOn: DAY - 1, slotsServed: 1 },
  ...{ slotsServedBefore: 1, chargedOn: DAY, sellerName: null, rules: null, state: null },
};

test.each([
  { at: DAY * DAY_MS + phaseMs(code), counted: true },
  { at: END + GRACE_MS - 1, counted: true },
  { at: END + GRACE_MS, counted: false },
  { at: DAY * DAY_MS + phaseMs(code) + DAY_MS - 1, counted: false },
])('served at $at: counted $counted', ({ at, counted }) => {
  const after = afterServing(watcher, { at, seenAt: at });
  expect(after).toMatchObject({ servedAt: at, seenAt: at });
  expect([after?.countedOn, after?.slotsServed]).toEqual(counted ? [DAY, 1] : [DAY - 1, 1]);
});
