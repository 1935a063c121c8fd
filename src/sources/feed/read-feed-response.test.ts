import { describe, expect, test } from 'vitest';
import { type BatchReading, readBatch, readCodes, readRecord } from './read-feed-response.ts';

const NOW = Date.parse('2026-11-14T12:03:00Z');
const record = (code: string, more: object = {}) => ({
  retailer_product_code: code,
  observed_at: '2026-11-14T12:00:00Z',
  ...more,
});
const body = (json: unknown) => ({ json, bytes: 100 });

/** What became of each code, in a word, and of records that nobody asked for. */
function batch(codes: readonly string[], json: unknown, bytes = 100) {
  const { outcomes, strays } = readBatch({ json, bytes }, codes, NOW) as BatchReading;
  const word = (outcome: { kind: string; reasonClass?: string } | undefined) =>
    outcome?.reasonClass ?? outcome?.kind;
  return { words: codes.map((code) => word(outcomes.get(code))), strays: strays.map(word) };
}

describe('a batch', () => {
  test('is whole when every code is a snapshot or missing', () => {
    const json = { snapshots: [record('2'), record('1')], missing: ['3'] };
    expect(batch(['1', '2', '3'], json)).toEqual({
      words: ['snapshot', 'snapshot', 'not_found'],
      strays: [],
    });
  });

  test('keeps the good records when one is bad', () => {
    const bad = record('2', { buybox: { price: -1 } });
    const json = { snapshots: [record('1'), bad, record('3')], missing: [] };
    expect(batch(['1', '2', '3'], json).words).toEqual(['snapshot', 'record', 'snapshot']);
  });

  test('that is silent about a code is incomplete for that code', () => {
    expect(batch(['1', '2'], { snapshots: [record('1')], missing: [] }).words).toEqual([
      'snapshot',
      'incomplete',
    ]);
    expect(batch(['1', '2'], { snapshots: [record('1')] }).words).toEqual([
      'snapshot',
      'incomplete',
    ]);
  });

  test('that says two things about a code is believed in neither', () => {
    const twice = { snapshots: [record('1'), record('1'), record('2')], missing: ['2'] };
    expect(batch(['1', '2'], twice).words).toEqual(['incomplete', 'incomplete']);
  });

  test('records of codes that were not asked for are refused', () => {
    const json = { snapshots: [record('1'), record('9'), 7, null], missing: ['8', 5] };
    expect(batch(['1'], json)).toEqual({
      words: ['snapshot'],
      strays: ['wrong_code', 'record', 'record'],
    });
  });

  test('a record over a megabyte is refused, the others are not', () => {
    const large = record('2', { more: 'x'.repeat(1_000_001) });
    const json = { snapshots: [record('1'), large], missing: [] };
    expect(batch(['1', '2'], json, 1_000_200).words).toEqual(['snapshot', 'too_large']);
  });

  test.each([null, 7, 'x', [], {}, { snapshots: {} }, { snapshots: [], missing: 'none' }])(
    '%j is none',
    (json) => {
      expect(readBatch(body(json), ['1'], NOW)).toMatchObject({ reasonClass: 'form' });
    },
  );
});

describe('a record', () => {
  test('of the asked code is taken', () => {
    expect(readRecord(body(record('1')), '1', NOW)).toMatchObject({ snapshot: { code: '1' } });
  });

  test('of another code is refused', () => {
    expect(readRecord(body(record('2')), '1', NOW)).toEqual({
      kind: 'bad_answer',
      reasonClass: 'wrong_code',
      reason: 'the record is of 2, which was not asked for',
    });
  });

  test('that breaks a rule is refused with the rule', () => {
    const price = record('1', { buybox: { price: '19.99' } });
    const outcome = readRecord(body(price), '1', NOW);
    expect(outcome).toMatchObject({ kind: 'bad_answer', reasonClass: 'record' });
    expect(outcome).toHaveProperty('reason', expect.stringContaining('buybox.price must be'));
  });
});

describe('codes', () => {
  test('are taken, each once', () => {
    expect(readCodes(body({ codes: [] }))).toEqual({ kind: 'codes', codes: [] });
    expect(readCodes(body({ codes: ['1', '2', '1'] }))).toEqual({
      kind: 'codes',
      codes: ['1', '2'],
    });
  });

  const tooMany = Array.from({ length: 101 }, (_, nth) => String(nth));
  test.each([null, [], {}, { codes: 'x' }, { codes: [7] }, { codes: ['x'] }, { codes: tooMany }])(
    '%j are none',
    (json) => {
      expect(readCodes(body(json))).toMatchObject({ kind: 'bad_answer', reasonClass: 'form' });
    },
  );
});
