// The circuit breaker: when it opens, probes and closes.
import { expect, test } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';

const SETTINGS = { failuresMax: 3, firstProbeMs: 1_000, probeEveryMaxMs: 5_000 };
const ADMITTED = { admitted: true };

function opened() {
  const changes: boolean[] = [];
  const breaker = createCircuitBreaker(SETTINGS, (isOpen) => changes.push(isOpen));
  for (let nth = 0; nth < 3; nth++) breaker.failed(0);
  return { breaker, changes };
}

test('opens after consecutive failures only', () => {
  const changes: boolean[] = [];
  const breaker = createCircuitBreaker(SETTINGS, (isOpen) => changes.push(isOpen));
  breaker.failed(0);
  breaker.failed(0);
  breaker.succeeded();
  breaker.failed(0);
  breaker.failed(0);
  expect(breaker.admit(0)).toEqual(ADMITTED);
  breaker.failed(0);
  expect(breaker.isOpen()).toBe(true);
  expect(changes).toEqual([true]);
});

test('while open, admits one probe at a time and returns when the next may go', () => {
  const { breaker } = opened();
  expect(breaker.admit(400)).toEqual({ admitted: false, retryAfterMs: 600 });
  expect(breaker.admit(1_000)).toEqual(ADMITTED);
  expect(breaker.admit(1_000)).toEqual({ admitted: false, retryAfterMs: 2_000 });
});

test('probes at growing intervals, but at least every five seconds', () => {
  const { breaker } = opened();
  const probes: number[] = [];
  for (let nowMs = 0; nowMs <= 30_000; nowMs += 100) {
    if (!breaker.admit(nowMs).admitted) continue;
    probes.push(nowMs);
    breaker.failed(nowMs);
  }
  expect(probes).toEqual([1_000, 3_000, 7_000, 12_000, 17_000, 22_000, 27_000]);
});

test('a hanging probe does not delay the next', () => {
  const { breaker } = opened();
  expect(breaker.admit(1_000)).toEqual(ADMITTED);
  expect(breaker.admit(3_000)).toEqual(ADMITTED);
});

test('one success closes it, and the next opening starts with the first interval', () => {
  const { breaker, changes } = opened();
  breaker.admit(1_000);
  breaker.failed(1_000);
  breaker.admit(3_000);
  breaker.succeeded();
  expect(breaker.admit(3_000)).toEqual(ADMITTED);
  for (let nth = 0; nth < 3; nth++) breaker.failed(4_000);
  expect(breaker.admit(4_000)).toEqual({ admitted: false, retryAfterMs: 1_000 });
  expect(changes).toEqual([true, false, true]);
});

test('failures reported while it is open change nothing', () => {
  const { breaker, changes } = opened();
  breaker.failed(900);
  expect(breaker.admit(1_000)).toEqual(ADMITTED);
  expect(changes).toEqual([true]);
});
