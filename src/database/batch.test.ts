// Batching: concurrent items go out together, within limits, and each caller gets its own result.
import { EventEmitter, once } from 'node:events';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { boundedInTime } from '../../test/support/bounded-properties.ts';
import { Problem } from '../foundation/problem.ts';
import { type BatchSettings, createBatch, Failed } from './batch.ts';
import { databaseAway } from './failure.ts';

/** A batch whose runs end when the test ends them. */
function heldBatch(changes: Partial<BatchSettings<number, string>> = {}) {
  type Run = { items: readonly number[]; end(): void; fail(error: Error): void };
  const runs: Run[] = [];
  const starts = new EventEmitter();
  const batch = createBatch<number, string>({
    name: 'numbers',
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: () => resolve(items.map((item) => `<${item}>`)), fail: reject });
        starts.emit('start');
      }),
    itemsMax: 100,
    waitingMax: 1_000,
    waitMaxMs: 1_000,
    inFlightMax: 1,
    ...changes,
  });
  /** The nth run, as soon as it has started. */
  const run = async (index: number): Promise<Run> => {
    while (runs[index] === undefined) await once(starts, 'start');
    return runs[index];
  };
  return { batch, runs, run };
}

/** Lets all pending callbacks run. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The result of each promise, or its error. */
const outcomes = (promises: readonly Promise<string>[]) =>
  Promise.allSettled(promises).then((settled) =>
    settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason)),
  );

const overloaded = expect.objectContaining({ kind: 'temporarily_unavailable' });

afterEach(() => {
  vi.useRealTimers();
});

describe('batching', () => {
  test('items added in one turn run together, with results in order', async () => {
    const { batch, runs, run } = heldBatch();
    const results = Promise.all([3, 1, 2].map((item) => batch.add(item)));
    expect(runs).toHaveLength(0);
    expect(batch.waiting()).toBe(3);
    const first = await run(0);
    expect(batch.waiting()).toBe(0);
    first.end();
    expect(await results).toEqual(['<3>', '<1>', '<2>']);
    expect(runs.map(({ items }) => items)).toEqual([[3, 1, 2]]);
  });

  test('items that arrive during the allowed runs go into the next run', async () => {
    const { batch, runs, run } = heldBatch();
    const first = batch.add(1);
    await run(0);
    const others = [2, 3].map((item) => batch.add(item));
    await turn();
    others.push(batch.add(4));
    await turn();
    expect(runs).toHaveLength(1);
    (await run(0)).end();
    expect(await first).toBe('<1>');
    const second = await run(1);
    expect(second.items).toEqual([2, 3, 4]);
    second.end();
    expect(await Promise.all(others)).toEqual(['<2>', '<3>', '<4>']);
  });

  test('with any limits, every item runs once, in order, and its caller gets its result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(), { maxLength: 20 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 3 }),
        async (turns, itemsMax, inFlightMax) => {
          let underWay = 0;
          const seen: number[] = [];
          const batch = createBatch<number, string>({
            name: 'numbers',
            itemsMax,
            inFlightMax,
            waitingMax: 1_000,
            waitMaxMs: 60_000,
            async run(items) {
              underWay += 1;
              expect(underWay).toBeLessThanOrEqual(inFlightMax);
              expect(items.length).toBeLessThanOrEqual(itemsMax);
              expect(items.length).toBeGreaterThan(0);
              seen.push(...items);
              for (let count = (items[0] as number) % 3; count > 0; count--) await turn();
              underWay -= 1;
              return items.map((item) => `<${item}>`);
            },
          });
          const added: Promise<string>[] = [];
          for (const items of turns) {
            added.push(...items.map((item) => batch.add(item)));
            await turn();
          }
          expect(await Promise.all(added)).toEqual(turns.flat().map((item) => `<${item}>`));
          expect(seen).toEqual(turns.flat());
        },
      ),
    );
  });
});

describe('failures', () => {
  test('a failed item does not fail the others', async () => {
    const bad = new Error('bad item');
    const { batch } = heldBatch({
      run: async (items) => items.map((item) => (item === 2 ? new Failed(bad) : `<${item}>`)),
    });
    expect(await outcomes([1, 2, 3].map((item) => batch.add(item)))).toEqual(['<1>', bad, '<3>']);
  });

  test('a run that throws fails its own items, and the next run is tried', async () => {
    const { batch, run } = heldBatch({ itemsMax: 2 });
    const results = outcomes([1, 2, 3].map((item) => batch.add(item)));
    const error = databaseAway(new Error('connection lost'));
    (await run(0)).fail(error);
    (await run(1)).end();
    expect(await results).toEqual([error, error, '<3>']);
  });

  test('a run that fails for one item is repeated in halves: only that item fails', async () => {
    const bad = new Error('bad item');
    const sizes: number[] = [];
    const { batch } = heldBatch({
      run: async (items) => {
        sizes.push(items.length);
        if (items.includes(5)) throw bad;
        return items.map((item) => `<${item}>`);
      },
    });
    const items = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(await outcomes(items.map((item) => batch.add(item)))).toEqual(
      items.map((item) => (item === 5 ? bad : `<${item}>`)),
    );
    expect(sizes).toEqual([8, 4, 4, 2, 1, 1, 2]);
  });

  test('with any bad items, each caller gets its own outcome within two runs per item', async () => {
    const property = fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (isBad) => {
      let runs = 0;
      const { batch } = heldBatch({
        run: async (items) => {
          runs += 1;
          const bad = items.find((item) => isBad[item]);
          if (bad !== undefined) throw new RangeError(`bad ${bad}`);
          return items.map((item) => `<${item}>`);
        },
      });
      const settled = await outcomes(isBad.map((_, item) => batch.add(item)));
      expect(settled.map(String)).toEqual(
        isBad.map((bad, item) => (bad ? `RangeError: bad ${item}` : `<${item}>`)),
      );
      expect(runs).toBeLessThanOrEqual(2 * isBad.length);
    });
    await fc.assert(property, { plugins: [boundedInTime(2_000)] });
  });

  test('an item that takes longer than its run does not delay others', async () => {
    let finish: (result: string) => void = () => {};
    const late = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const { batch } = heldBatch({
      run: async (items) => items.map((item) => (item === 1 ? late : `<${item}>`)),
    });
    const first = batch.add(1);
    expect(await batch.add(2)).toBe('<2>');
    expect(await batch.add(3)).toBe('<3>');
    finish('<late>');
    expect(await first).toBe('<late>');
  });

  test('a run that throws synchronously fails the same way', async () => {
    const error = databaseAway(new Error('at once'));
    const { batch } = heldBatch({
      run: () => {
        throw error;
      },
    });
    expect(await outcomes([batch.add(1), batch.add(2)])).toEqual([error, error]);
  });

  test('a run without one result per item is a bug', async () => {
    const { batch } = heldBatch({ run: async () => ['<only one>'] });
    for (const one of await outcomes([batch.add(1), batch.add(2)])) {
      expect(String(one)).toContain('numbers: a result for each item');
    }
  });
});

describe('bounds', () => {
  test('at most itemsMax items run together', async () => {
    const { batch, run } = heldBatch({ itemsMax: 2, inFlightMax: 9 });
    const added = [1, 2, 3, 4, 5].map((item) => batch.add(item));
    for (const index of [0, 1, 2]) (await run(index)).end();
    expect((await run(0)).items).toEqual([1, 2]);
    expect((await run(2)).items).toEqual([5]);
    await Promise.all(added);
  });

  test('at most inFlightMax runs are in flight', async () => {
    const { batch, runs, run } = heldBatch({ itemsMax: 1, inFlightMax: 2 });
    const added = [1, 2, 3].map((item) => batch.add(item));
    await run(1);
    for (let count = 0; count < 5; count++) await turn();
    expect(runs).toHaveLength(2);
    (await run(1)).end();
    (await run(2)).end();
    (await run(0)).end();
    expect(await Promise.all(added)).toEqual(['<1>', '<2>', '<3>']);
  });

  test('refuses an item at once when waitingMax items wait', async () => {
    const { batch, run } = heldBatch({ waitingMax: 2 });
    const first = batch.add(1);
    await run(0);
    const waiting = [batch.add(2), batch.add(3)];
    await expect(batch.add(4)).rejects.toEqual(overloaded);
    await expect(batch.add(5)).rejects.toBeInstanceOf(Problem);
    (await run(0)).end();
    const second = await run(1);
    expect(second.items).toEqual([2, 3]);
    const later = batch.add(6);
    second.end();
    (await run(2)).end();
    expect(await Promise.all([first, ...waiting, later])).toEqual(['<1>', '<2>', '<3>', '<6>']);
  });

  test('refuses an item that waited longer than waitMaxMs without an attempt', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { batch, runs, run } = heldBatch({ waitMaxMs: 100 });
    const first = batch.add(1);
    await run(0);
    const old = batch.add(2);
    vi.advanceTimersByTime(60);
    const young = batch.add(3);
    expect(batch.oldestWaitMs()).toBe(60);
    vi.advanceTimersByTime(41);
    const results = outcomes([first, old, young]);
    (await run(0)).end();
    (await run(1)).end();
    expect(await results).toEqual(['<1>', overloaded, '<3>']);
    expect(runs.map(({ items }) => items)).toEqual([[1], [3]]);
    expect(batch.oldestWaitMs()).toBe(0);
  });
});

describe('draining', () => {
  /** Records when a promise resolves. */
  function watched(promise: Promise<unknown>): { resolved: boolean } {
    const state = { resolved: false };
    void promise.then(() => {
      state.resolved = true;
    });
    return state;
  }

  test('resolves at once when there is nothing to do', async () => {
    await heldBatch().batch.drain();
  });

  test('resolves when every added item has its result, not before', async () => {
    const { batch, run } = heldBatch({ itemsMax: 1 });
    const added = [batch.add(1), batch.add(2)];
    const drained = batch.drain();
    const state = watched(drained);
    const first = await run(0);
    await turn();
    expect(state.resolved).toBe(false);
    first.end();
    const second = await run(1);
    await turn();
    expect(state.resolved).toBe(false);
    second.end();
    await drained;
    expect(await Promise.all(added)).toEqual(['<1>', '<2>']);
  });

  test('resolves also if the last items failed or waited too long', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { batch, run } = heldBatch({ waitMaxMs: 10 });
    const failing = batch.add(1);
    const first = await run(0);
    const results = outcomes([failing, batch.add(2)]);
    const drained = batch.drain();
    vi.advanceTimersByTime(11);
    const error = new Error('lost');
    first.fail(error);
    await drained;
    expect(await results).toEqual([error, overloaded]);
  });
});
