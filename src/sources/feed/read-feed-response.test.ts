// Reading the responses of a feed: batches, records and codes.
import { describe, expect, test } from 'vitest';
import { type BatchReading, readBatch, readCodes, readRecord } from './read-feed-response.ts';

const NOW = Date.parse('2026-11-14T12:03:00Z');
const record = (code: string, more: object = {}) => ({
  retailer_product_code: code,
  observed_at: '2026-11-14T12:00:00Z',
  ...more,
});
const body = (json: unknown) => ({ json, bytes: 100 });

/** The outcome of each code as one word, and those of records that were not requested. */
function batch(codes: readonly string[], json: unknown, bytes = 100) {
  const { outcomes, unrequested } = readBatch({ json, bytes }, codes, NOW) as BatchReading;
  const word = (outcome: { kind: string; reasonClass?: string } | undefined) =>
    outcome?.reasonClass ?? outcome?.kind;
  return {
    words: codes.map((code) => word(outcomes.get(code))),
    unrequested: unrequested.map(word),
  };
}

describe('a batch', () => {
  test('is whole when every code is a snapshot or missing', () => {
    const json = { snapshots: [record('2'), record('1')], missing: ['3'] };
    expect(batch(['1', '2', '3'], json)).toEqual({
      words: ['snapshot', 'snapshot', 'not_found'],
      unrequested: [],
    });
  });

  test('keeps the good records when one is bad', () => {
    const bad = record('2', { buybox: { price: -1 } });
    const json = { snapshots: [record('1'), bad, record('3')], missing: [] };
    expect(batch(['1', '2', '3'], json).words).toEqual(['snapshot', 'record', 'snapshot']);
  });

  test('without one of the codes is incomplete for that code', () => {
    expect(batch(['1', '2'], { snapshots: [record('1')], missing: [] }).words).toEqual([
      'snapshot',
      'incomplete',
    ]);
    expect(batch(['1', '2'], { snapshots: [record('1')] }).words).toEqual([
      'snapshot',
      'incomplete',
    ]);
  });

  test('with a code twice is refused for that code', () => {
    const twice = { snapshots: [record('1'), record('1'), record('2')], missing: ['2'] };
    expect(batch(['1', '2'], twice).words).toEqual(['incomplete', 'incomplete']);
  });

  test('with codes that were not requested has these refused', () => {
    const json = { snapshots: [record('1'), record('9'), 7, null], missing: ['8', 5] };
    expect(batch(['1'], json)).toEqual({
      words: ['snapshot'],
      unrequested: ['wrong_code', 'record', 'record'],
    });
  });

  test('with a record over a megabyte has only that one refused', () => {
    const large = record('2', { more: 'x'.repeat(1_000_001) });
    const json = { snapshots: [record('1'), large], missing: [] };
    expect(batch(['1', '2'], json, 1_000_200).words).toEqual(['snapshot', 'too_large']);
  });

  test.each([null, 7, 'x', [], {}, { snapshots: {} }, { snapshots: [], missing: 'none' }])(
    '%j is refused',
    (json) => {
      expect(readBatch(body(json), ['1'], NOW)).toMatchObject({ reasonClass: 'form' });
    },
  );
});

describe('a record', () => {
  test('of the requested code is accepted', () => {
    expect(readRecord(body(record('1')), '1', NOW)).toMatchObject({ snapshot: { code: '1' } });
  });

  test('of another code is refused', () => {
    expect(readRecord(body(record('2')), '1', NOW)).toEqual({
      kind: 'bad_response',
      reasonClass: 'wrong_code',
      reason: 'the record is for 2, which was not requested',
    });
  });

  test('that breaks a rule is refused with the rule', () => {
    const price = record('1', { buybox: { price: '19.99' } });
    const outcome = readRecord(body(price), '1', NOW);
    expect(outcome).toMatchObject({ kind: 'bad_response', reasonClass: 'record' });
    expect(outcome).toHaveProperty('reason', expect.stringContaining('buybox.price must be'));
  });
});

describe('codes', () => {
  test('are accepted, each once', () => {
    expect(readCodes(body({ codes: [] }))).toEqual({ kind: 'codes', codes: [] });
    expect(readCodes(body({ codes: ['1', '2', '1'] }))).toEqual({
      kind: 'codes',
      codes: ['1', '2'],
    });
  });

  const tooMany = Array.from({ length: 101 }, (_, nth) => String(nth));
  test.each([null, [], {}, { codes: 'x' }, { codes: [7] }, { codes: ['x'] }, { codes: tooMany }])(
    '%j are refused',
    (json) => {
      expect(readCodes(body(json))).toMatchObject({ kind: 'bad_response', reasonClass: 'form' });
    },
  );
});
