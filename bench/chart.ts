// Charts over three years of hourly observations with price, rank and the stock of four sellers:
// what one costs as SVG and as PNG.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import { realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { HOUR_SECONDS, SECOND_MS } from '../src/foundation/time.ts';
import { seededDraws } from '../src/sales/sales-trial.ts';
import { makeAccounts } from './accounts.ts';
import type { ChartResult, ChartSide } from './chart-side.ts';
import { runChild } from './child.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import { hourlySnapshots, noteBackfilled } from './histories.ts';

const PRODUCTS = 4;
const POINTS = 3 * 365 * 24;
const PICTURES = 200;
const SNAPSHOTS_PER_CALL = 8_000;
const SELLERS = ['Marlowe Store', 'Second Shop', 'Third Street', 'Fourth Wall'];

export async function chartBench(bench: Bench): Promise<Measure[]> {
  const [account] = await makeAccounts(bench.db, 1);
  const codes = Array.from({ length: PRODUCTS }, (_, index) => String(545_000_000 + index));
  for (const code of codes) await writeShelves(bench, code);
  await noteBackfilled(bench.db);
  await bench.db.query('vacuum analyze products, history_runs');
  const side: ChartSide = {
    connection: bench.connection,
    apiKey: account?.apiKey ?? '',
    codes,
    pictures: PICTURES,
  };
  const done = await runChild<ChartResult>('chart-side.ts', side);
  return (['svg', 'png'] as const).flatMap((format) => {
    const { bytes, cpuMs, p50Ms, p99Ms, servingMs } = done[format];
    process.stdout.write(
      `  ${format}: ${bytes} bytes, median ${p50Ms.toFixed(1)} ms, 99 of 100 within ${p99Ms.toFixed(1)} ms\n`,
    );
    const name = `chart: ${format}, ${POINTS} points`;
    return [
      measured({ name: `${name}, median ms of CPU`, value: cpuMs, atMost: 50 }),
      measured({
        name: `${name}, ms of CPU of the serving thread`,
        value: servingMs,
        atMost: 25,
      }),
    ];
  });
}

async function writeShelves({ db }: Bench, code: string): Promise<void> {
  const log = createLog('warn');
  const endAtSeconds = Math.floor(realNowMs() / SECOND_MS) - HOUR_SECONDS;
  const draw = seededDraws(Number(code));
  const units = SELLERS.map(() => 200 + Math.floor(draw() * 300));
  let position = 100;
  let batch: Snapshot[] = [];
  let left = POINTS;
  for (const snapshot of hourlySnapshots(code, endAtSeconds - POINTS * HOUR_SECONDS)) {
    position = Math.max(1, Math.round(position * (0.95 + draw() * 0.1)));
    const { priceCents } = snapshot.buybox as { priceCents: number };
    batch.push({
      ...snapshot,
      rank: { position, category: 'Kettles' },
      offers: SELLERS.map((sellerName, seller) => {
        const now = (units[seller] as number) - Math.floor(draw() * 3);
        units[seller] = now < 0 ? 400 : now;
        const unitsInStock = units[seller] as number;
        const more = { shippingCents: 0, unitsInStock, lastUpdatedAtMs: null };
        return { sellerName, priceCents: priceCents + seller * 50, ...more };
      }),
      offersComplete: true,
    });
    if (--left > 0 && batch.length < SNAPSHOTS_PER_CALL) continue;
    await recordSnapshots({ db, log }, batch);
    batch = [];
    if (left === 0) return;
  }
}
