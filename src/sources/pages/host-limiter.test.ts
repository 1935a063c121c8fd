// The spacing of requests to a host, on a timer that the test moves.
import { describe, expect, test } from 'vitest';
import { createHostLimiter, type Timer } from './host-limiter.ts';

const never = new AbortController().signal;

/** A timer whose sleepers wake when the test moves it past their time. */
function testTimer() {
  let nowMs = 0;
  const sleepers: { atMs: number; wake: () => void }[] = [];
  const timer: Timer = {
    nowMs: () => nowMs,
    sleepMs: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleepers.push({ atMs: nowMs + ms, wake: resolve });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
  const move = (ms: number) => {
    nowMs += ms;
    for (const sleeper of sleepers.filter(({ atMs }) => atMs <= nowMs)) sleeper.wake();
  };
  return { timer, move };
}

describe('slots', () => {
  test('come one delay apart, in the order of the requests', async () => {
    const { timer, move } = testTimer();
    const limiter = createHostLimiter({ delayMs: 1_000, waitingMax: 10, timer });
    const order: string[] = [];
    const take = (name: string) => limiter.acquire(10_000, never).then(() => order.push(name));
    const all = [take('a'), take('b'), take('c')];
    await all[0];
    expect(order).toEqual(['a']);
    move(1_000);
    await all[1];
    expect(order).toEqual(['a', 'b']);
    move(1_000);
    await all[2];
    expect(order).toEqual(['a', 'b', 'c']);
    move(1_000);
    expect(await limiter.acquire(0, never)).toEqual({ kind: 'go' });
  });

  test('that would come too late are refused at once and not used up', async () => {
    const { timer } = testTimer();
    const limiter = createHostLimiter({ delayMs: 1_000, waitingMax: 10, timer });
    await limiter.acquire(0, never);
    expect(await limiter.acquire(999, never)).toEqual({ kind: 'later', retryAfterMs: 1_000 });
    expect(await limiter.acquire(999, never)).toEqual({ kind: 'later', retryAfterMs: 1_000 });
  });

  test('have a limited number of waiting requests', async () => {
    const { timer } = testTimer();
    const limiter = createHostLimiter({ delayMs: 1_000, waitingMax: 1, timer });
    await limiter.acquire(0, never);
    void limiter.acquire(60_000, never);
    expect(await limiter.acquire(60_000, never)).toEqual({ kind: 'later', retryAfterMs: 2_000 });
  });

  test('follow a longer delay of the host, never a shorter one', async () => {
    const { timer } = testTimer();
    const limiter = createHostLimiter({ delayMs: 1_000, waitingMax: 10, timer });
    limiter.setDelay(7_000);
    await limiter.acquire(0, never);
    expect(await limiter.acquire(0, never)).toEqual({ kind: 'later', retryAfterMs: 7_000 });
    const other = createHostLimiter({ delayMs: 1_000, waitingMax: 10, timer });
    other.setDelay(10);
    await other.acquire(0, never);
    expect(await other.acquire(0, never)).toEqual({ kind: 'later', retryAfterMs: 1_000 });
  });

  test('stop during a pause, also for requests that already wait', async () => {
    const { timer, move } = testTimer();
    const limiter = createHostLimiter({ delayMs: 1_000, waitingMax: 10, timer });
    await limiter.acquire(0, never);
    const waiting = limiter.acquire(5_000, never);
    limiter.pause(30_000);
    expect(await limiter.acquire(5_000, never)).toEqual({ kind: 'later', retryAfterMs: 30_000 });
    move(1_000);
    expect(await waiting).toEqual({ kind: 'later', retryAfterMs: 29_000 });
  });

  test('are reserved among all processes, and a pause is passed on', async () => {
    const { timer } = testTimer();
    const pauses: number[] = [];
    const reservations = [
      { isReserved: true, waitMs: 0 },
      { isReserved: false, waitMs: 8_000.5 },
    ];
    const rate = {
      reserve: async () => reservations.shift() ?? { isReserved: true, waitMs: 0 },
      pause: async (ms: number) => void pauses.push(ms),
    };
    const limiter = createHostLimiter({ delayMs: 1, waitingMax: 10, timer, rate });
    expect(await limiter.acquire(5_000, never)).toEqual({ kind: 'go' });
    expect(await limiter.acquire(5_000, never)).toEqual({ kind: 'later', retryAfterMs: 8_001 });
    limiter.pause(30_000);
    expect(pauses).toEqual([30_000]);
  });

  test('reject when the signal aborts', async () => {
    const { timer } = testTimer();
    const limiter = createHostLimiter({ delayMs: 1_000, waitingMax: 1, timer });
    await limiter.acquire(0, never);
    const stop = new AbortController();
    const waiting = limiter.acquire(5_000, stop.signal);
    stop.abort(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(limiter.acquire(5_000, stop.signal)).rejects.toThrow('closed');
  });
});
