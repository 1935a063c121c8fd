import { describe, expect, it } from 'vitest';
import { createLog } from '../foundation/log.ts';
import { startClaimLoop } from './claim-loop.ts';
import { createSignal } from './signal.ts';

const log = createLog('silent');

describe('a claim loop', () => {
  it('works without a pause while there is work, and again as soon as it is signalled', async () => {
    const signal = createSignal();
    let work = 3;
    let rounds = 0;
    let quiet: () => void = () => {};
    const becomesQuiet = () =>
      new Promise<void>((resolve) => {
        quiet = resolve;
      });
    const first = becomesQuiet();
    const loop = startClaimLoop(
      { log },
      {
        name: 'test',
        signal,
        work: async () => {
          rounds++;
          if (work === 0) quiet();
          return work === 0 ? 0 : work--;
        },
      },
    );
    await first;
    expect(rounds).toBe(4);
    const second = becomesQuiet();
    work = 2;
    signal.raise();
    await second;
    expect(rounds).toBe(7);
    await loop.stop();
  });

  it('survives a failure, and stops at once while it waits', async () => {
    const signal = createSignal();
    let rounds = 0;
    let again: () => void = () => {};
    const secondRound = new Promise<void>((resolve) => {
      again = resolve;
    });
    const loop = startClaimLoop(
      { log },
      {
        name: 'test',
        signal,
        work: async () => {
          if (++rounds === 2) again();
          throw new Error('no');
        },
      },
    );
    signal.raise();
    await secondRound;
    await loop.stop();
    expect(rounds).toBeGreaterThanOrEqual(2);
  });
});
