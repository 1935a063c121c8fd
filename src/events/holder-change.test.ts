// Tables of observations and the events they give: who holds the buybox.
import { describe, test } from 'vitest';
import {
  check,
  holders,
  type Row,
  type Seen,
  type Shelf,
} from '../../test/support/change-notices.ts';

describe('buybox.won and buybox.lost of a watched seller', () => {
  const shelf: Shelf = { A: [900, 25], W: [900, 5] };
  const held: Seen = { box: [900, 'W'], shelf };
  test.each<Row>([
    { why: 'won from another', seen: holders('AW'), emitted: ['1 buybox.won A → W'] },
    { why: 'outbid', seen: holders('WAA'), emitted: ['1 buybox.lost W → A (outbid)'] },
    { why: 'still held gives no event', seen: holders('WWW'), emitted: [] },
    {
      why: "another seller's box appears",
      seen: [{ box: null, shelf: {} }, { box: [900, 'A'] }],
      emitted: ['1 stock.restored 0 → null'],
    },
    {
      why: 'said to be sold out, without a complete list',
      seen: [held, { box: null, shelf: { W: [900, 0] }, partly: true }],
      emitted: ['1 buybox.lost W → null (out of stock)', '1 stock.out 30 → 0'],
    },
    { why: 'an unnamed holder changes nothing', seen: holders('W?W?'), emitted: [] },
    { why: 'the first named holder is the baseline', seen: holders('?W'), emitted: [] },
    {
      why: 'out of stock',
      seen: [held, { box: [900, 'A'], shelf: { A: [900, 25], W: [900, 0] } }],
      emitted: ['1 buybox.lost W → A (out of stock)'],
    },
    {
      why: 'no longer in the complete list',
      seen: [held, { box: [900, 'A'], shelf: { A: [900, 20] } }],
      emitted: ['1 buybox.lost W → A (out of stock)'],
    },
    {
      why: 'not in a partial list',
      seen: [held, { box: [900, 'A'], shelf: { A: [900, 20] }, partly: true }],
      emitted: ['1 buybox.lost W → A (outbid)'],
    },
    {
      why: 'not in a carried list',
      seen: [{ box: [900, 'W'], shelf: { A: [900, 20] } }, { box: [900, 'A'] }],
      asListed: true,
      emitted: ['1 buybox.lost W → A (outbid)'],
    },
    {
      why: 'no box, and a carried list',
      seen: [held, { box: null }, { box: null, shelf: {} }],
      asListed: true,
      emitted: ['2 buybox.lost W → null (delisted)', '2 stock.out 30 → 0'],
    },
    {
      why: 'suppressed, then restored',
      seen: holders('W-W'),
      emitted: [
        '1 buybox.lost W → null (suppressed)',
        '1 price.suppressed 900 → null',
        '2 buybox.won null → W',
        '2 price.restored null → 900',
      ],
    },
    {
      why: 'delisted',
      seen: holders('W.').slice(0, 2),
      emitted: ['1 buybox.lost W → null (delisted)', '1 stock.out 20 → 0'],
    },
    {
      why: 'everybody out of stock',
      seen: [held, { box: null, shelf: { A: [900, 0], W: [900, 0] } }],
      emitted: ['1 buybox.lost W → null (out of stock)', '1 stock.out 30 → 0'],
    },
    {
      why: 'no box with a partial list changes nothing',
      seen: [held, { box: null, shelf, partly: true }, { box: null }],
      emitted: [],
    },
    {
      why: 'named again after nobody and an unnamed holder',
      seen: holders('W-?W').map(({ box }) =>
        box === null ? { box, shelf } : { box: box as never },
      ),
      emitted: [
        '1 buybox.lost W → null (suppressed)',
        '1 price.suppressed 900 → null',
        '2 price.restored null → 900',
        '3 buybox.won null → W',
      ],
    },
  ])('$why', ({ watched = 'W', ...row }) => check({ ...row, watched }));
});

describe('buybox.won and buybox.lost with nobody watched', () => {
  const [gone, back] = [
    { box: null, shelf: {} },
    { box: [900, 'A'], shelf: {} },
  ] as const;
  const soldOut: Seen = { box: null, shelf: { A: [900, 0] } };
  const full: Seen = { box: [900, 'A'], shelf: { A: [900, 90] } };
  test.each<Row>([
    {
      why: 'the box ends with the last offer, and returns',
      seen: [full, soldOut, soldOut, full],
      emitted: [
        '1 buybox.lost A → null (out of stock)',
        '1 stock.out 90 → 0',
        '3 buybox.won null → A',
        '3 stock.restored 0 → 90',
      ],
    },
    {
      why: 'an empty list has no box, observed or not',
      seen: [full, { shelf: {} }],
      emitted: ['1 buybox.lost A → null (delisted)', '1 stock.out 90 → 0'],
    },
    {
      why: 'sold-out offers show nothing about a box that was not observed',
      seen: [full, { shelf: { A: [900, 0] } }],
      emitted: ['1 stock.out 90 → 0'],
    },
    { why: 'a box appears', seen: [gone, back], emitted: ['1 buybox.won null → A'] },
    {
      why: 'suppression is not a loss, even when the offers end after it',
      seen: [full, { ...full, box: null }, soldOut, full],
      emitted: [
        '1 price.suppressed 900 → null',
        '2 stock.out 90 → 0',
        '3 price.restored null → 900',
        '3 stock.restored 0 → 90',
      ],
    },
    {
      why: 'lost, then offers without a box, then the box',
      seen: [full, soldOut, { ...full, box: null }, full],
      emitted: [
        '1 buybox.lost A → null (out of stock)',
        '1 stock.out 90 → 0',
        '2 price.suppressed 900 → null',
        '2 stock.restored 0 → 90',
        '3 buybox.won null → A',
        '3 price.restored null → 900',
      ],
    },
    {
      why: 'no offers any more, and the box was not observed',
      asListed: true,
      seen: [full, { shelf: {} }],
      emitted: ['1 buybox.lost A → null (delisted)', '1 stock.out 90 → 0'],
    },
  ])('$why', check);
});

describe('a newly watched seller', () => {
  test.each<Row>([
    { why: 'that already holds the box', seen: holders('WWW'), emitted: [] },
    { why: 'while another holds', seen: holders('AAA'), emitted: [] },
    { why: 'while nobody holds', seen: holders('W--').slice(1), emitted: [] },
    { why: 'wins from then on', seen: holders('AAW'), emitted: ['2 buybox.won A → W'] },
  ])('$why', (row) => check({ ...row, later: { fromHour: 1, watched: 'W' } }));
});

describe('buybox.rotation', () => {
  const day = (letters: string) => holders(letters);
  const rotation = (hour: number, from: string, to: string) =>
    `${hour} buybox.rotation ${from} → ${to}`;
  const four = [rotation(1, 'A', 'B'), rotation(2, 'B', 'A'), rotation(3, 'A', 'B')];
  test.each<Row>([
    { why: 'from one to another', seen: day('ABBB'), emitted: [rotation(1, 'A', 'B')] },
    {
      why: 'not when nobody held it in between',
      seen: day('A-B').slice(1),
      emitted: ['1 price.restored null → 900'],
    },
    {
      why: 'neither is the watched seller',
      seen: day('AWBC'),
      watched: 'W',
      emitted: ['1 buybox.won A → W', '2 buybox.lost W → B (outbid)', rotation(3, 'B', 'C')],
    },
    { why: 'three in 24 h are single events', seen: day('ABAB'), emitted: four },
    {
      why: 'the fourth gives a summary; none follow within a day',
      seen: day('ABABACAB'),
      emitted: [...four, `${rotation(4, 'A', 'A')} (4 changes of holder in 24 h: A 50 %, B 50 %)`],
    },
    {
      why: 'a day later the rotations since are summarized once',
      seen: day(`ABABACAB${'B'.repeat(60)}`),
      emitted: [
        ...four,
        `${rotation(4, 'A', 'A')} (4 changes of holder in 24 h: A 50 %, B 50 %)`,
        `${rotation(28, 'A', 'B')} (3 changes of holder in 24 h: B 88 %, A 8 %, C 4 %)`,
      ],
    },
    {
      why: 'after a day without rotations they are single events again',
      seen: day(`ABABA${'A'.repeat(30)}B`),
      emitted: [
        ...four,
        `${rotation(4, 'A', 'A')} (4 changes of holder in 24 h: A 50 %, B 50 %)`,
        rotation(35, 'A', 'B'),
      ],
    },
    {
      why: 'few in a day are never summarized',
      seen: day(`${('A'.repeat(12) + 'B'.repeat(12)).repeat(2)}A`),
      emitted: [
        rotation(12, 'A', 'B'),
        rotation(24, 'B', 'A'),
        rotation(36, 'A', 'B'),
        rotation(48, 'B', 'A'),
      ],
    },
    {
      why: 'shares cover the last 24 h, including the holder at their start',
      seen: day(`${'A'.repeat(30)}BABA`),
      emitted: [
        rotation(30, 'A', 'B'),
        rotation(31, 'B', 'A'),
        rotation(32, 'A', 'B'),
        `${rotation(33, 'A', 'A')} (4 changes of holder in 24 h: A 92 %, B 8 %)`,
      ],
    },
    {
      why: 'wins and losses are not rotations',
      seen: day('AWAWAB').slice(1),
      watched: 'W',
      emitted: [
        '1 buybox.lost W → A (outbid)',
        '2 buybox.won A → W',
        '3 buybox.lost W → A (outbid)',
        rotation(4, 'A', 'B'),
      ],
      rules: { rotation: { count: 1 } },
    },
    {
      why: 'a count of 0 summarizes at once',
      seen: day('AABAB'),
      rules: { rotation: { count: 0 } },
      emitted: [`${rotation(2, 'A', 'B')} (1 change of holder in 24 h: A 100 %)`],
    },
  ])('$why', check);
});
