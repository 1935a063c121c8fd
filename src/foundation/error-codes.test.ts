// The tables of error codes: no code twice, each used somewhere, each explained.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODE_SECTIONS, ERROR_CODES } from './error-codes.ts';

const root = new URL('..', import.meta.url).pathname;
const sources = globSync('**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('error-codes.ts'))
  .map((file) => readFileSync(root + file, 'utf8'))
  .join('\n');

const codes = ERROR_CODE_SECTIONS.flatMap((section) => Object.keys(section.codes));

test('no code appears in two tables', () => {
  expect(new Set(codes).size).toBe(codes.length);
  expect(Object.keys(ERROR_CODES).sort()).toEqual([...codes].sort());
});

test.each(Object.entries(ERROR_CODES))('%s is used and explained', (code, entry) => {
  expect(code).toMatch(/^[a-z]+(?:_[a-z0-9]+)*$/);
  expect(sources).toContain(`'${code}'`);
  expect(entry.title).not.toMatch(/\.$/);
  expect(entry.cause).toMatch(/^[A-Z`].*\.$/);
  expect(entry.remedy).toMatch(/^[A-Z`].*\.$/);
});
