// What a digest says, and that it always fits.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_KINDS, type EventKind } from '../events/kind.ts';
import { BY_IMPORTANCE, type DigestInput, digestBody } from './digest-payload.ts';
import { type PayloadValue, payloadBody } from './payload.ts';

const FROM = Date.parse('2026-11-15T10:00:00Z');
const DIGEST: Omit<DigestInput, 'counts' | 'bodies'> = {
  digestId: '7c1e0f3a-2f8b-8d0e-9a77-5d0c3c1b9e42',
  fromMs: FROM,
  toMs: FROM + 3_600_000,
  afterMs: FROM - 1,
  untilMs: FROM + 1_800_000,
};

const eventBody = (type: EventKind, values: [PayloadValue, PayloadValue], productName = 'Kettle') =>
  payloadBody({
    type,
    atMs: FROM,
    eventId: '01a1e1a0-e907-7054-bc7a-424ddde63354',
    oversightProductId: '01a1e1a0-e907-7054-bc7a-424ddde63354',
    code: '795033156',
    tier: 0,
    productName,
    before: { value: values[0], observedAtMs: FROM },
    after: { value: values[1], observedAtMs: FROM },
    rule: { name: 'price', threshold: null },
    reason: null,
    unitsInStock: null,
    rank: null,
    buybox: null,
    offers: [],
  });

describe('a digest', () => {
  it('lists what matters most first: by kind, then by the size of the change', () => {
    const drop = (cents: number) => eventBody('price.drop', [{ cents: 1_000 }, { cents }]);
    const body = digestBody({
      ...DIGEST,
      counts: new Map([
        ['price.drop', 3],
        ['stock.out', 1],
      ]),
      bodies: [drop(900), drop(500), eventBody('stock.out', [3, 0]), drop(990)],
    });
    const { data } = JSON.parse(body);
    expect(Object.entries(data.counts)).toEqual([
      ['stock.out', 1],
      ['price.drop', 3],
    ]);
    expect(data.event_count).toBe(4);
    expect(data.events.map(({ after }: { after: number }) => after)).toEqual([0, 5, 9, 9.9]);
  });

  it('says which rule of the customer matched', () => {
    const matched = JSON.parse(eventBody('rule.matched', [null, null]));
    matched.data.reason = 'Cheap toys: price 9.99';
    const bodies = [JSON.stringify(matched)];
    const body = digestBody({ ...DIGEST, counts: new Map([['rule.matched', 1]]), bodies });
    expect(JSON.parse(body).data.events).toMatchObject([{ reason: 'Cheap toys: price 9.99' }]);
  });

  it('ranks every kind', () => {
    expect(BY_IMPORTANCE.toSorted()).toEqual([...ALL_KINDS].sort());
  });

  it('has 400 to 2,100 bytes with complete counts, whatever the names of products', () => {
    const kinds = fc.uniqueArray(fc.constantFrom(...ALL_KINDS), { minLength: 1 });
    const name = fc.string({ unit: 'binary', maxLength: 300 });
    const event = fc.tuple(fc.constantFrom(...ALL_KINDS), name);
    const input = fc.record({ kinds, events: fc.array(event, { maxLength: 20 }) });
    fc.assert(
      fc.property(input, ({ kinds: counted, events }) => {
        const counts = new Map(counted.map((kind) => [kind, 9_999_999]));
        const bodies = events.map(([kind, text]) => eventBody(kind, [text, text], text));
        const body = digestBody({ ...DIGEST, counts, bodies });
        const bytes = Buffer.byteLength(body);
        expect(bytes >= 400 && bytes <= 2_100).toBe(true);
        const { data } = JSON.parse(body);
        expect(Object.keys(data.counts).sort()).toEqual(counted.toSorted());
        if (events.length > 0) expect(data.events.length).toBeGreaterThan(0);
      }),
      { numRuns: 20 },
    );
  });
});
