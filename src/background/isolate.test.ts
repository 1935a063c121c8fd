import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedInTime } from '../../test/support/bounded-properties.ts';
import { createLog } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import { createHoldOff } from './hold-off.ts';
import { isolate, reasonOf } from './isolate.ts';

const log = createLog('silent');
const sqlError = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

/** Runs a batch of numbers, some of which fail with the error mapped to them. */
async function run(items: number[], errors: ReadonlyMap<number, Error>) {
  const setAside: number[] = [];
  let runs = 0;
  const outcome = await isolate(items, {
    loop: 'test',
    log,
    keyOf: String,
    run: async (batch) => {
      runs++;
      const bad = batch.find((item) => errors.has(item));
      if (bad !== undefined) throw errors.get(bad);
      return batch.length;
    },
    setAside: async (item) => {
      setAside.push(item);
    },
  });
  return { ...outcome, setAside, runs };
}

describe('isolating failing items', () => {
  it('runs a batch without failures once', async () => {
    const { runs, results } = await run([1, 2, 3], new Map());
    expect({ runs, results }).toEqual({ runs: 1, results: [3] });
  });

  it('sets aside exactly the failing items and runs all others in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('ok', 'bad', 'locked')), async (kinds) => {
        const of = (kind: string) => kinds.flatMap((each, index) => (each === kind ? [index] : []));
        const errors = new Map([
          ...of('bad').map((index) => [index, sqlError('22003')] as const),
          ...of('locked').map((index) => [index, sqlError('55P03')] as const),
        ]);
        const { done, setAside, left, quarantined } = await run([...kinds.keys()], errors);
        expect({ done, setAside, left }).toEqual({
          done: of('ok'),
          setAside: of('bad'),
          left: of('locked'),
        });
        expect(quarantined.map(({ item }) => item)).toEqual(setAside);
      }),
      { plugins: [boundedInTime(2_000)] },
    );
  });

  it('finds one failing item among many in few runs', async () => {
    const { runs } = await run([...Array(500).keys()], new Map([[377, sqlError('23514')]]));
    expect(runs).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(500)) + 1);
  });

  it.each([
    ['connection lost', Object.assign(new Error('read'), { code: 'ECONNRESET', syscall: 'read' })],
    ['connection ended', new Error('Connection terminated unexpectedly')],
    ['no response', new Error('Query read timeout')],
    ['database away', new Problem('temporarily_unavailable', 'away')],
    ['shut down', Object.assign(sqlError('57P01'), { severity: 'FATAL' })],
    ['disk full', sqlError('53100')],
    ['too many connections', sqlError('53300')],
    ['read-only', sqlError('25006')],
    ['not our schema', sqlError('42P01')],
  ])('sets nothing aside and throws: %s', async (_, error) => {
    await expect(run([1, 2, 3], new Map([[2, error]]))).rejects.toBe(error);
  });

  it.each(['40001', '40P01', '55P03', '57014'])('leaves busy items for later: %s', async (code) => {
    const { left, done, setAside } = await run([1, 2, 3], new Map([[2, sqlError(code)]]));
    expect({ left, done, setAside }).toEqual({ left: [2], done: [1, 3], setAside: [] });
  });

  it.each([
    ['a value out of range', sqlError('22003')],
    ['a constraint', sqlError('23514')],
    ['a trigger', sqlError('P0001')],
    ['a damaged record', new SyntaxError('Unexpected token')],
    ['an impossible state', new TypeError('undefined is not a function')],
    ['a rule', new Problem('invalid_request', 'no')],
  ])('sets aside items that would fail again: %s', async (_, error) => {
    const { left, done, setAside } = await run([1, 2, 3], new Map([[2, error]]));
    expect({ left, done, setAside }).toEqual({ left: [], done: [1, 3], setAside: [2] });
  });

  it('leaves an item that cannot be set aside, and continues', async () => {
    const { done, left } = await isolate([1, 2, 3], {
      loop: 'test',
      log,
      keyOf: String,
      run: async (batch) => {
        if (batch.includes(1)) throw sqlError('22003');
      },
      setAside: async () => {
        throw sqlError('23505');
      },
    });
    expect({ done, left }).toEqual({ done: [2, 3], left: [1] });
  });

  it('returns reasons that PostgreSQL can store', () => {
    expect(reasonOf(new Error('a\0b\ud800'))).toBe('a b\ufffd');
    expect(reasonOf(Object.assign(sqlError('23514'), { constraint: 'never_negative' }))).toBe(
      'failed with 23514 (code 23514, constraint never_negative)',
    );
    expect(reasonOf(new Error('x'.repeat(5_000)))).toHaveLength(500);
    expect(reasonOf(undefined)).toBe('undefined');
  });
});

describe('holding off', () => {
  it('forgets a key when its time has passed', () => {
    let nowMs = 0;
    const held = createHoldOff(100, () => nowMs);
    held.add(['a']);
    nowMs = 50;
    held.add(['b']);
    expect(held.keys()).toEqual(['a', 'b']);
    nowMs = 100;
    expect(held.keys()).toEqual(['b']);
  });
});
