import { describe, expect, it } from 'vitest';
import { createSignal } from './signal.ts';

const never = new AbortController().signal;
const LONG_MS = 60_000;

describe('a signal', () => {
  it('wakes a waiter once, also one that starts to wait after the signal was raised', async () => {
    const signal = createSignal();
    const waiting = signal.wait(LONG_MS, never);
    signal.raise();
    await waiting;
    signal.raise();
    await signal.wait(LONG_MS, never);
    const third = signal.wait(5, never).then(() => 'timed out');
    expect(await third).toBe('timed out');
  });

  it('is not consumed by a waiter that gave up', async () => {
    const signal = createSignal();
    const giveUp = new AbortController();
    const abandoned = signal.wait(LONG_MS, giveUp.signal);
    giveUp.abort();
    signal.raise();
    await abandoned;
    await signal.wait(LONG_MS, never);
  });
});
