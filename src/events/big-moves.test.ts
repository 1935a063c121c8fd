import { expect, test } from 'vitest';
import { rankMoves } from './big-moves.ts';
import type { NewEvent } from './events.ts';

const event = (code: string, kind: NewEvent['kind'], values: [number, number] | [], atMs = 0) => {
  const [before, after] = values;
  const data = { before: { value: before }, after: { value: after } };
  return {
    eventId: `${code}-${atMs}`,
    accountId: '1',
    atMs,
    kind,
    trackedId: '1',
    code,
    payload: JSON.stringify({ type: kind, data }),
  };
};

test('moves are ranked by size, one per product', () => {
  const moves = rankMoves([
    event('small', 'price.drop', [100, 99]),
    event('crash', 'price.drop', [100, 98], 1),
    event('crash', 'price.drop', [100, 47], 2),
    event('lost', 'buybox.lost', []),
    event('doubled', 'price.increase', [10, 20]),
    event('tripled', 'price.increase', [10, 30]),
  ]);
  expect(moves.map((move) => [move.event.code, move.change])).toEqual([
    ['tripled', 2],
    ['crash', -0.53],
    ['lost', null],
    ['doubled', 1],
    ['small', -0.01],
  ]);
});

test('an event without both prices is no move', () => {
  expect(rankMoves([event('new', 'price.drop', [])])).toEqual([]);
  expect(rankMoves([event('free', 'price.increase', [0, 5])])).toEqual([]);
});
