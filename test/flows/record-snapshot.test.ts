// Recording snapshots: the history is the same for every order, batch size, race and damage.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import {
  type Observation,
  observationOf,
  sortObservations,
} from '../../src/history/observation.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { cloneDatabase } from '../support/database.ts';

const { db } = await cloneDatabase();
const log = createLog('silent');
const deps = { db, log };

let codes = 0;
/** A new product for each example. */
const freshCode = () => `${900_000_000 + codes++}`;

const START_MS = Date.parse('2025-01-01T00:00:00Z');

const snapshotOf = (
  code: string,
  [hour, cents, units]: readonly [number, number, number],
): Snapshot => ({
  code,
  observedAtMs: START_MS + hour * HOUR_MS,
  gtins: [],
  buybox: cents === 0 ? null : { priceCents: cents, sellerName: cents % 2 === 0 ? 'Acme' : null },
  offers:
    units === 0
      ? undefined
      : Array.from({ length: units % 4 }, (_, index) => ({
          sellerName: `A seller with a long name, number ${index}`,
          priceCents: cents + index + 1,
          shippingCents: 0,
          unitsInStock: units === 7 ? null : units * 10 + index,
          lastUpdatedAtMs: null,
        })),
  offersComplete: units > 3,
  rank: units === 2 ? undefined : { position: units + hour + 1, category: 'Kettles' },
});

const observationsOf = (snapshots: readonly Snapshot[]): Observation[] =>
  sortObservations(snapshots.map(observationOf)).observations;

const anyContents = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 250 }),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 0, max: 9 }),
  ),
  // Long enough that most observations are in runs, and several often share a second.
  { minLength: 300, maxLength: 600 },
);

describe('recording snapshots', () => {
  it('gives the same history for every order and every division into batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyContents,
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }),
        async (contents, sizes) => {
          const code = freshCode();
          const snapshots = contents.map((content) => snapshotOf(code, content));
          let from = 0;
          for (let batch = 0; from < snapshots.length; batch++) {
            const size = sizes[batch % sizes.length] as number;
            await recordSnapshots(deps, snapshots.slice(from, from + size));
            from += size;
          }
          expect(await readObservations(deps, code)).toEqual(observationsOf(snapshots));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('counts the same snapshots again as unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, async (contents) => {
        const code = freshCode();
        const snapshots = contents.map((content) => snapshotOf(code, content));
        await recordSnapshots(deps, snapshots);
        const [again] = await recordSnapshots(deps, snapshots);
        expect(again).toMatchObject({ accepted: 0, unchanged: snapshots.length });
      }),
      { numRuns: 20 },
    );
  });

  it('keeps the greater of two snapshots of one second, whichever arrives first', async () => {
    const contents = [
      [1, 3, 5],
      [1, 4, 5],
    ] as const;
    const products = await Promise.all(
      [contents, contents.toReversed()].map(async (order) => {
        const code = freshCode();
        for (const content of order) await recordSnapshots(deps, [snapshotOf(code, content)]);
        const [recorded] = await recordSnapshots(deps, [snapshotOf(code, order[0])]);
        const observations = await readObservations(deps, code);
        return { buybox: recorded?.product.buybox, observations };
      }),
    );
    expect(products[0]).toEqual(products[1]);
    expect(products[0]?.buybox?.priceCents).toBe(4);
  });

  it('makes the catalogue choose as history does, also if one of them has no buybox', async () => {
    const units = 5;
    for (const cents of [3, 4]) {
      const contents = [
        [1, 0, units],
        [1, cents, units],
      ] as const;
      for (const order of [contents, contents.toReversed()]) {
        const code = freshCode();
        for (const content of order) await recordSnapshots(deps, [snapshotOf(code, content)]);
        const [recorded] = await recordSnapshots(deps, [snapshotOf(code, order[0])]);
        const [observation] = await readObservations(deps, code);
        expect(recorded?.product.buybox).toEqual(observation?.buybox);
        expect(observation?.buybox?.priceCents).toBe(cents);
      }
    }
  });

  it('merges two snapshots of one second that contain different members', async () => {
    const priced = snapshotOf('', [1, 4, 5]);
    const named = { code: '', observedAtMs: priced.observedAtMs, gtins: [], offersComplete: false };
    const both = [priced, { ...named, name: 'Acme Kettle', brand: 'Acme' }];
    for (const order of [both, both.toReversed()]) {
      const code = freshCode();
      for (const one of order) {
        const [recorded] = await recordSnapshots(deps, [{ ...one, code }]);
        expect(recorded).toMatchObject({ accepted: 1 });
      }
      const [again] = await recordSnapshots(deps, [{ ...priced, code }]);
      expect(again).toMatchObject({ accepted: 0, unchanged: 1 });
      expect(again?.product).toMatchObject({
        name: 'Acme Kettle',
        brand: 'Acme',
        buybox: priced.buybox,
      });
    }
  });

  it('loses nothing when many processes record a new product at once', async () => {
    const code = freshCode();
    const snapshots = Array.from({ length: 200 }, (_, hour) => snapshotOf(code, [hour, 3, 5]));
    await Promise.all(snapshots.map((snapshot) => recordSnapshots(deps, [snapshot])));
    expect(await readObservations(deps, code)).toEqual(observationsOf(snapshots));
  });

  it('writes at most four times the necessary runs for single late snapshots', async () => {
    const code = freshCode();
    const even = Array.from({ length: 1_500 }, (_, hour) => snapshotOf(code, [hour * 2, 3, 1]));
    await recordSnapshots(deps, even);
    for (let hour = 101; hour < 301; hour += 2) {
      await recordSnapshots(deps, [snapshotOf(code, [hour, 3, 1])]);
    }
    const [runs] = await db.query<{ count: number; bytes: number }>(
      `select count(*), sum(octet_length(packed)) as bytes from history_runs
        where retailer_product_code = $1`,
      [code],
    );
    expect(Number(runs?.count)).toBeLessThan((4 * Number(runs?.bytes)) / 1800);
  });

  it('logs a damaged run with its key, skips it and continues', async () => {
    const code = freshCode();
    const snapshots = Array.from({ length: 3_000 }, (_, hour) =>
      snapshotOf(code, [hour, (hour * 7) % 5, 1]),
    );
    await recordSnapshots(deps, snapshots);
    await db.query(
      `update history_runs set packed = set_byte(packed, 40, get_byte(packed, 40) # 255)
        where retailer_product_code = $1 and stream = 0
          and first_at = (select max(first_at) from history_runs
                           where retailer_product_code = $1 and stream = 0 and first_at < $2)`,
      [code, new Date(START_MS + 1_000 * HOUR_MS)],
    );
    const lines: unknown[] = [];
    const spyLog = { ...log, error: (line: unknown) => lines.push(line) } as unknown as typeof log;
    const observations = await readObservations({ db, log: spyLog }, code);
    expect(lines).toMatchObject([{ code, where: expect.stringMatching(/^box \d+/) }]);
    expect(observations).toHaveLength(3_000);
    const boxes = observations.filter((observation) => observation.buybox !== undefined).length;
    expect(boxes).toBeGreaterThan(1_000);
    expect(boxes).toBeLessThan(3_000);
    // A late snapshot in the range of the damaged run is stored, and so are the damaged bytes.
    const late = {
      ...snapshotOf(code, [999, 4, 1]),
      observedAtMs: START_MS + 999 * HOUR_MS + 1_000,
    };
    await recordSnapshots({ db, log: spyLog }, [late]);
    expect(await readObservations(deps, code)).toContainEqual(observationOf(late));
    const setAside = await db.query(
      'select 1 from history_runs where retailer_product_code = $1 and stream = 2',
      [code],
    );
    expect(setAside).toHaveLength(1);
  });

  it('stores all or nothing when it fails in the middle', async () => {
    const code = freshCode();
    const first = Array.from({ length: 50 }, (_, hour) => snapshotOf(code, [hour, 3, 5]));
    await recordSnapshots(deps, first);
    const more = Array.from({ length: 200 }, (_, hour) => snapshotOf(code, [hour + 20, 4, 6]));
    const cut = {
      ...db,
      transaction: <T>(work: Parameters<typeof db.transaction<T>>[0]) =>
        db.transaction<T>(async (tx) => {
          await work(tx);
          throw new Error(`cut ${newId()}`);
        }),
    };
    await expect(recordSnapshots({ db: cut, log }, more)).rejects.toThrow('cut');
    expect(await readObservations(deps, code)).toEqual(observationsOf(first));
    await recordSnapshots(deps, more);
    expect(await readObservations(deps, code)).toEqual(observationsOf([...first, ...more]));
  });
});
