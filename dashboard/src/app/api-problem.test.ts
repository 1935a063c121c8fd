// How errors of the server are explained.
import { expect, test } from 'vitest';
import { ApiProblem, explain, isAccountClosed } from './api-problem.ts';

const tooMany = (code: string, waitMs: number) =>
  explain(new ApiProblem(429, { code, message: 'The message.', retry_after_ms: waitMs })).detail;

test.each([
  [200, 'Try again in 1 second.'],
  [30_000, 'Try again in 30 seconds.'],
  [600_000, 'Try again in 10 minutes.'],
])('a rate limit of %d ms says when to try again', (waitMs, text) => {
  expect(tooMany('rate_limited', waitMs)).toBe(text);
});

test('other limits keep the message of the server, which names the limit', () => {
  expect(tooMany('attempt_limit_reached', 600_000)).toBe('The message.');
});

test('a closed account differs from other resources that are not found', () => {
  const closed = new ApiProblem(404, { code: 'account_closed', message: 'The message.' });
  expect(isAccountClosed(closed)).toBe(true);
  expect(explain(closed)).toMatchObject({ title: 'Account closed', detail: 'The message.' });
  expect(isAccountClosed(new ApiProblem(404, { code: 'product_not_found' }))).toBe(false);
});

test('code and field come from the body, and are unknown without one', () => {
  const problem = new ApiProblem(400, { code: 'parameter_invalid', field: 'tier' });
  expect([problem.code, problem.field]).toEqual(['parameter_invalid', 'tier']);
  const page = new ApiProblem(502, {});
  expect([page.code, page.field, page.message]).toEqual([
    'unknown',
    null,
    'The server returned status 502.',
  ]);
});
