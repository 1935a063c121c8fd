// How the limiter grants slots to accounts and endpoints.
import { describe, expect, test } from 'vitest';
import { createConcurrencyLimiter, type Endpoint } from './concurrency-limiter.ts';

const responded = { status: 500, durationMs: 40 };
const silent = { status: null, durationMs: 15_000 };
const late = { status: 200, durationMs: 14_000 };

const endpoint = (webhookId: string, more: Partial<Endpoint> = {}): Endpoint => ({
  accountId: `account of ${webhookId}`,
  webhookId,
  reliability: 'untried',
  ...more,
});
const newLimiter = (inFlightMax = 64, perEndpointMax = 8) =>
  createConcurrencyLimiter({ inFlightMax, perEndpointMax });
type Limiter = ReturnType<typeof newLimiter>;

const roomAfter = (limiter: Limiter, who: Endpoint, outcome: typeof silent | typeof responded) => {
  limiter.begin(who);
  limiter.end(who.webhookId, outcome);
  return limiter.roomFor(who);
};
/** Begins as many requests as it grants. */
const fill = (limiter: Limiter, who: readonly Endpoint[], limit = 1_000) => {
  const granted = limiter.allot(
    who.map((one) => ({ ...one, slotsNeeded: 1_000 })),
    limit,
  );
  for (const one of who) {
    for (let count = granted.get(one.webhookId) ?? 0; count > 0; count--) limiter.begin(one);
  }
  return who.map(({ webhookId }) => granted.get(webhookId) ?? 0);
};
const warm = (limiter: Limiter, who: Endpoint) => {
  for (let times = 0; times < 4; times++) roomAfter(limiter, who, responded);
};

describe('an endpoint', () => {
  test('starts with two slots, and is skipped by claims while both are used', () => {
    const limiter = newLimiter();
    const a = endpoint('a');
    expect(limiter.roomFor(a)).toBe(2);
    limiter.begin(a);
    limiter.begin(a);
    expect(limiter.roomFor(a)).toBe(0);
    expect(limiter.claimFilter().fullWebhooks).toEqual(['a']);
    limiter.end('a', responded);
    expect(limiter.roomFor(a)).toBe(3);
    expect(limiter.claimFilter().fullWebhooks).toEqual([]);
  });

  test('is halved by a timeout (to 1) or late response (to 4), and doubled by others', () => {
    const limiter = newLimiter();
    const a = endpoint('a');
    const rooms = (outcomes: (typeof silent | typeof responded)[]) =>
      outcomes.map((outcome) => roomAfter(limiter, a, outcome));
    expect(rooms([responded, responded, responded])).toEqual([4, 8, 8]);
    expect(rooms([silent, silent, silent, silent])).toEqual([4, 2, 1, 1]);
    expect(rooms([responded, responded])).toEqual([4, 8]);
    expect(rooms([late, late, silent, late])).toEqual([4, 4, 2, 4]);
  });
});

describe('slots', () => {
  test('are divided by account first, then by endpoint', () => {
    const limiter = newLimiter(512, 16);
    const many = Array.from({ length: 6 }, (_, index) => endpoint(`m${index}`, { accountId: 'm' }));
    const one = endpoint('one', { accountId: 'o' });
    for (const each of [...many, one]) warm(limiter, each);
    const granted = fill(limiter, [...many, one], 24);
    expect(granted).toEqual([2, 2, 2, 2, 2, 2, 12]);
  });

  test('new and slow endpoints hold at most a quarter each; a fast one finds room', () => {
    const limiter = newLimiter(64, 16);
    const fast = endpoint('fast');
    warm(limiter, fast);
    const news = Array.from({ length: 200 }, (_, index) => endpoint(`n${index}`));
    const slow = Array.from({ length: 200 }, (_, index) => endpoint(`s${index}`));
    for (const one of slow) roomAfter(limiter, one, silent);
    const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
    expect(sum(fill(limiter, news))).toBe(16);
    expect(sum(fill(limiter, slow))).toBe(16);
    const filter = limiter.claimFilter();
    expect(filter).toMatchObject({ admitsUntried: false, admitsFailing: false });
    expect(filter.failingButFast).toEqual(['fast']);
    expect(filter.fullWebhooks).toHaveLength(216);
    expect(fill(limiter, [fast])).toEqual([16]);
  });

  test('no account takes all: the next one always finds some', () => {
    const limiter = newLimiter(64, 64);
    const all = Array.from({ length: 8 }, (_, index) => endpoint(`a${index}`));
    for (const one of all)
      for (let times = 0; times < 6; times++) roomAfter(limiter, one, responded);
    const granted = all.map((one) => fill(limiter, [one])[0] ?? 0);
    expect(granted[0]).toBeLessThan(64);
    expect(granted.slice(0, 4).every((count) => count > 0)).toBe(true);
    expect(limiter.claimFilter().fullAccounts.length).toBeGreaterThan(0);
  });

  test('an endpoint that timed out is fast again only with its full allowance', () => {
    const limiter = newLimiter(64, 8);
    const a = endpoint('a');
    warm(limiter, a);
    for (let times = 0; times < 4; times++) roomAfter(limiter, a, silent);
    const others = Array.from({ length: 40 }, (_, index) => endpoint(`s${index}`));
    for (const one of others) roomAfter(limiter, one, silent);
    fill(limiter, others);
    expect(fill(limiter, [a])).toEqual([0]);
    roomAfter(limiter, a, responded);
    expect(fill(limiter, [a])).toEqual([0]);
    roomAfter(limiter, a, responded);
    expect(fill(limiter, [a])).toEqual([8]);
  });
});
