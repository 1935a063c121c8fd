// Accounts take turns at the gate; an account over its share waits behind its own work.
import { expect, test } from 'vitest';
import { createFairGate } from './fair-gate.ts';

const LIMITS = {
  atOnceMax: 2,
  atOncePerKeyMax: 1,
  waitingMax: 10,
  waitingPerKeyMax: 3,
  waitMaxMs: 60_000,
};

/** Tasks that end when the test calls `end`, and the order in which they started. */
function startWorks(limits = LIMITS) {
  const gate = createFairGate(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const send = (name: string, options?: { isContinued?: boolean }) =>
    gate.run(
      name[0] as string,
      () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<string>();
        ends.set(name, () => resolve(name));
        return promise;
      },
      options,
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((done) => setImmediate(done));
  };
  return { gate, begun, send, end };
}

test('work waits for the same account’s work, not for another account’s', async () => {
  const { begun, send, end } = startWorks();
  const works = ['a1', 'a2', 'a3', 'b1'].map((name) => send(name));
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  for (const name of ['b1', 'a2', 'a3']) await end(name);
  expect(await Promise.all(works)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('waiting accounts take turns, however much work one of them queues', async () => {
  const { begun, send, end } = startWorks({ ...LIMITS, atOnceMax: 1 });
  const works = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => send(name));
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  await Promise.all(works);
});

test('an account with too many waiting is refused, others are not', async () => {
  const { send, end, begun } = startWorks({ ...LIMITS, atOnceMax: 1 });
  const works = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => send(name));
  await expect(send('a5')).rejects.toMatchObject({ kind: 'rate_limited' });
  // Work that has started is never refused halfway.
  works.push(send('a6', { isContinued: true }));
  for (const name of ['a1', 'b1', 'a2', 'a3', 'a4', 'a6']) await end(name);
  expect(begun).toHaveLength(6);
  await Promise.all(works);
});

test('refuses work as a busy server when all accounts together queue too much', async () => {
  const { send, end } = startWorks({ ...LIMITS, atOnceMax: 1, waitingMax: 2 });
  const works = ['a1', 'b1', 'c1'].map((name) => send(name));
  await expect(send('d1')).rejects.toMatchObject({ kind: 'temporarily_unavailable' });
  for (const name of ['a1', 'b1', 'c1']) await end(name);
  await Promise.all(works);
});

test('a wait that times out names its cause and takes no turn later', async () => {
  const { gate, send, end } = startWorks({ ...LIMITS, atOnceMax: 1, waitMaxMs: 5 });
  const first = send('a1');
  await expect(send('a2')).rejects.toMatchObject({ kind: 'rate_limited' });
  await expect(send('b1')).rejects.toMatchObject({ kind: 'temporarily_unavailable' });
  expect(gate.usage()).toEqual({ running: 1, waiting: 0 });
  await end('a1');
  await first;
  expect(gate.usage()).toEqual({ running: 0, waiting: 0 });
});

test('failed work frees its slot', async () => {
  const { gate, send, end } = startWorks();
  await expect(gate.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const work = send('a1');
  await end('a1');
  expect(await work).toBe('a1');
});
