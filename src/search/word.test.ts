import { expect, test } from 'vitest';
import { categoryKeys, errorsMax, isCorrectable, textKey, typingErrors, wordsOf } from './word.ts';

test.each([
  ['Café CRÈME 1.7 l', ['cafe', 'creme', '1', '7', 'l']],
  ['Kettle, kettle & KETTLE', ['kettle']],
  [`a' | b:* & !(c) \\ -- %`, ['a', 'b', 'c']],
  ['.*[a-z]+$', ['a', 'z']],
  ['水壶 чайник', ['水壶', 'чаиник']],
  ['!!! …', []],
])('%s has the words %j', (text, words) => {
  expect(wordsOf(text, 10)).toEqual(words);
});

test('a text has no more words than requested, and no word is longer than 40 characters', () => {
  expect(wordsOf('a b c d', 2)).toEqual(['a', 'b']);
  expect(wordsOf('x'.repeat(500), 2)).toEqual(['x'.repeat(40)]);
});

test.each([
  ['kettle', 'kettle', 0],
  ['ketle', 'kettle', 1],
  ['kettel', 'kettle', 1],
  ['hedphnes', 'headphones', 2],
  ['kettle', 'cat', 3],
])('from %s to %s there are %i typing errors', (a, b, errors) => {
  expect(typingErrors(a, b, 2)).toBe(errors);
});

test('short words and numbers are not corrected, long words tolerate two errors', () => {
  expect(['tv', 'pan', 'model7', 'skilet'].map(isCorrectable)).toEqual([false, false, false, true]);
  expect([errorsMax('ketle'), errorsMax('skilet')]).toEqual([1, 2]);
});

test('a key ignores case, accents and spaces around and between words', () => {
  expect(textKey(' Café  Noir ')).toBe(textKey('cafe noir'));
  expect(textKey('Kitchen')).not.toBe(textKey('Kitchens'));
});

test('a category is found by its name and by the path to it', () => {
  const keys = categoryKeys(['Home', 'Kitchen', 'Kettles']);
  for (const text of ['home', 'Kitchen', 'Kettles', 'Home > Kitchen', 'home > kitchen > kettles']) {
    expect(keys).toContain(textKey(text));
  }
  expect(keys).toHaveLength(5);
});
