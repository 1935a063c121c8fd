// Tables of observations and the events they give: the buybox price, and whether there is a box.
import { describe, test } from 'vitest';
import { check, prices, type Row, type Seen } from '../../test/support/change-notices.ts';

describe('price.drop and price.increase', () => {
  test.each<Row>([
    { why: 'exactly 1 %', seen: prices(2000, 1980), emitted: ['1 price.drop 2000 → 1980'] },
    { why: 'a cent less than 1 %', seen: prices(2000, 1981), emitted: [] },
    {
      why: 'up by exactly 1 %',
      seen: prices(2000, 2020),
      emitted: ['1 price.increase 2000 → 2020'],
    },
    { why: 'exactly $0.05', seen: prices(300, 305), emitted: ['1 price.increase 300 → 305'] },
    { why: 'over 1 % but under $0.05', seen: prices(300, 304), emitted: [] },
    { why: 'a wobble does not repeat', seen: prices(2000, 1990, 2000, 1990, 2010), emitted: [] },
    {
      why: 'after a drop, a wobble around the new price',
      seen: prices(2000, 1900, 1910, 1900, 1890),
      emitted: ['1 price.drop 2000 → 1900'],
    },
    {
      why: 'a slow creep is caught',
      seen: prices(2000, 1995, 1990, 1985, 1980, 1975),
      emitted: ['4 price.drop 2000 → 1980'],
    },
    {
      why: 'down and up again are two events',
      seen: prices(2000, 1900, 2000),
      emitted: ['1 price.drop 2000 → 1900', '2 price.increase 1900 → 2000'],
    },
    {
      why: 'with custom rules',
      seen: prices(2000, 1949, 1799),
      rules: { price: { basisPoints: 1_000, cents: 0 } },
      emitted: ['2 price.drop 2000 → 1799'],
    },
    {
      why: 'thresholds of 0 report any change, but not an equal price',
      seen: prices(2000, 2000, 1999),
      rules: { price: { basisPoints: 0, cents: 0 } },
      emitted: ['2 price.drop 2000 → 1999'],
    },
    {
      why: 'an observation without the box changes nothing',
      seen: [...prices(2000), {}, ...prices(1900)],
      emitted: ['2 price.drop 2000 → 1900'],
    },
  ])('$why', check);
});

describe('price.suppressed and price.restored', () => {
  const [held, none]: Seen[] = [
    { box: [900, 'A'], shelf: { A: [900, 50] } },
    { box: null, shelf: { A: [900, 50] } },
  ];
  test.each<Row>([
    {
      why: 'once each, however long the suppression lasts',
      seen: [held, none, none, none, held, held] as Seen[],
      emitted: ['1 price.suppressed 900 → null', '4 price.restored null → 900'],
    },
    {
      why: 'unknown stock counts as stock',
      seen: [held as Seen, { box: null, shelf: { A: [900, null] } }],
      emitted: ['1 price.suppressed 900 → null'],
    },
    {
      why: 'restored at another price',
      seen: [held, none, { ...held, box: [800, 'A'] }] as Seen[],
      emitted: [
        '1 price.suppressed 900 → null',
        '2 price.drop 900 → 800',
        '2 price.restored null → 800',
      ],
    },
    {
      why: 'suppressed from the start',
      seen: [none, held] as Seen[],
      emitted: ['1 price.restored null → 900'],
    },
    {
      why: 'a partial list shows no suppression',
      seen: [held as Seen, { ...none, partly: true }],
      emitted: [],
    },
    {
      why: 'a carried list shows no suppression: its offers may be sold',
      asListed: true,
      seen: [held as Seen, { box: null }, none as Seen],
      emitted: ['2 price.suppressed 900 → null'],
    },
    {
      why: 'a missing box may be back: offers alone do not show its absence',
      asListed: true,
      seen: [{ box: null, shelf: { A: [900, 0] } }, { shelf: { A: [900, 50] } }, held as Seen],
      emitted: ['1 stock.restored 0 → 50', '2 buybox.won null → A'],
    },
  ])('$why', check);
});
