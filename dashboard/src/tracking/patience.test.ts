// Many acts at the server's pace: how many at once, when it waits, how it stops.
import { expect, test } from 'vitest';
import { ApiProblem } from '../app/api-problem.ts';
import { patiently, runEach } from './patience.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

test('never more than so many at once, and all are done in their order', async () => {
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

test('a stop begins nothing more and waits for what is under way', async () => {
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

test('what came too fast is sent again after the wait that was asked for', async () => {
  let tries = 0;
  const response = await patiently(async () => {
    tries += 1;
    if (tries < 3) throw new ApiProblem(429, { message: 'Too fast.', retry_after_ms: 1 });
    return 'done';
  });
  expect(response).toBe('done');
  expect(tries).toBe(3);
});

test('any other refusal is handed on at once', async () => {
  let tries = 0;
  const refused = patiently(async () => {
    tries += 1;
    throw new ApiProblem(404, { message: 'There is no such product.' });
  });
  await expect(refused).rejects.toThrow('There is no such product.');
  expect(tries).toBe(1);
});
