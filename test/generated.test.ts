// The committed generated files are current, and the API description is valid.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GENERATED } from '../scripts/generated.ts';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

test.each(Object.entries(GENERATED))(
  '%s has not drifted (npm run fix writes it)',
  async (file, make) => {
    expect(read(file)).toBe(await make());
  },
);

test('the description is OpenAPI 3.1, version 1.0.0, and every endpoint lists its errors', () => {
  const document = JSON.parse(read('openapi.json'));
  expect(document.openapi).toBe('3.1.0');
  expect(document.info.version).toBe('1.0.0');
  for (const methods of Object.values(document.paths) as Record<string, { responses: object }>[]) {
    for (const { responses } of Object.values(methods)) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '429', '500']));
    }
  }
});
