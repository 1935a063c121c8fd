import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, greater, type Look, mergeLooks, sortLooks } from './look.ts';

const look = (atSeconds: number, priceCents: number | null): Look => ({
  atSeconds,
  buybox: priceCents === null ? null : { priceCents, sellerName: 'Acme' },
  rank: undefined,
  offers: undefined,
  offersComplete: false,
});

const anyLook = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.option(fc.integer({ min: 1, max: 3 })))
  .map(([at, cents]) => look(at, cents));

describe('looks of one second', () => {
  it('keep the one whose canonical JSON is greater', () => {
    expect(greater(look(1, 1000), look(1, 1200))).toEqual(look(1, 1200));
    // As texts: 9.99 is greater than 10.
    expect(greater(look(1, 1000), look(1, 999))).toEqual(look(1, 999));
    expect(canonicalJson(look(1, 1999))).toBe(
      '{"buybox":{"price":19.99,"seller_name":"Acme"},"offers_complete":false}',
    );
  });
});

describe('merging looks', () => {
  it('gives the same whatever the order and however they are divided', () => {
    fc.assert(
      fc.property(
        fc.array(anyLook),
        fc.nat(20),
        fc.infiniteStream(fc.nat()),
        (looks, cut, keys) => {
          const shuffled = looks
            .map((one) => ({ one, key: keys.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ one }) => one);
          const whole = sortLooks(looks).looks;
          const first = sortLooks(shuffled.slice(0, cut)).looks;
          const second = sortLooks(shuffled.slice(cut)).looks;
          expect(mergeLooks(first, second).looks).toEqual(whole);
          expect(mergeLooks(second, first).looks).toEqual(whole);
        },
      ),
    );
  });

  it('counts what changed: the same again is nothing', () => {
    const kept = [look(1, 5), look(2, 6)];
    expect(mergeLooks(kept, [look(1, 5), look(2, 6)]).changed).toBe(0);
    expect(mergeLooks(kept, [look(2, 7), look(3, 6)]).changed).toBe(2);
    expect(mergeLooks(kept, [look(2, 5)]).changed).toBe(0); // the smaller of one second
  });
});
