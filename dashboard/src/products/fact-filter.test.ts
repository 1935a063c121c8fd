import { expect, test } from 'vitest';
import { finderRequest, NO_FILTERS, rangeError, readRanges, writeRanges } from './fact-filter.ts';

test('ranges survive the address, and what is none is dropped', () => {
  const ranges = readRanges('price:10:50,rank::1000,colour:1:2');
  expect(ranges).toEqual([
    { fact: 'price', min: '10', max: '50' },
    { fact: 'rank', min: '', max: '1000' },
  ]);
  expect(readRanges(writeRanges(ranges))).toEqual(ranges);
  expect(readRanges('')).toEqual([]);
  expect(readRanges('constructor:1:2')).toEqual([]);
});

test('a request has the filters with a value, and no others', () => {
  const address = {
    ...NO_FILTERS,
    categories: 'Kitchen, Home > Garden,',
    ranges: 'price:10:,rank::,stock:x:,reviews:5:1',
    sort: 'price',
    order: 'desc',
  };
  expect(finderRequest(address)).toEqual({
    filters: { categories: ['Kitchen', 'Home > Garden'], price: { min: 10 } },
    sort: { by: 'price', order: 'desc' },
  });
  expect(finderRequest({ ...NO_FILTERS, sort: 'colour', order: 'up', cursor: 'abc' })).toEqual({
    filters: {},
    sort: { by: 'rank', order: 'asc' },
    cursor: 'abc',
  });
});

test.each([
  ['1', '2', null],
  ['', '', null],
  ['2', '1', 'From is above to.'],
  ['a', '1', 'Use numbers.'],
])('from %s to %s: %s', (min, max, error) => {
  expect(rangeError({ fact: 'price', min, max })).toBe(error);
});
