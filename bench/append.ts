// Appending a point to products with 50,000 points, compared with products with 50 points.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import { monotonicMs, realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import { type Histories, hourlySnapshots, take, writeHistories } from './histories.ts';

const PRODUCTS = 64;
/** Points appended to each product in a round, one at a time. */
const POINTS_PER_ROUND = 100;
const WARM_UP = 20;

export async function appendBench(bench: Bench): Promise<Figure[]> {
  const endAtSeconds = Math.floor(realNowMs() / 1_000) - 10_000 * 3_600;
  const kind = (firstCode: number, points: number) =>
    appender(bench, { firstCode, products: PRODUCTS, points, endAtSeconds });
  const long = await kind(540_000_000, 50_000);
  const short = await kind(550_000_000, 50);
  await long(WARM_UP);
  await short(WARM_UP);
  const figure = await compare({
    name: 'append: points a second on products with 50,000 points over those with 50 (1 / 1.2)',
    toReach: 0.83,
    a: { label: 'on 50,000', run: () => long(POINTS_PER_ROUND) },
    b: { label: 'on 50', run: () => short(POINTS_PER_ROUND) },
  });
  return [figure];
}

/** Returns a function that appends points to each product and returns the points per second. */
async function appender(bench: Bench, shape: Histories) {
  const log = createLog('warn');
  const codes = await writeHistories(bench.db, shape);
  const generators = codes.map((code) => hourlySnapshots(code, shape.endAtSeconds));
  return async (points: number): Promise<number> => {
    const rounds = take(roundsOf(generators), points);
    const startedAtMs = monotonicMs();
    for (const snapshots of rounds) await recordSnapshots({ db: bench.db, log }, snapshots);
    return (points * codes.length) / ((monotonicMs() - startedAtMs) / 1_000);
  };
}

function* roundsOf(
  generators: readonly Generator<Snapshot, never>[],
): Generator<Snapshot[], never> {
  for (;;) yield generators.map((snapshots) => snapshots.next().value);
}
