// Tables of observations and the events they give: stock that is low, out and restored.
import { describe, test } from 'vitest';
import { check, prices, type Row, stocks } from '../../test/support/change-notices.ts';

describe('stock', () => {
  test.each<Row>([
    { why: 'exactly at the threshold', seen: stocks(40, 11, 10), emitted: ['2 stock.low 11 → 10'] },
    {
      why: 'once until re-armed',
      seen: stocks(40, 10, 9, 12, 15, 10, 3),
      emitted: ['1 stock.low 40 → 10'],
    },
    {
      why: 're-armed above 1.5 times',
      seen: stocks(40, 10, 16, 10),
      emitted: ['1 stock.low 40 → 10', '3 stock.low 16 → 10'],
    },
    { why: 'low from the start gives no event', seen: stocks(5, 4, 3), emitted: [] },
    {
      why: 'under 7 days of sales',
      seen: stocks(100, 70, 69, 68),
      perDay: 10,
      emitted: ['2 stock.low 70 → 69 (under 7 days of estimated sales)'],
    },
    {
      why: 're-armed above 1.5 times the days',
      seen: stocks(100, 60, 105, 60, 106, 60),
      perDay: 10,
      emitted: [
        '1 stock.low 100 → 60 (under 7 days of estimated sales)',
        '5 stock.low 106 → 60 (under 7 days of estimated sales)',
      ],
    },
    {
      why: 'a fall to 0 is only out, not low',
      seen: stocks(40, 0),
      emitted: ['1 stock.out 40 → 0'],
    },
    {
      why: 'restored at a low level is not low again',
      seen: stocks(40, 0, 0, 5, 4, 16, 10),
      emitted: ['1 stock.out 40 → 0', '3 stock.restored 0 → 5', '6 stock.low 16 → 10'],
    },
    {
      why: 'unknown stock changes nothing',
      seen: stocks(40, null, 0, null, 40),
      emitted: ['2 stock.out 40 → 0', '4 stock.restored 0 → 40'],
    },
    {
      why: 'one unknown makes the sum unknown',
      seen: [{ shelf: { A: [900, 20], B: [900, 20] } }, { shelf: { A: [900, 0], B: [900, null] } }],
      emitted: [],
    },
    {
      why: 'sold out as pages say it: no box, no units, no complete list',
      seen: [
        { box: [900, 'A'] },
        { box: null, shelf: { A: [900, 0] }, partly: true },
        { box: null, shelf: {}, partly: true },
        { box: [900, 'A'] },
      ],
      emitted: [
        '1 buybox.lost A → null (out of stock)',
        '1 stock.out null → 0',
        '3 buybox.won null → A',
        '3 stock.restored 0 → null',
      ],
    },
    {
      why: 'sold out for everybody, whatever others had before',
      seen: [
        { box: [900, 'A'], shelf: { A: [900, 20], B: [950, 30] } },
        { box: null, shelf: { A: [900, 0] }, partly: true },
      ],
      asListed: true,
      emitted: ['1 buybox.lost A → null (out of stock)', '1 stock.out 50 → 0'],
    },
    {
      why: 'back in stock uncounted, then counted: no second event, and the next count can be low',
      seen: [
        ...stocks(40),
        { box: null, shelf: {}, partly: true },
        { box: [900, 'A'] },
        ...stocks(16, 10),
      ],
      emitted: [
        '1 stock.out 40 → 0',
        '2 buybox.won null → A',
        '2 stock.restored 0 → null',
        '4 stock.low 16 → 10',
      ],
    },
    {
      why: 'no box and unknown units are not sold out',
      seen: [{ box: [900, 'A'] }, { box: null, shelf: { A: [900, null] }, partly: true }],
      emitted: [],
    },
    {
      why: 'sold out from the start is the baseline',
      seen: [{ box: null, shelf: { A: [900, 0] }, partly: true }, { box: null }],
      emitted: [],
    },
    {
      why: 'a partial list has no sum',
      seen: [...stocks(40), { shelf: { A: [900, 0] }, partly: true }],
      emitted: [],
    },
    {
      why: 'with custom rules',
      seen: stocks(40, 30, 0),
      rules: { stockLow: { units: 30, days: 0 } },
      emitted: ['1 stock.low 40 → 30', '2 stock.out 30 → 0'],
    },
    {
      why: 'a carried sum is not compared with a new estimate, an observed one is',
      asListed: true,
      perDay: 10,
      later: { fromHour: 1, perDay: 20 },
      seen: [...stocks(100), ...prices(900), ...stocks(100)],
      emitted: ['2 stock.low 100 → 100 (under 7 days of estimated sales)'],
    },
  ])('$why', check);
});

describe('a changed threshold', () => {
  const line = (units: number) => ({ stockLow: { units, days: 7 } });
  const to = (units: number) => ({ later: { fromHour: 1, rules: line(units) } });
  test.each<Row>([
    {
      why: 'gives no event when the stock stayed',
      ...to(200),
      seen: stocks(100, 100, 90),
      emitted: [],
    },
    {
      why: 'applies from then on',
      ...to(80),
      seen: stocks(100, 100, 80),
      emitted: ['2 stock.low 100 → 80'],
    },
    {
      why: 'gives an event again below a lower one',
      rules: line(200),
      ...to(80),
      seen: stocks(100, 100, 80),
      emitted: ['2 stock.low 100 → 80'],
    },
    {
      why: 'hides no fall below both thresholds',
      ...to(20),
      seen: stocks(100, 9),
      emitted: ['1 stock.low 100 → 9'],
    },
    {
      why: 'is first compared with an observed list',
      ...to(200),
      asListed: true,
      seen: [...stocks(100), ...prices(900), ...stocks(100)],
      emitted: [],
    },
  ])('$why', check);
});
