// The request queue: concurrency, rate, priority, overflow and pauses.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SharedRate } from '../shared-rate.ts';
import { createRequestQueue, type RequestQueue } from './request-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

/** Acquires a slot and records the name when it starts. */
function queue(requests: RequestQueue, started: string[], name: string, isUrgent = true) {
  return requests.acquire({ signal: never, isUrgent }).then((release) => {
    started.push(name);
    return release as () => void;
  });
}

test('limits the requests in flight; others start as slots are released', async () => {
  const requests = createRequestQueue({ atOnceMax: 2, perSecond: 1_000, waitingMax: 10 });
  const started: string[] = [];
  const first = await queue(requests, started, 'first');
  await queue(requests, started, 'second');
  const third = queue(requests, started, 'third');
  expect(requests.waiting()).toBe(1);
  first();
  first(); // releasing twice counts once
  await third;
  expect(started).toEqual(['first', 'second', 'third']);
  const fourth = requests.acquire({ signal: never, isUrgent: true });
  expect(requests.waiting()).toBe(1);
  void fourth;
});

test('limits the starts per second', async () => {
  const requests = createRequestQueue({ atOnceMax: 1_000, perSecond: 20, waitingMax: 1_000 });
  const started: string[] = [];
  for (let nth = 0; nth < 100; nth++) void queue(requests, started, String(nth));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started.length).toBeGreaterThanOrEqual(20);
  expect(started.length).toBeLessThanOrEqual(22);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started.length).toBeGreaterThanOrEqual(40);
  expect(started.length).toBeLessThanOrEqual(42);
});

test('supports less than one start per second', async () => {
  const requests = createRequestQueue({ atOnceMax: 10, perSecond: 0.5, waitingMax: 10 });
  const started: string[] = [];
  for (const name of ['a', 'b', 'c']) void queue(requests, started, name);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(started).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(200);
  expect(started).toEqual(['a', 'b']);
});

test('urgent requests go before background requests', async () => {
  const requests = createRequestQueue({ atOnceMax: 1, perSecond: 1_000, waitingMax: 10 });
  const started: string[] = [];
  const release = await queue(requests, started, 'now');
  const all = [
    queue(requests, started, 'background', false),
    queue(requests, started, 'customer', true),
    queue(requests, started, 'other customer', true),
  ];
  release();
  for (const slot of [all[1], all[2]]) (await slot)?.();
  await all[0];
  expect(started).toEqual(['now', 'customer', 'other customer', 'background']);
});

test('a full queue refuses, and an aborted request leaves it', async () => {
  const requests = createRequestQueue({ atOnceMax: 1, perSecond: 1_000, waitingMax: 1 });
  const started: string[] = [];
  await queue(requests, started, 'now');
  const leaving = new AbortController();
  const waiting = requests.acquire({ signal: leaving.signal, isUrgent: false });
  expect(await requests.acquire({ signal: never, isUrgent: true })).toBeNull();
  leaving.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(requests.waiting()).toBe(0);
});

test('nothing starts during a pause', async () => {
  const requests = createRequestQueue({ atOnceMax: 10, perSecond: 1_000, waitingMax: 10 });
  const started: string[] = [];
  requests.pause(2_000);
  void queue(requests, started, 'a');
  await vi.advanceTimersByTimeAsync(1_990);
  expect(started).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(started).toEqual(['a']);
});

/** What the database does for all processes: hands out times one after the other. */
function sharedRate() {
  let freeAtMs = 0;
  const reservations: number[] = [];
  return {
    reservations,
    reserve: async ({ count, everyMs, burstMs }: Parameters<SharedRate['reserve']>[0]) => {
      reservations.push(count);
      const startMs = Math.max(freeAtMs, performance.now() - burstMs);
      freeAtMs = startMs + count * everyMs;
      return { isReserved: true, waitMs: startMs - performance.now() };
    },
    pause: async (ms: number) => {
      freeAtMs = Math.max(freeAtMs, performance.now() + ms);
    },
  };
}

test('processes share the starts per second, and an idle one leaves them to the others', async () => {
  const rate = sharedRate();
  const settings = { atOnceMax: 1_000, perSecond: 20, waitingMax: 1_000, rate };
  const [busy, other] = [createRequestQueue(settings), createRequestQueue(settings)];
  const started: string[] = [];
  for (let nth = 0; nth < 100; nth++) void queue(busy, started, 'busy');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started.length).toBeGreaterThanOrEqual(18);
  expect(started.length).toBeLessThanOrEqual(24);
  for (let nth = 0; nth < 100; nth++) void queue(other, started, 'other');
  const before = started.length;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(started.length - before).toBeLessThanOrEqual(46);
  expect(started.filter((name) => name === 'other').length).toBeGreaterThan(15);
  // Reserved in portions, not one by one.
  expect(rate.reservations.length).toBeLessThan(started.length);
});

test('a pause reaches the other processes', async () => {
  const rate = sharedRate();
  const settings = { atOnceMax: 10, perSecond: 1_000, waitingMax: 10, rate };
  createRequestQueue(settings).pause(2_000);
  const started: string[] = [];
  void queue(createRequestQueue(settings), started, 'a');
  await vi.advanceTimersByTimeAsync(1_990);
  expect(started).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(started).toEqual(['a']);
});
