// Nesting counts only outside strings.
import { expect, test } from 'vitest';
import { isDeeperThan } from './json-depth.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  [nested(32), false],
  [nested(33), true],
  ['{"a":'.repeat(33), true],
  [`[${'{},'.repeat(500)}{}]`, false],
  [JSON.stringify({ text: '['.repeat(100) }), false],
  [JSON.stringify({ text: `\\"${'['.repeat(100)}` }), false],
  [`"${'['.repeat(100)}`, false],
  [`"\\\\"${nested(40)}`, true],
  ['', false],
])('%j', (text, expected) => {
  expect(isDeeperThan(text, 32)).toBe(expected);
});
