import { describe, expect, it, vi } from 'vitest';
import type { SharedRates } from '../limits/shared-rates.ts';
import { createMissBudget } from './miss-budget.ts';

describe('the miss budget', () => {
  it('refuses an account after 200 misses, says how long to wait, and spares other accounts', () => {
    let nowMs = 0;
    const budget = createMissBudget(() => nowMs);
    for (let count = 0; count < 200; count++) {
      budget.refuseSpent('a');
      budget.spend('a');
    }
    expect(() => budget.refuseSpent('a')).toThrow('wait 1000 ms');
    budget.refuseSpent('b');
    nowMs = 999;
    expect(() => budget.refuseSpent('a')).toThrow(/wait [12] ms/);
    nowMs = 1_000;
    budget.refuseSpent('a');
    budget.spend('a');
    expect(() => budget.refuseSpent('a')).toThrow();
  });

  it('counts over all processes: each learns of the others with its next miss', async () => {
    let count = 0;
    // What the database does for all processes: adds up the misses.
    const rates = {
      reserve: async () => ({ isReserved: true, waitMs: count++ * 1_000 }),
    } as unknown as SharedRates;
    const [first, second] = [createMissBudget(() => 0, rates), createMissBudget(() => 0, rates)];
    for (let miss = 0; miss < 199; miss++) first.spend('a');
    await Promise.resolve();
    second.refuseSpent('a');
    second.spend('a');
    await vi.waitFor(() => expect(() => second.refuseSpent('a')).toThrow('wait 1000 ms'));
  });
});
