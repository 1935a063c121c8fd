// Finds text with NUL or a lone surrogate at any depth.
import { expect, test } from 'vitest';
import { isStorable, unstorablePath } from './storable-text.ts';

test.each([
  ['', true],
  ['Käse 🧀', true],
  ['a\0b', false],
  ['\ud83e', false],
  ['\uddc0x', false],
])('%j', (text, expected) => {
  expect(isStorable(text)).toBe(expected);
});

test.each([
  [{ name: 'x', list: [1, null, true, { a: 'b' }] }, null],
  [undefined, null],
  ['\0', ''],
  [{ token: '\0' }, 'token'],
  [{ rules: { stock: [{ name: 'ok' }, { name: '\ud800' }] } }, 'rules.stock.1.name'],
  [{ outer: { 'a\0': 1 } }, 'outer'],
])('the path in %j', (value, expected) => {
  expect(unstorablePath(value)).toBe(expected);
});
