// Ids: their form, their order, and that the same words always give the same id.
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { idFrom, isId, newId } from './id.ts';

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** Positions at which an id does not come after the one before it. */
const outOfOrder = (ids: readonly string[]) =>
  ids.flatMap((id, index) => (index > 0 && id <= (ids[index - 1] as string) ? [index] : []));

afterEach(() => {
  vi.useRealTimers();
});

describe('a new id', () => {
  // Before the tests that move the clock: afterwards this process continues from their time.
  test('100,000 are ascending and unique', () => {
    const ids = Array.from({ length: 100_000 }, newId);
    expect(outOfOrder(ids)).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is a UUIDv7 of now', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    // Far ahead, so that it is later than every id this process made before.
    const now = Date.parse('2090-07-01T12:34:56.789Z');
    vi.setSystemTime(now);
    const id = newId();
    expect(id).toMatch(V7);
    expect(timeOf(id)).toBe(now);
    expect(isId(id)).toBe(true);
  });

  test('ascends within one millisecond, beyond the 4,096 that fit into its counter', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.parse('2091-01-01T00:00:00Z'));
    const ids = Array.from({ length: 20_000 }, newId);
    expect(outOfOrder(ids)).toEqual([]);
    expect(ids.every((id) => V7.test(id))).toBe(true);
  });

  test('ascends when the clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const ids = [];
    for (const time of ['2092-01-01T00:00:01Z', '2092-01-01T00:00:00Z', '2091-06-01T00:00:00Z']) {
      vi.setSystemTime(Date.parse(time));
      for (let count = 0; count < 10; count++) ids.push(newId());
    }
    expect(outOfOrder(ids)).toEqual([]);
  });

  test('has an unpredictable tail: 62 bits that differ from id to id', () => {
    const tails = Array.from({ length: 10_000 }, () => newId().slice(19));
    expect(new Set(tails).size).toBe(tails.length);
    for (let at = 1; at < 17; at++) {
      if (at === 4) continue;
      expect(new Set(tails.map((tail) => tail[at])).size).toBe(16);
    }
  });
});

describe('an id derived from words', () => {
  // The first 16 bytes of `printf %s '["…"]' | sha256sum`, with version and variant set.
  test.each([
    [['a'], '0eb5b8d6-f81b-8677-9a8a-08567cc4fa9a'],
    [
      ['ledger', '0190a000-0000-7000-8000-000000000001', 'period:2026-02-28T10:30:00.000Z'],
      'e30b8ce6-0b5b-860d-bfa2-8406547da085',
    ],
  ])('%j is always the same', (words, id) => {
    expect(idFrom(...words)).toBe(id);
  });

  test('is a UUIDv8, and different words give different ids', () => {
    const words = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(words, words, (one, other) => {
        expect(idFrom(...one)).toMatch(V8);
        expect(idFrom(...one) === idFrom(...other)).toBe(
          JSON.stringify(one) === JSON.stringify(other),
        );
      }),
    );
  });

  test('keeps words separate', () => {
    expect(idFrom('ab', 'c')).not.toBe(idFrom('a', 'bc'));
    expect(idFrom('a', 'b')).not.toBe(idFrom('a","b'));
  });
});

describe('isId', () => {
  test.each([
    '',
    'demo@oversight.example',
    '0190A000-0000-7000-8000-00000000000A',
    '0190a000-0000-7000-8000-00000000000',
    '0190a000-0000-7000-8000-0000000000000',
    '0190a000000070008000000000000001',
    ' 0190a000-0000-7000-8000-000000000001',
    '0190a000-0000-7000-8000-000000000001\n',
  ])('%j is not', (text) => {
    expect(isId(text)).toBe(false);
  });
});
