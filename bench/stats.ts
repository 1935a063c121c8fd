// Statistics of a year of hourly observations with six sellers: CPU of the process per product from
// the summaries of runs, compared with reading all points; and the bytes that summaries add.
import { readTails } from '../src/catalog/products.ts';
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import { realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from '../src/foundation/time.ts';
import { emptyBlockSummary } from '../src/history/block-summary.ts';
import { readStatistics, type Windows } from '../src/history/read-statistics.ts';
import { addStep, endAt } from '../src/history/step-summary.ts';
import { walkObservations } from '../src/history/walk-observations.ts';
import { seededDraws } from '../src/sales/sales-trial.ts';
import { type Bench, compare, type Figure, type Measure, measured } from './figure.ts';
import { hourlySnapshots, noteBackfilled, take } from './histories.ts';

const PRODUCTS = 20;
const POINTS = 365 * 24;
const SELLERS = 6;
const DAYS = [30, 90, 365];
const SECONDS = 2;
const log = createLog('warn');

export async function statsBench(bench: Bench): Promise<(Figure | Measure)[]> {
  const endAtSeconds = Math.floor(realNowMs() / SECOND_MS);
  const codes = Array.from({ length: PRODUCTS }, (_, index) => String(540_000_000 + index));
  for (const code of codes) {
    const start = endAtSeconds - POINTS * HOUR_SECONDS;
    const snapshots = take(hourlySnapshots(code, start), POINTS);
    await recordSnapshots({ db: bench.db, log }, snapshots.map(withShelf(code)));
  }
  await noteBackfilled(bench.db);
  await bench.db.query('vacuum analyze products, history_runs');
  const windows: Windows = {
    fromAtSeconds: DAYS.map((days) => endAtSeconds - days * DAY_SECONDS),
    toAtSeconds: endAtSeconds,
  };
  const deps = { db: bench.db, log };
  const fromSummaries = async (code: string) => {
    const tail = (await readTails(bench.db, [code])).get(code);
    if (tail !== undefined) await readStatistics(deps, [{ code, tail }], windows);
  };
  const fromPoints = (code: string) => readAllPoints(deps, code, windows);
  const [sizes] = await bench.db.read<{ packed: number; summary: number; runs: number }>(
    `select sum(octet_length(packed))::integer as packed,
            sum(octet_length(summary))::integer as summary, count(*)::integer as runs
       from history_runs`,
  );
  return [
    await compare({
      name: `stats: products per second of CPU, from summaries over from all ${POINTS} points`,
      toReach: 5,
      a: { label: 'summaries', run: () => perCpuSecond(codes, fromSummaries) },
      b: { label: 'points', run: () => perCpuSecond(codes, fromPoints) },
    }),
    measured({
      name: 'stats: bytes of a summary, mean',
      value: (sizes?.summary ?? 0) / (sizes?.runs ?? 1),
      atMost: 200,
    }),
    measured({
      name: 'stats: summaries as a share of the packed runs, in percent',
      value: (100 * (sizes?.summary ?? 0)) / (sizes?.packed ?? 1),
      atMost: 12,
    }),
  ];
}

function withShelf(code: string): (snapshot: Snapshot) => Snapshot {
  const draw = seededDraws(Number(code) + 1);
  const units = Array.from({ length: SELLERS }, () => 100);
  return (snapshot) => ({
    ...snapshot,
    rank: { position: 1_000 + Math.floor(draw() * 200), category: 'Kettles' },
    offers: units.map((count, index) => {
      units[index] = count <= 0 ? 200 : Math.max(0, count - Math.floor(draw() * 4));
      return {
        sellerName: `Seller ${index}`,
        priceCents: 2_000 + index,
        shippingCents: 0,
        unitsInStock: units[index] as number,
        lastUpdatedAtMs: null,
      };
    }),
    offersComplete: true,
  });
}

async function readAllPoints(
  deps: { db: Bench['db']; log: typeof log },
  code: string,
  { fromAtSeconds, toAtSeconds }: Windows,
): Promise<void> {
  const summaries = fromAtSeconds.map(emptyBlockSummary);
  const span = { fromAtSeconds: Math.min(...fromAtSeconds), toAtSeconds };
  for await (const { atSeconds, buybox, rank, offers } of walkObservations(deps, code, span)) {
    for (const [index, summary] of summaries.entries()) {
      if (atSeconds < (fromAtSeconds[index] as number)) continue;
      if (buybox !== undefined) addStep(summary.price, atSeconds, buybox?.priceCents ?? null);
      if (rank !== undefined) addStep(summary.rank, atSeconds, rank.position);
      const hasUnits = offers?.some(({ unitsInStock }) => unitsInStock !== 0);
      if (hasUnits !== undefined) addStep(summary.stock, atSeconds, hasUnits ? 1 : 0);
    }
  }
  for (const { price, rank, stock } of summaries) {
    for (const series of [price, rank, stock]) endAt(series, toAtSeconds);
  }
}

/** Products per second of this process's CPU time. */
async function perCpuSecond(
  codes: readonly string[],
  work: (code: string) => Promise<void>,
): Promise<number> {
  const before = process.cpuUsage();
  let count = 0;
  const seconds = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  while (seconds() < SECONDS) {
    await work(codes[count % codes.length] as string);
    count += 1;
  }
  return count / seconds();
}
