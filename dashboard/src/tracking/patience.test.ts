// Actions under a rate limit: when they are retried.
import { expect, test } from 'vitest';
import { ApiProblem } from '../app/api-problem.ts';
import { withRetries } from './patience.ts';

test('a rate-limited action is retried after the stated delay', async () => {
  let tries = 0;
  const response = await withRetries(async () => {
    tries += 1;
    if (tries < 3) throw new ApiProblem(429, { message: 'Too fast.', retry_after_ms: 1 });
    return 'done';
  });
  expect(response).toBe('done');
  expect(tries).toBe(3);
});

test('any other error is passed on at once', async () => {
  let tries = 0;
  const refused = withRetries(async () => {
    tries += 1;
    throw new ApiProblem(404, { message: 'No such product.' });
  });
  await expect(refused).rejects.toThrow('No such product.');
  expect(tries).toBe(1);
});
