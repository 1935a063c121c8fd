import { describe, expect, it } from 'vitest';
import { createSignal } from './signal.ts';

const never = new AbortController().signal;
const LONG_MS = 60_000;

describe('a signal', () => {
  it('wakes who waits, and who comes to wait after it was raised, once', async () => {
    const signal = createSignal();
    const waiting = signal.wait(LONG_MS, never);
    signal.raise();
    await waiting;
    signal.raise();
    await signal.wait(LONG_MS, never);
    const third = signal.wait(5, never).then(() => 'time over');
    expect(await third).toBe('time over');
  });

  it('is not lost on who has given up waiting', async () => {
    const signal = createSignal();
    const giveUp = new AbortController();
    const given = signal.wait(LONG_MS, giveUp.signal);
    giveUp.abort();
    signal.raise();
    await given;
    await signal.wait(LONG_MS, never);
  });
});
