// One more point on products with 50,000 points against one more on products with 50.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import { monotonicMs, realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import { type Histories, hourlySnapshots, take, writeHistories } from './histories.ts';

const PRODUCTS = 64;
/** A round: as many points on each product, one at a time. */
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

/** Answers what adds points to each product of a kind, and says how many a second. */
async function appender(bench: Bench, shape: Histories) {
  const log = createLog('warn');
  const codes = await writeHistories(bench.db, shape);
  const coming = codes.map((code) => hourlySnapshots(code, shape.endAtSeconds));
  return async (points: number): Promise<number> => {
    const rounds = take(roundsOf(coming), points);
    const startedMs = monotonicMs();
    for (const observations of rounds) await recordSnapshots({ db: bench.db, log }, observations);
    return (points * codes.length) / ((monotonicMs() - startedMs) / 1_000);
  };
}

function* roundsOf(coming: readonly Generator<Snapshot, never>[]): Generator<Snapshot[], never> {
  for (;;) yield coming.map((observations) => observations.next().value);
}
