// Formatting of response bodies.
import { expect, it } from 'vitest';
import { prettyBody } from './delivery-log.ts';

it.each([
  ['{"ok":true}', '{\n  "ok": true\n}'],
  ['{"cut":"of', '{"cut":"of'],
  ['Received.\n', 'Received.'],
  ['12345678901234567890', '12345678901234567890'],
])('%j', (body, shown) => {
  expect(prettyBody(body)).toBe(shown);
});
