// Histories for the benches: hourly looks with ± 20 s of jitter, of which 6 % find another price, price and holder
// only, written through the same function as any other.
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import type { Database } from '../src/database/database.ts';
import { createLog } from '../src/foundation/log.ts';
import { HOUR_SECONDS } from '../src/foundation/time.ts';
import { seededDraws } from '../src/sales/sales-trial.ts';

const JITTER_SECONDS = 20;
const CHANGED_PART = 0.06;
const OBSERVATIONS_PER_CALL = 8_000;

const log = createLog('warn');

/** Looks at one product, one after the other for as long as they are asked for. */
export function* hourlyObservations(
  code: string,
  startSeconds: number,
): Generator<Snapshot, never> {
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
      observedAtMs: (startSeconds + hour * HOUR_SECONDS + jitter) * 1_000,
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

export type Histories = { firstCode: number; products: number; points: number; endSeconds: number };

export const codesOf = ({ firstCode, products }: Pick<Histories, 'firstCode' | 'products'>) =>
  Array.from({ length: products }, (_, index) => String(firstCode + index));

/** Some products with so many points each, in as few calls as ingest would need. */
export async function writeHistories(db: Database, shape: Histories): Promise<string[]> {
  const startSeconds = shape.endSeconds - shape.points * HOUR_SECONDS;
  const codes = codesOf(shape);
  let part: Snapshot[] = [];
  for (const code of codes) {
    const observations = hourlyObservations(code, startSeconds);
    for (let left = shape.points; left > 0; ) {
      const some = take(observations, Math.min(left, OBSERVATIONS_PER_CALL));
      left -= some.length;
      part.push(...some);
      if (part.length < OBSERVATIONS_PER_CALL) continue;
      await recordSnapshots({ db, log }, part);
      part = [];
    }
  }
  await recordSnapshots({ db, log }, part);
  await noteBackfilled(db);
  await db.query('vacuum analyze products, history_runs');
  return codes;
}

/** The marketplace of the bench has no past to be asked for. */
export async function noteBackfilled(db: Database): Promise<void> {
  await db.query('update products set backfilled_at = observed_at where backfilled_at is null');
}
