import { expect, test, vi } from 'vitest';
import { createLog } from '../foundation/log.ts';
import { createMetrics } from '../foundation/metrics.ts';
import { createLoopHealth } from './loop-health.ts';
import { startPeriodic } from './periodic.ts';

const log = createLog('silent');

test('a loop for one process applies for its lease at once and runs only while it holds it', async () => {
  const applied: string[] = [];
  let isHeld = false;
  let rounds = 0;
  const membership = {
    holds(loop: string) {
      applied.push(loop);
      return isHeld;
    },
  };
  const loop = startPeriodic(
    { log, membership },
    {
      name: 'settle-days',
      everyMs: 1,
      inOneProcess: true,
      run: async () => {
        rounds++;
      },
    },
  );
  expect(applied).toEqual(['settle-days']);
  await vi.waitFor(() => expect(applied.length).toBeGreaterThan(3));
  expect(rounds).toBe(0);
  isHeld = true;
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(0));
  await loop.stop();
});

test('three failed rounds in a row count as failing, until one succeeds', async () => {
  const metrics = createMetrics();
  let nowMs = 0;
  const health = createLoopHealth(metrics, () => nowMs);
  health.failed('fan-out', new Error('no'));
  nowMs = 5_000;
  health.failed('fan-out', new Error('no'));
  expect(health.failing()).toEqual([]);
  health.failed('fan-out', new Error('still no'));
  expect(health.failing()).toEqual([{ loop: 'fan-out', forSeconds: 5, reason: 'still no' }]);
  health.succeeded('fan-out');
  expect(health.failing()).toEqual([]);
  expect(await metrics.registry.metrics()).toContain(
    'oversight_loop_failures_total{loop="fan-out"} 3',
  );
});
