// How typed tags are read, checked and applied.
import { expect, test } from 'vitest';
import { readTags, retagged, tagProblem, tagsInUse } from './tag.ts';

test('tags are separated by commas or spaces, and repeated ones count once', () => {
  expect(readTags(' toys, slow\ntoys,,x ')).toEqual(['toys', 'slow', 'x']);
  expect(readTags('')).toEqual([]);
});

test.each([
  [['toys', 'eu:de', 'A.1_-'], undefined],
  [['ok', '-x'], '“-x” is not a tag'],
  [['x'.repeat(33)], 'is not a tag'],
  [Array.from({ length: 11 }, (_, n) => `t${n}`), 'At most 10 tags'],
])('%s', (tags, problem) => {
  if (problem === undefined) expect(tagProblem(tags)).toBeUndefined();
  else expect(tagProblem(tags)).toContain(problem);
});

test('adding and removing keeps the other tags in their order', () => {
  expect(retagged(['a', 'b'], { add: ['c', 'a'], remove: ['b'] })).toEqual(['a', 'c']);
});

test('the tags in use are sorted and listed once', () => {
  expect(tagsInUse([{ tags: ['b', 'a'] }, { tags: ['a'] }])).toEqual(['a', 'b']);
});
