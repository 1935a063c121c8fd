// Losses are believed when confirmed, unless it is the source that fails.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addTallies,
  isAlarmed,
  judgeLoss,
  type LookTally,
  losesProduct,
  stretchOf,
} from './crawl-guard.ts';
import type { ObservedLook } from './observed-look.ts';

const OFFER = { sellerName: 'A', priceCents: 100, shippingCents: 0, unitsInStock: 0 };

const listed = (count: number, offersComplete = true): ObservedLook => ({
  ...{ atSeconds: 0, buybox: undefined, rank: undefined },
  offers: Array.from({ length: count }, () => OFFER),
  offersComplete,
});

describe('a look loses its product', () => {
  test.each([
    { why: 'when the product is missing', found: 'missing' as const, had: true, loses: true },
    { why: 'when all offers are gone', found: listed(0), had: true, loses: true },
    { why: 'not when there was none before', found: listed(0), had: false, loses: false },
    { why: 'not when it was lost already', found: 'missing' as const, had: false, loses: false },
    { why: 'not when a list in part is empty', found: listed(0, false), had: true, loses: false },
    { why: 'not when an offer is sold out', found: listed(1), had: true, loses: false },
    {
      why: 'not when offers were not looked at',
      found: { ...listed(0), offers: undefined },
      ...{ had: true, loses: false },
    },
  ])('$why', ({ found, had, loses }) => {
    expect(losesProduct(had, found)).toBe(loses);
  });
});

describe('a loss', () => {
  const loss = { losesProduct: true, atSeconds: 10_000, isAlarmed: false, spread: 0 };

  test.each([
    {
      why: 'is held the first time',
      look: { ...loss, heldSinceSeconds: null },
      verdict: { kind: 'held', heldSinceSeconds: 10_000, repeatAtSeconds: 10_300 },
    },
    {
      why: 'is repeated after at most ten minutes',
      look: { ...loss, heldSinceSeconds: null, spread: 1 },
      verdict: { kind: 'held', heldSinceSeconds: 10_000, repeatAtSeconds: 10_600 },
    },
    {
      why: 'stays held when seen again too soon',
      look: { ...loss, heldSinceSeconds: 9_701 },
      verdict: { kind: 'held', heldSinceSeconds: 9_701, repeatAtSeconds: 10_001 },
    },
    {
      why: 'is confirmed five minutes later',
      look: { ...loss, heldSinceSeconds: 9_700 },
      verdict: { kind: 'confirmed' },
    },
    {
      why: 'is a failed look while the source is in alarm',
      look: { ...loss, heldSinceSeconds: 9_000, isAlarmed: true },
      verdict: { kind: 'failed' },
    },
    {
      why: 'is none when the product is there, alarm or not',
      look: { ...loss, losesProduct: false, heldSinceSeconds: 9_000, isAlarmed: true },
      verdict: { kind: 'sound' },
    },
  ])('$why', ({ look, verdict }) => {
    expect(judgeLoss(look)).toEqual(verdict);
  });
});

describe('a source is in alarm', () => {
  test.each([
    { why: 'not before 50 looks', tallies: [[49, 49]], alarmed: false },
    { why: 'from a third on', tallies: [[51, 17]], alarmed: true },
    { why: 'not under a third', tallies: [[50, 16]], alarmed: false },
    {
      why: 'over several stretches',
      tallies: [
        [97, 0],
        [49, 49],
        [1, 0],
      ],
      alarmed: true,
    },
    {
      why: 'not for what is 500 looks ago',
      tallies: [
        [400, 400],
        [500, 0],
      ],
      alarmed: false,
    },
    {
      why: 'by the last 500 alone',
      tallies: [
        [5_000, 0],
        [250, 0],
        [250, 167],
      ],
      alarmed: true,
    },
    {
      why: 'by a part of a long stretch',
      tallies: [
        [10_000, 6_000],
        [250, 20],
      ],
      alarmed: true,
    },
    {
      why: 'by no more than its part',
      tallies: [
        [10_000, 2_000],
        [250, 20],
      ],
      alarmed: false,
    },
    { why: 'not without a look', tallies: [[0, 0]], alarmed: false },
  ])('$why', ({ tallies, alarmed }) => {
    const ascending = tallies.map(([looks, losses], stretch) => ({
      ...{ stretch, looks: looks as number, losses: losses as number },
    }));
    expect(isAlarmed(ascending)).toBe(alarmed);
  });

  const anyTallies = fc.array(
    fc.nat(30).chain((looks) =>
      fc.record({
        stretch: fc.nat(40),
        looks: fc.constant(looks),
        losses: fc.nat(looks),
      }),
    ),
    { maxLength: 60 },
  );

  test('whoever adds up, in any order and in parts', () => {
    fc.assert(
      fc.property(anyTallies, fc.nat(), (tallies, cut) => {
        const whole = addTallies(tallies);
        const at = cut % (tallies.length + 1);
        const parts = addTallies(
          addTallies(tallies.slice(at).reverse()),
          addTallies(tallies.slice(0, at)),
        );
        expect(parts).toEqual(whole);
      }),
    );
  });

  test('as the last 500 looks say, counted one by one', () => {
    const looks = fc.array(fc.boolean(), { minLength: 50, maxLength: 900, size: 'max' });
    fc.assert(
      fc.property(looks, (lost) => {
        const tallies = addTallies(
          // Ten a stretch, counted from the last one: all of them within the minutes that are judged.
          lost.map((isLoss, index) => ({
            stretch: 1_000 - Math.floor((lost.length - 1 - index) / 10),
            looks: 1,
            losses: isLoss ? 1 : 0,
          })),
        );
        const last = lost.slice(-500);
        expect(isAlarmed(tallies)).toBe(last.filter(Boolean).length * 3 >= last.length);
      }),
    );
  });
});

/** A source of products that two workers look at, 10 products a claim, a claim a second, round after round. */
function twoWorkers(products: number, rounds: readonly ((product: number) => boolean)[]) {
  const known = Array.from({ length: products }, () => true);
  const held = new Map<number, { since: number; repeatAt: number }>();
  let shared: LookTally[] = [];
  let atSeconds = 1_000_000;
  const outcome = { confirmed: 0, failed: 0, held: 0 };

  function look(claim: readonly number[], isThere: (product: number) => boolean): void {
    const isLost = (product: number) =>
      losesProduct(known[product] as boolean, isThere(product) ? listed(1) : 'missing');
    const counted = claim.filter((product) => !held.has(product));
    const losses = counted.filter(isLost).length;
    const own = [{ stretch: stretchOf(atSeconds), looks: counted.length, losses }];
    const alarmed = isAlarmed(addTallies(shared, own));
    for (const product of claim) {
      const verdict = judgeLoss({
        ...{ losesProduct: isLost(product), atSeconds, isAlarmed: alarmed },
        ...{ heldSinceSeconds: held.get(product)?.since ?? null, spread: (product % 100) / 100 },
      });
      held.delete(product);
      if (verdict.kind === 'sound') known[product] = isThere(product);
      else outcome[verdict.kind]++;
      if (verdict.kind === 'confirmed') known[product] = false;
      if (verdict.kind === 'held') {
        held.set(product, { since: verdict.heldSinceSeconds, repeatAt: verdict.repeatAtSeconds });
      }
    }
    pending.push(own);
  }

  const pending: LookTally[][] = [];
  const due = () =>
    [...held].flatMap(([product, { repeatAt }]) => (repeatAt <= atSeconds ? [product] : []));
  for (const isThere of rounds) {
    const waiting = known.map((_, product) => product);
    while (waiting.length > 0 || held.size > 0) {
      // Both claim in the same second: neither sees what the other has counted in it.
      for (let worker = 0; worker < 2; worker++) {
        const repeats = due().slice(0, 10);
        look(repeats.length > 0 ? repeats : waiting.splice(0, 10), isThere);
      }
      shared = addTallies(shared, ...pending.splice(0));
      atSeconds++;
    }
  }
  return { ...outcome, there: known.filter(Boolean).length };
}

describe('10 products a claim, two workers', () => {
  const all = () => true;

  test('an outage of everything takes nothing away', () => {
    const { confirmed, failed, there } = twoWorkers(20_000, [all, () => false, all]);
    expect({ confirmed, there }).toEqual({ confirmed: 0, there: 20_000 });
    expect(failed).toBe(20_000);
  });

  test('one product in five that is really gone counts', () => {
    const outcome = twoWorkers(2_000, [all, (product) => product % 5 !== 0]);
    expect(outcome).toMatchObject({ confirmed: 400, failed: 0, there: 1_600 });
  });

  test('a slip that is over at the repeat changes nothing', () => {
    let slips = 100;
    const slipping = (product: number) => product % 7 !== 0 || slips-- <= 0;
    expect(twoWorkers(700, [all, slipping])).toMatchObject({ confirmed: 0, there: 700 });
  });

  test('what is really gone in an outage counts afterwards', () => {
    const without = (product: number) => product !== 7;
    expect(twoWorkers(20_000, [all, () => false, without, without])).toMatchObject({
      ...{ confirmed: 1, there: 19_999 },
    });
  });
});
