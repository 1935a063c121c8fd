import { expect, test } from 'vitest';
import { requestSearch, takeSearchRequest } from './search-request.ts';

test('a requested search is taken once, and only by its own text', () => {
  requestSearch('kettle');
  expect(takeSearchRequest('lamp')).toBe(false);
  expect(takeSearchRequest('kettle')).toBe(true);
  expect(takeSearchRequest('kettle')).toBe(false);
  expect(takeSearchRequest('')).toBe(false);
});
