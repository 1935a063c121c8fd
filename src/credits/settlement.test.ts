// The rules of the ledger, over generated histories of one account: charges, refunds, grants,
// repeats, refreshes and a clock that moves, also backwards.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idFrom } from '../foundation/id.ts';
import { DAY_MS } from '../foundation/time.ts';
import { periodAt } from './billing-period.ts';
import type { EntryKind } from './entry-kind.ts';
import {
  type Balance,
  entryId,
  type LedgerEntry,
  remainingCredits,
  type Settlement,
  settle,
  startPeriod,
  totalCredits,
} from './settlement.ts';

const ACCOUNT = '0190a000-0000-7000-8000-000000000001';
const OPENED_AT_MS = Date.parse('2026-01-31T10:30:00.000Z');
const CREDITS_OF: Readonly<Record<string, number>> = { Free: 10, Starter: 25, Pro: 250 };
const monthlyCreditsOf = (plan: string) => CREDITS_OF[plan] ?? 0;

const opened = startPeriod(
  {
    accountId: ACCOUNT,
    plan: 'Free',
    nextPlan: null,
    allocation: 0,
    granted: 0,
    used: 0,
    anchorAtMs: OPENED_AT_MS,
    periodStartAtMs: OPENED_AT_MS,
    periodEndAtMs: OPENED_AT_MS,
    updatedAtMs: OPENED_AT_MS,
  },
  { anchorAtMs: OPENED_AT_MS, ...periodAt(OPENED_AT_MS, OPENED_AT_MS) },
  { name: 'Free', monthlyCredits: monthlyCreditsOf('Free') },
);

function entry(kind: EntryKind, credits: number, at: number, name: string): LedgerEntry {
  const reference = `test:${name}`;
  const about = { operation: 'details', productCode: '795033156', reference };
  return { accountId: ACCOUNT, id: idFrom(name), atMs: at, kind, credits, ...about };
}

/** An account and its ledger as the database would store them. */
type Life = { balance: Balance; ledger: LedgerEntry[]; now: number };

const newLife = (): Life => ({
  balance: opened.balance,
  ledger: [opened.entry],
  now: OPENED_AT_MS,
});

const copyOf = (life: Life): Life => ({ ...life, ledger: [...life.ledger] });

function book(life: Life, entries: readonly LedgerEntry[]): Settlement {
  const booked = new Set(life.ledger.map(({ id }) => id));
  const settled = settle(life.balance, entries, {
    nowMs: life.now,
    alreadyBooked: new Set(entries.map(({ id }) => id).filter((id) => booked.has(id))),
    monthlyCreditsOf,
  });
  life.balance = settled.balance;
  life.ledger.push(...settled.newEntries);
  return settled;
}

type Ask = { kind: EntryKind; credits: number };
type Step =
  /** The clock may move between creating entries and booking them. */
  | { do: 'ask'; asks: Ask[]; clockMovesByMs: number }
  | { do: 'repeat'; which: number[] }
  | { do: 'move clock'; byMs: number }
  | { do: 'come near the refresh'; byMs: number }
  | { do: 'choose plan'; plan: string };

const asks: fc.Arbitrary<Ask> = fc.oneof(
  { weight: 6, arbitrary: charge('request', 12) },
  { weight: 3, arbitrary: charge('tracking', 5) },
  { weight: 3, arbitrary: gift('refund', 12) },
  { weight: 1, arbitrary: gift('grant', 20) },
);
function charge(kind: EntryKind, max: number) {
  return fc.integer({ min: 1, max }).map((cost): Ask => ({ kind, credits: -cost }));
}
function gift(kind: EntryKind, max: number) {
  return fc.integer({ min: 1, max }).map((credits): Ask => ({ kind, credits }));
}

const lives = (clock: { backwards: boolean }) => {
  const moves = fc.oneof(
    fc.integer({ min: 0, max: 1000 }),
    fc.integer({ min: 0, max: 45 * DAY_MS }),
    fc.integer({ min: 0, max: 3 }),
    ...(clock.backwards
      ? [fc.integer({ min: -45 * DAY_MS, max: -1 }), fc.integer({ min: -3, max: -1 })]
      : []),
  );
  return fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('ask' as const),
          asks: fc.array(asks, { minLength: 0, maxLength: 4 }),
          clockMovesByMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, moves),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('repeat' as const),
          which: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('move clock' as const),
          byMs: moves,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('come near the refresh' as const),
          byMs: fc.integer({ min: -2, max: 2 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('choose plan' as const),
          plan: fc.constantFrom(...Object.keys(CREDITS_OF)),
        }),
      },
    ),
    { minLength: 1, maxLength: 40 },
  );
};

type Act = { before: Life; entries: readonly LedgerEntry[]; settled: Settlement; life: Life };

/** Runs the steps and passes every booking to `check`. */
function live(steps: readonly Step[], check: (act: Act) => void): Life {
  const life = newLife();
  const requested: LedgerEntry[] = [];
  const act = (entries: readonly LedgerEntry[]) => {
    const before = copyOf(life);
    check({ before, entries, settled: book(life, entries), life });
  };
  for (const step of steps) {
    switch (step.do) {
      case 'ask': {
        const made = step.asks.map(({ kind, credits }, index) =>
          entry(kind, credits, life.now, `${requested.length + index}`),
        );
        requested.push(...made);
        life.now += step.clockMovesByMs;
        act(made);
        break;
      }
      case 'repeat':
        if (requested.length > 0) {
          act(step.which.map((which) => requested[which % requested.length] as LedgerEntry));
        }
        break;
      case 'move clock':
        life.now += step.byMs;
        break;
      case 'come near the refresh':
        life.now = Math.max(life.now, life.balance.periodEndAtMs + step.byMs);
        break;
      case 'choose plan':
        life.balance = { ...life.balance, nextPlan: step.plan };
        break;
    }
  }
  return life;
}

/** The entry, if it came alone and is not from a clock that was ahead. */
function onlyEntry(before: Life, entries: readonly LedgerEntry[]): LedgerEntry | null {
  const [one, ...others] = entries;
  return one !== undefined && others.length === 0 && one.atMs <= before.now ? one : null;
}

const usedBy = (ledger: readonly LedgerEntry[], sinceAtMs: number) =>
  ledger
    .filter(
      ({ kind, atMs }) => ['request', 'tracking', 'refund'].includes(kind) && atMs >= sinceAtMs,
    )
    .reduce((sum, { credits }) => sum - credits, 0);

const grantedBy = (ledger: readonly LedgerEntry[], sinceAtMs: number) =>
  ledger
    .filter(({ kind, atMs }) => ['refresh', 'grant'].includes(kind) && atMs >= sinceAtMs)
    .reduce((sum, { credits }) => sum + credits, 0);

describe.each([
  { clock: 'that only moves forwards', backwards: false },
  { clock: 'that also moves backwards', backwards: true },
])('with a clock $clock', ({ backwards }) => {
  const always = (check: (act: Act) => void) =>
    fc.assert(
      fc.property(lives({ backwards }), (steps) => void live(steps, check)),
      { numRuns: 300 },
    );

  test('used credits stay between zero and the total', () => {
    always(({ life: { balance } }) => {
      expect(balance.used).toBeGreaterThanOrEqual(0);
      expect(balance.used).toBeLessThanOrEqual(totalCredits(balance));
    });
  });

  test('used and total credits are the sums of the period’s entries', () => {
    always(({ life: { balance, ledger } }) => {
      expect(usedBy(ledger, balance.periodStartAtMs)).toBe(balance.used);
      expect(grantedBy(ledger, balance.periodStartAtMs)).toBe(totalCredits(balance));
    });
  });

  test('a repeated entry is booked once and reported as booked', () => {
    always(({ before, entries, settled, life }) => {
      const ids = life.ledger.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const bookedIds = new Set(before.ledger.map(({ id }) => id));
      entries.forEach(({ id }, index) => {
        if (bookedIds.has(id)) expect(settled.outcomes[index]?.booked).toBe(true);
      });
    });
  });

  test('charges are negative and grants positive; no zero entry is booked', () => {
    always(({ settled: { newEntries } }) => {
      for (const { kind, credits } of newEntries) {
        const charges = kind === 'request' || kind === 'tracking';
        if (charges) expect(credits).toBeLessThan(0);
        else expect(credits).toBeGreaterThan(0);
      }
    });
  });

  test('there is one outcome for each entry, in order', () => {
    always(({ entries, settled }) => {
      expect(settled.outcomes).toHaveLength(entries.length);
      settled.outcomes.forEach((outcome, index) => {
        if (!outcome.booked) expect(outcome.required).toBe(-(entries[index]?.credits ?? 0));
      });
    });
  });

  test('entries that arrive together are decided as if each came alone', () => {
    always(({ before, entries, settled }) => {
      const alone = copyOf(before);
      const outcomes = entries.flatMap((one) => book(alone, [one]).outcomes);
      if (entries.length === 0) book(alone, []);
      expect(outcomes).toEqual(settled.outcomes);
      expect(alone.balance).toEqual(settled.balance);
      expect(alone.ledger).toEqual([...before.ledger, ...settled.newEntries]);
    });
  });

  test('a refund of nothing is decided again when it is repeated, together or alone', () => {
    const nothing = entry('refund', 1, newLife().now, 'r');
    const life = newLife();
    const { outcomes } = book(life, [nothing, entry('request', -7, life.now, 'c'), nothing]);
    const total = totalCredits(life.balance);
    expect(outcomes.map(({ remaining }) => remaining)).toEqual([total, total - 7, total - 6]);
  });

  test('a charge is refused only when it does not fit, and then changes nothing', () => {
    always(({ before, entries, settled }) => {
      const one = onlyEntry(before, entries);
      if (one === null) return;
      const outcome = settled.outcomes[0];
      const refreshed = book(copyOf(before), []);
      const fits = -one.credits <= remainingCredits(refreshed.balance);
      const isRepeat = before.ledger.some(({ id }) => id === one.id);
      expect(outcome?.booked).toBe(fits || isRepeat);
      if (outcome?.booked === false) {
        expect(settled).toEqual({ ...refreshed, outcomes: settled.outcomes });
        expect(outcome.remaining).toBe(remainingCredits(refreshed.balance));
        expect(outcome.refreshAtMs).toBe(refreshed.balance.periodEndAtMs);
      }
    });
  });

  test('a refund is at most what the period used', () => {
    always(({ before, entries, settled }) => {
      const one = onlyEntry(before, entries);
      if (one?.kind !== 'refund') return;
      const refreshed = book(copyOf(before), []);
      const refunded = remainingCredits(settled.balance) - remainingCredits(refreshed.balance);
      expect(refunded).toBeGreaterThanOrEqual(0);
      expect(refunded).toBeLessThanOrEqual(Math.min(one.credits, refreshed.balance.used));
      expect(totalCredits(settled.balance)).toBe(totalCredits(refreshed.balance));
    });
  });

  test('a refresh resets allocation, grants and use, and applies the chosen plan', () => {
    always(({ before }) => {
      const { balance, now } = before;
      const { balance: fresh, newEntries } = book(copyOf(before), []);
      if (now < balance.periodEndAtMs) {
        expect([fresh, newEntries]).toEqual([balance, []]);
        return;
      }
      expect(newEntries.map(({ kind }) => kind)).toEqual(['refresh']);
      const plan = balance.nextPlan ?? balance.plan;
      expect(fresh).toMatchObject({ plan, nextPlan: null, granted: 0, used: 0 });
      expect(fresh.allocation).toBe(monthlyCreditsOf(plan));
      expect(fresh.anchorAtMs).toBe(balance.anchorAtMs);
      expect([fresh.periodStartAtMs, fresh.periodEndAtMs]).toEqual(
        Object.values(periodAt(balance.anchorAtMs, now)),
      );
    });
  });

  test('the time of a balance never goes back and is never behind its entries', () => {
    always(({ before, settled: { balance, newEntries } }) => {
      expect(balance.periodStartAtMs).toBeGreaterThanOrEqual(before.balance.periodStartAtMs);
      const latestAtMs = Math.max(balance.periodStartAtMs, ...newEntries.map(({ atMs }) => atMs));
      expect(balance.updatedAtMs).toBeGreaterThanOrEqual(latestAtMs);
      if (balance.periodStartAtMs === before.balance.periodStartAtMs) {
        expect(balance.updatedAtMs).toBeGreaterThanOrEqual(before.balance.updatedAtMs);
      }
    });
  });
});

test('with a clock that only moves forwards, every entry lies in the period it changed', () => {
  fc.assert(
    fc.property(lives({ backwards: false }), (steps) => {
      live(steps, ({ settled: { balance, newEntries } }) => {
        for (const { atMs } of newEntries) {
          expect(atMs).toBeGreaterThanOrEqual(balance.periodStartAtMs);
          expect(atMs).toBeLessThan(balance.periodEndAtMs);
        }
      });
    }),
  );
});

describe('single cases', () => {
  test('an entry made just before the refresh and booked after it belongs to the new period', () => {
    const life = newLife();
    const end = life.balance.periodEndAtMs;
    const late = entry('request', -3, end - 1, 'late');
    life.now = end;
    const { newEntries } = book(life, [late]);
    expect(newEntries.map(({ kind, atMs }) => ({ kind, atMs }))).toEqual([
      { kind: 'refresh', atMs: end },
      { kind: 'request', atMs: end },
    ]);
    expect(life.balance.used).toBe(3);
  });

  test.each(['request', 'refund', 'grant'] as const)(
    'a %s made just after the refresh and booked by a clock just before it counts in one period',
    (kind) => {
      const life = newLife();
      const end = life.balance.periodEndAtMs;
      book(life, [entry('request', -5, life.now, 'earlier')]);
      const ahead = entry(kind, kind === 'request' ? -3 : 3, end, 'ahead');
      for (const [now, entries] of [
        [end - 1, [ahead]],
        [end + 1, []],
      ] as const) {
        life.now = now;
        book(life, entries);
        const { balance, ledger } = life;
        expect(usedBy(ledger, balance.periodStartAtMs)).toBe(balance.used);
        expect(grantedBy(ledger, balance.periodStartAtMs)).toBe(totalCredits(balance));
      }
    },
  );

  test('a refund of an earlier period’s charge succeeds and adds nothing', () => {
    const life = newLife();
    book(life, [entry('request', -4, life.now, 'charge')]);
    const back = entry('refund', 4, life.now, 'back');
    life.now = life.balance.periodEndAtMs;
    book(life, [entry('request', -2, life.now, 'new')]);
    const { outcomes, newEntries } = book(life, [back]);
    expect(outcomes).toEqual([{ booked: true, remaining: 8 }]);
    expect(newEntries).toEqual([]);
  });

  test('a charge of exactly what remains fits, one more does not', () => {
    const life = newLife();
    const { outcomes } = book(life, [
      entry('request', -10, life.now, 'all'),
      entry('request', -1, life.now, 'more'),
    ]);
    expect(outcomes).toEqual([
      { booked: true, remaining: 0 },
      { booked: false, required: 1, remaining: 0, refreshAtMs: life.balance.periodEndAtMs },
    ]);
  });

  test('the refresh of a period always has the same id, so that it is booked once', () => {
    const life = newLife();
    const again = newLife();
    life.now = again.now = life.balance.periodEndAtMs + DAY_MS;
    const [one] = book(life, []).newEntries;
    again.now += 5 * DAY_MS;
    expect(book(again, []).newEntries).toEqual([one]);
    expect(one).toMatchObject({
      id: entryId(ACCOUNT, 'period:2026-02-28T10:30:00.000Z'),
      atMs: Date.parse('2026-02-28T10:30:00.000Z'),
      credits: 10,
    });
  });

  test('a refresh cannot be requested', () => {
    const life = newLife();
    expect(() => book(life, [entry('refresh', 1000, life.now, 'more')])).toThrow('impossible');
  });
});
