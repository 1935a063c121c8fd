// How errors of the server are explained.
import { expect, test } from 'vitest';
import { ApiProblem, explain, isAccountClosed } from './api-problem.ts';

const tooMany = (message: string) =>
  explain(new ApiProblem(429, { message, retry_after_ms: 600_000 })).detail;

test('the wait is stated once', () => {
  const said = 'Too many tries. Wait 10 minutes and try again.';
  expect(tooMany(said)).toBe(said);
  expect(tooMany('Too many requests.')).toBe('Too many requests. Try again in 10 minutes.');
});

test('a closed account differs from other resources that are not found', () => {
  const closed = new ApiProblem(404, { message: 'This account is closed.' });
  expect(isAccountClosed(closed)).toBe(true);
  expect(explain(closed).detail).toBe('This account is closed.');
  expect(isAccountClosed(new ApiProblem(404, { message: 'No such product.' }))).toBe(false);
});
