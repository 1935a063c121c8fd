// Histories for the benches: hourly snapshots with ± 20 s of jitter, of which 6 % have another
// price. They contain price and holder only and are written through recordSnapshots.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import type { Database } from '../src/database/database.ts';
import { createLog } from '../src/foundation/log.ts';
import { HOUR_SECONDS, SECOND_MS } from '../src/foundation/time.ts';
import { seededDraws } from '../src/sales/sales-trial.ts';

const JITTER_SECONDS = 20;
const CHANGED_PART = 0.06;
const SNAPSHOTS_PER_CALL = 8_000;

const log = createLog('warn');

/** An endless sequence of hourly snapshots of one product. */
export function* hourlySnapshots(code: string, startAtSeconds: number): Generator<Snapshot, never> {
  const draw = seededDraws(Number(code));
  let priceCents = 1_500 + Math.floor(draw() * 7_000);
  let sellerName = 'Marlowe Store';
  for (let hour = 0; ; hour++) {
    if (draw() < CHANGED_PART) {
      priceCents = Math.max(1_000, priceCents + Math.floor((draw() - 0.5) * 400));
      if (draw() < 0.2) sellerName = draw() < 0.5 ? 'Second Shop' : 'Marlowe Store';
    }
    const jitter = Math.round((draw() * 2 - 1) * JITTER_SECONDS);
    yield {
      code,
      observedAtMs: (startAtSeconds + hour * HOUR_SECONDS + jitter) * SECOND_MS,
      gtins: [],
      name: `Marlowe Kettle ${code}, Brushed Steel`,
      categories: ['Home', 'Kitchen', 'Kettles'],
      buybox: { priceCents, sellerName },
      offersComplete: false,
    };
  }
}

export function take<T>(from: Iterator<T>, count: number): T[] {
  return Array.from({ length: count }, () => from.next().value as T);
}

export type Histories = {
  firstCode: number;
  products: number;
  points: number;
  endAtSeconds: number;
};

export const codesOf = ({ firstCode, products }: Pick<Histories, 'firstCode' | 'products'>) =>
  Array.from({ length: products }, (_, index) => String(firstCode + index));

/** Writes products with the same number of points each, in batches as large as those of ingest. */
export async function writeHistories(db: Database, shape: Histories): Promise<string[]> {
  const startAtSeconds = shape.endAtSeconds - shape.points * HOUR_SECONDS;
  const codes = codesOf(shape);
  let batch: Snapshot[] = [];
  for (const code of codes) {
    const snapshots = hourlySnapshots(code, startAtSeconds);
    for (let left = shape.points; left > 0; ) {
      const next = take(snapshots, Math.min(left, SNAPSHOTS_PER_CALL));
      left -= next.length;
      batch.push(...next);
      if (batch.length < SNAPSHOTS_PER_CALL) continue;
      await recordSnapshots({ db, log }, batch);
      batch = [];
    }
  }
  await recordSnapshots({ db, log }, batch);
  await noteBackfilled(db);
  await db.query('vacuum analyze products, history_runs');
  return codes;
}

/** Marks all products as backfilled: the marketplace of the bench has no history. */
export async function noteBackfilled(db: Database): Promise<void> {
  await db.query('update products set backfilled_at = observed_at where backfilled_at is null');
}
