import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareOfGroup, shareOfWebhook } from './slot-shares.ts';

const slots = fc.integer({ min: 1, max: 10_000 });
const accounts = fc.integer({ min: 1, max: 1_000 });

describe("a lane group's share of the slots", () => {
  it('is at least one and at most all of them, whatever number of accounts is left', () => {
    fc.assert(
      fc.property(slots, accounts, fc.integer({ min: 0, max: 5_000 }), (limit, due, left) => {
        const share = shareOfGroup({ limit, accounts: due, accountsLeft: left });
        expect(share).toBeGreaterThanOrEqual(1);
        expect(share).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('is all of them at a second turn, when its accounts are no longer counted', () => {
    expect(shareOfGroup({ limit: 7, accounts: 3, accountsLeft: 0 })).toBe(7);
  });

  it('is in proportion to its accounts', () => {
    expect(shareOfGroup({ limit: 100, accounts: 1, accountsLeft: 4 })).toBe(25);
  });
});

describe("a webhook's share of the slots", () => {
  it('is its part of what its account gets', () => {
    const keys = [
      { webhookId: 'w1', accountId: 'a' },
      { webhookId: 'w2', accountId: 'a' },
      { webhookId: 'w3', accountId: 'b' },
    ];
    const share = shareOfWebhook(keys, 100);
    expect(keys.map(share)).toEqual([25, 25, 50]);
  });
});
