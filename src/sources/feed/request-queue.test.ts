import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRequestQueue, type RequestQueue } from './request-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

/** Takes a turn and notes under which name it began. */
function queue(requests: RequestQueue, began: string[], name: string, isUrgent = true) {
  return requests.take({ signal: never, isUrgent }).then((end) => {
    began.push(name);
    return end as () => void;
  });
}

test('so many at once, the others as turns end', async () => {
  const requests = createRequestQueue({ atOnceMax: 2, perSecond: 1_000, waitingMax: 10 });
  const began: string[] = [];
  const first = await queue(requests, began, 'first');
  await queue(requests, began, 'second');
  const third = queue(requests, began, 'third');
  expect(requests.waiting()).toBe(1);
  first();
  first(); // ended once, however often it is said
  await third;
  expect(began).toEqual(['first', 'second', 'third']);
  const fourth = requests.take({ signal: never, isUrgent: true });
  expect(requests.waiting()).toBe(1);
  void fourth;
});

test('so many each second', async () => {
  const requests = createRequestQueue({ atOnceMax: 1_000, perSecond: 20, waitingMax: 1_000 });
  const began: string[] = [];
  for (let nth = 0; nth < 100; nth++) void queue(requests, began, String(nth));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(began.length).toBeGreaterThanOrEqual(20);
  expect(began.length).toBeLessThanOrEqual(22);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(began.length).toBeGreaterThanOrEqual(40);
  expect(began.length).toBeLessThanOrEqual(42);
});

test('less than one each second is kept as well', async () => {
  const requests = createRequestQueue({ atOnceMax: 10, perSecond: 0.5, waitingMax: 10 });
  const began: string[] = [];
  for (const name of ['a', 'b', 'c']) void queue(requests, began, name);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(began).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(200);
  expect(began).toEqual(['a', 'b']);
});

test('who waits for an answer goes before the background', async () => {
  const requests = createRequestQueue({ atOnceMax: 1, perSecond: 1_000, waitingMax: 10 });
  const began: string[] = [];
  const end = await queue(requests, began, 'now');
  const all = [
    queue(requests, began, 'background', false),
    queue(requests, began, 'customer', true),
    queue(requests, began, 'other customer', true),
  ];
  end();
  for (const turn of [all[1], all[2]]) (await turn)?.();
  await all[0];
  expect(began).toEqual(['now', 'customer', 'other customer', 'background']);
});

test('a full line turns away, and who gives up leaves it', async () => {
  const requests = createRequestQueue({ atOnceMax: 1, perSecond: 1_000, waitingMax: 1 });
  const began: string[] = [];
  await queue(requests, began, 'now');
  const leaving = new AbortController();
  const waiting = requests.take({ signal: leaving.signal, isUrgent: false });
  expect(await requests.take({ signal: never, isUrgent: true })).toBeNull();
  leaving.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(requests.waiting()).toBe(0);
});

test('paused, nobody begins until it is over', async () => {
  const requests = createRequestQueue({ atOnceMax: 10, perSecond: 1_000, waitingMax: 10 });
  const began: string[] = [];
  requests.pause(2_000);
  void queue(requests, began, 'a');
  await vi.advanceTimersByTimeAsync(1_990);
  expect(began).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(began).toEqual(['a']);
});
