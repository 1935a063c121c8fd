// Many actions under a rate limit: how many in parallel, when to wait, how to stop.
import { expect, test } from 'vitest';
import { ApiProblem } from '../app/api-problem.ts';
import { runEach, withRetries } from './patience.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

test('runs at most so many in parallel, and all in order', async () => {
  const { signal } = new AbortController();
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const act = async (item: number) => {
    begun.push(item);
    running += 1;
    most = Math.max(most, running);
    await tick();
    running -= 1;
  };
  await runEach([1, 2, 3, 4, 5, 6, 7, 8, 9], act, { atOnce: 4, signal });
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBe(4);
});

test('a stop starts nothing more and waits for running actions', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const ended: number[] = [];
  const act = async (item: number) => {
    begun.push(item);
    if (item === 2) stop.abort();
    await tick();
    ended.push(item);
  };
  await runEach([1, 2, 3, 4], act, { atOnce: 2, signal: stop.signal });
  expect(begun).toEqual([1, 2]);
  expect(ended).toEqual([1, 2]);
});

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
