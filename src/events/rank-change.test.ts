// Tables of observations and the events they give: ranks gained and lost.
import { describe, test } from 'vitest';
import { check, prices, type Row, ranks } from '../../test/support/change-notices.ts';

describe('rank.gained and rank.lost', () => {
  test.each<Row>([
    { why: 'exactly 20 %', seen: ranks(500, 400), emitted: ['1 rank.gained 500 → 400'] },
    { why: 'just under 20 %', seen: ranks(500, 401, 599, 599), emitted: [] },
    { why: 'exactly 5 places', seen: ranks(25, 20), emitted: ['1 rank.gained 25 → 20'] },
    { why: '20 % but 4 places', seen: ranks(20, 16, 24, 24), emitted: [] },
    {
      why: 'a loss needs two observations',
      seen: ranks(500, 600, 610),
      emitted: ['2 rank.lost 500 → 610'],
    },
    { why: 'a loss seen once is ignored', seen: ranks(500, 600, 590, 600, 590), emitted: [] },
    {
      why: 'observations without a rank do not count',
      seen: [...ranks(500, 600), {}, ...ranks(600)],
      emitted: ['3 rank.lost 500 → 600'],
    },
    {
      why: 'a slow creep is caught',
      seen: ranks(500, 470, 440, 410, 399, 390),
      emitted: ['4 rank.gained 500 → 399'],
    },
    {
      why: 'a wobble does not repeat',
      seen: ranks(500, 400, 420, 400, 450, 400),
      emitted: ['1 rank.gained 500 → 400'],
    },
    {
      why: 'entering the top 100',
      seen: ranks(105, 100),
      emitted: ['1 rank.gained 105 → 100 (entered the top 100)'],
    },
    {
      why: 'leaving the top 50, confirmed',
      seen: ranks(50, 51, 51),
      emitted: ['2 rank.lost 50 → 51 (left the top 50)'],
    },
    {
      why: 'of several lines the innermost entered',
      seen: ranks(300, 9),
      emitted: ['1 rank.gained 300 → 9 (entered the top 10)'],
    },
    {
      why: 'of several lines the outermost left',
      seen: ranks(9, 300, 300),
      emitted: ['2 rank.lost 9 → 300 (left the top 100)'],
    },
    {
      why: 'to and fro over a line gives one event',
      seen: ranks(105, 100, 103, 103, 99, 110, 110, 99),
      emitted: ['1 rank.gained 105 → 100 (entered the top 100)'],
    },
    {
      why: 'again after more than 10 % past the line, outside',
      seen: ranks(105, 100, 111, 111, 100),
      emitted: [
        '1 rank.gained 105 → 100 (entered the top 100)',
        '3 rank.lost 100 → 111 (left the top 100)',
        '4 rank.gained 111 → 100 (entered the top 100)',
      ],
    },
    {
      why: 'again after more than 10 % past the line, inside',
      seen: ranks(105, 100, 89, 101, 101),
      emitted: [
        '1 rank.gained 105 → 100 (entered the top 100)',
        '4 rank.lost 100 → 101 (left the top 100)',
      ],
    },
    {
      why: 'to and fro between 10 and 11',
      seen: ranks(11, 10, 11, 11, 10, 11, 11, 10),
      emitted: ['1 rank.gained 11 → 10 (entered the top 10)'],
    },
    {
      why: 'another category sets a new baseline',
      seen: [...ranks(500), { rank: 20, category: 'Pots' }, { rank: 15, category: 'Pots' }],
      emitted: ['2 rank.gained 20 → 15'],
    },
    {
      why: 'a carried rank confirms no loss',
      asListed: true,
      seen: [...ranks(120, 300), ...prices(900, 900)],
      emitted: [],
    },
    {
      why: 'a carried rank does not cancel a pending loss',
      asListed: true,
      seen: [...ranks(120, 300), ...prices(900), ...ranks(310)],
      emitted: ['3 rank.lost 120 → 310'],
    },
    {
      why: 'with custom rules',
      seen: ranks(500, 490),
      rules: { rank: { basisPoints: 100, places: 10 } },
      emitted: ['1 rank.gained 500 → 490'],
    },
  ])('$why', check);
});
