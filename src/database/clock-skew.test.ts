import { expect, test } from 'vitest';
import { cloneDatabase } from '../../test/support/database.ts';
import { realNowMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { createClockWatch } from './clock-skew.ts';

const { db } = await cloneDatabase({ isDurable: false });

test('a clock that runs ahead of the database is reported once, and again when it is right', async () => {
  const lines: string[] = [];
  const log = {
    error: (_: unknown, line: string) => lines.push(line),
    info: (line: string) => lines.push(line),
  } as unknown as Log;
  let aheadMs = 0;
  const watch = createClockWatch({ db, log, nowMs: () => realNowMs() + aheadMs });
  await watch.check();
  expect([watch.isSkewed(), lines]).toEqual([false, []]);
  for (const ms of [90_000, 90_000, -90_000]) {
    aheadMs = ms;
    await watch.check();
    expect(watch.isSkewed()).toBe(true);
    expect(Math.round(watch.skewMs() / 10_000)).toBe(ms / 10_000);
  }
  expect(lines).toHaveLength(1);
  aheadMs = 0;
  await watch.check();
  expect([watch.isSkewed(), lines.length]).toEqual([false, 2]);
});

test('a slow round trip is not mistaken for a wrong clock', async () => {
  let nowMs = realNowMs();
  // Each reading of the clock is three seconds later, as if every query took that long.
  const slow = { db, log: {} as Log, nowMs: () => (nowMs += 3_000) };
  const watch = createClockWatch(slow);
  nowMs = realNowMs() - 3_000;
  await watch.check();
  expect(watch.isSkewed()).toBe(false);
});
