import { expect, test } from 'vitest';
import { acceptedValues, qualityIn } from './accepted-value.ts';

test('values keep their order and their quality; q=0 excludes', () => {
  expect(acceptedValues('text/csv;q=0.5, Application/JSON , */*;q=0')).toEqual([
    { name: 'text/csv', quality: 0.5 },
    { name: 'application/json', quality: 1 },
  ]);
  expect(acceptedValues(undefined)).toEqual([]);
});

test.each([
  ['gzip, deflate, br', 'gzip', 1],
  ['gzip, deflate, br', 'zstd', 0],
  ['gzip;q=0, *', 'gzip', 0],
  ['gzip;q=0, *;q=0.3', 'br', 0.3],
  ['GZIP ; q=0.25', 'gzip', 0.25],
  ['gzip;q=2', 'gzip', 0],
  ['gzip;q=nan', 'gzip', 0],
  ['gzipped', 'gzip', 0],
  [undefined, 'gzip', 0],
])('%s gives %s the quality %d', (header, name, quality) => {
  expect(qualityIn(header, name)).toBe(quality);
});
