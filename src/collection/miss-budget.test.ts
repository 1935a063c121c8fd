import { describe, expect, it } from 'vitest';
import { createMissBudget } from './miss-budget.ts';

describe('the budget for look-ups in vain', () => {
  it('refuses an account after two hundred, says when to come back, and lets others be', () => {
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
