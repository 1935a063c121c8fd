// Reads the statistics of many products for one request, some at a time. A past that was never
// fetched from the marketplace is fetched first, within a time limit.
import type { ProductTail } from '../catalog/product-row.ts';
import { readTails } from '../catalog/products.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs } from '../foundation/clock.ts';
import {
  readStatistics,
  type Statistics,
  type StatisticsDeps,
  type Windows,
} from '../history/read-statistics.ts';
import type { Backfill } from './backfill.ts';
import { fewAtOnce } from './look-up-many.ts';

type Deps = StatisticsDeps & { backfill: Backfill };

/** By code; the products are known. */
export async function readManyStatistics(
  deps: Deps,
  { codes, accountId }: { codes: readonly string[]; accountId: string },
  windows: Windows,
): Promise<Map<string, Statistics>> {
  const tails = await tailsOf(deps, { codes, accountId });
  const requests = codes.flatMap((code) => {
    const tail = tails.get(code);
    return tail === undefined ? [] : [{ code, tail }];
  });
  const statistics = new Map<string, Statistics>();
  for (let start = 0; start < requests.length; start += bounds.batchStatisticsMax) {
    const some = requests.slice(start, start + bounds.batchStatisticsMax);
    const read = await readStatistics(deps, some, windows);
    for (const [index, { code }] of some.entries()) {
      statistics.set(code, read[index] as Statistics);
    }
  }
  return statistics;
}

async function tailsOf(
  { db, backfill, log }: Deps,
  { codes, accountId }: { codes: readonly string[]; accountId: string },
): Promise<Map<string, ProductTail>> {
  const untilMs = monotonicMs() + bounds.lookUpManyMaxMs;
  const tails = await readTails(db, codes);
  const unfetched = codes.filter((code) => tails.get(code)?.backfilledAtMs === null);
  await fewAtOnce(unfetched, async (code) => {
    if (monotonicMs() >= untilMs) return;
    const tail = await backfill.tailOf(code, accountId).catch((error) => {
      log.warn({ code, reason: String(error) }, 'backfill failed');
      return undefined;
    });
    if (tail !== undefined) tails.set(code, tail);
  });
  return tails;
}
