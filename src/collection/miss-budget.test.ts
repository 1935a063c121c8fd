import { describe, expect, it } from 'vitest';
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
});
