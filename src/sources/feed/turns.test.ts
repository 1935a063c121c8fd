import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurns, type Turns } from './turns.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

/** Takes a turn and notes under which name it began. */
function queue(turns: Turns, began: string[], name: string, isUrgent = true) {
  return turns.take({ signal: never, isUrgent }).then((end) => {
    began.push(name);
    return end as () => void;
  });
}

test('so many at once, the others as turns end', async () => {
  const turns = createTurns({ atOnceMax: 2, perSecond: 1_000, waitingMax: 10 });
  const began: string[] = [];
  const first = await queue(turns, began, 'first');
  await queue(turns, began, 'second');
  const third = queue(turns, began, 'third');
  expect(turns.waiting()).toBe(1);
  first();
  first(); // ended once, however often it is said
  await third;
  expect(began).toEqual(['first', 'second', 'third']);
  const fourth = turns.take({ signal: never, isUrgent: true });
  expect(turns.waiting()).toBe(1);
  void fourth;
});

test('so many each second', async () => {
  const turns = createTurns({ atOnceMax: 1_000, perSecond: 20, waitingMax: 1_000 });
  const began: string[] = [];
  for (let nth = 0; nth < 100; nth++) void queue(turns, began, String(nth));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(began.length).toBeGreaterThanOrEqual(20);
  expect(began.length).toBeLessThanOrEqual(22);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(began.length).toBeGreaterThanOrEqual(40);
  expect(began.length).toBeLessThanOrEqual(42);
});

test('less than one each second is kept as well', async () => {
  const turns = createTurns({ atOnceMax: 10, perSecond: 0.5, waitingMax: 10 });
  const began: string[] = [];
  for (const name of ['a', 'b', 'c']) void queue(turns, began, name);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(began).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(200);
  expect(began).toEqual(['a', 'b']);
});

test('who waits for an answer goes before the background', async () => {
  const turns = createTurns({ atOnceMax: 1, perSecond: 1_000, waitingMax: 10 });
  const began: string[] = [];
  const end = await queue(turns, began, 'now');
  const all = [
    queue(turns, began, 'background', false),
    queue(turns, began, 'customer', true),
    queue(turns, began, 'other customer', true),
  ];
  end();
  for (const turn of [all[1], all[2]]) (await turn)?.();
  await all[0];
  expect(began).toEqual(['now', 'customer', 'other customer', 'background']);
});

test('a full line turns away, and who gives up leaves it', async () => {
  const turns = createTurns({ atOnceMax: 1, perSecond: 1_000, waitingMax: 1 });
  const began: string[] = [];
  await queue(turns, began, 'now');
  const leaving = new AbortController();
  const waiting = turns.take({ signal: leaving.signal, isUrgent: false });
  expect(await turns.take({ signal: never, isUrgent: true })).toBeNull();
  leaving.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(turns.waiting()).toBe(0);
});

test('paused, nobody begins until it is over', async () => {
  const turns = createTurns({ atOnceMax: 10, perSecond: 1_000, waitingMax: 10 });
  const began: string[] = [];
  turns.pause(2_000);
  void queue(turns, began, 'a');
  await vi.advanceTimersByTimeAsync(1_990);
  expect(began).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(began).toEqual(['a']);
});
