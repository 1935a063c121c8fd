// Collecting (claim, fetch from memory, record) compared with a plain upsert of one row per
// snapshot; and two worker processes compared with one, on a slow marketplace.
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import type { Database } from '../src/database/database.ts';
import { isoTime, realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { DAY_MS, HOUR_MS } from '../src/foundation/time.ts';
import { makeAccounts } from './accounts.ts';
import { runChild } from './child.ts';
import type { CollectResult, CollectSide } from './collect-side.ts';
import { type Bench, compare, type Figure } from './figure.ts';
import { codesOf } from './histories.ts';
import { snapshotOf } from './premade.ts';
import { fillTracked, runLong, startOfDayMs } from './tracked.ts';

const SHAPE = { firstCode: 630_000_000, products: 20_000 };
const ACCOUNTS = 100;
const HOURS = 2;
const WARM_UP_HOURS = 1;
const SECONDS = 3;
/** Time that the processes have to get ready before both begin. */
const GET_READY_MS = 2_500;
/** A marketplace with 50 ms per call; four concurrent calls of 25 products per process. */
const SLOW_SOURCE = { responseMs: 50, limits: { perCall: 25, callsMax: 4, claimMax: 500 } };

export async function collectBench(bench: Bench): Promise<Figure[]> {
  const codes = codesOf(SHAPE);
  let at = startOfDayMs(realNowMs()) + DAY_MS / 2;
  await prepareCollecting(bench.db, { shape: SHAPE, codes, at });
  const common = { connection: bench.connection, codes };
  const perHour = async (way: 'collect' | 'upsert') => {
    await bench.db.query('truncate outgoing');
    const side: CollectSide = {
      ...common,
      at: at + HOUR_MS,
      way,
      hours: HOURS,
      warmUpHours: WARM_UP_HOURS,
    };
    const { products, seconds } = await runChild<CollectResult>('collect-side.ts', side);
    if (way === 'collect') at += (HOURS + WARM_UP_HOURS) * HOUR_MS;
    return products / seconds;
  };
  const recorded = await compare({
    name: 'collect: claimed, fetched from memory and recorded, over a plain upsert of a row per snapshot',
    toReach: 0.12,
    goal: 0.25,
    a: { label: 'collect', run: () => perHour('collect') },
    b: { label: 'upsert', run: () => perHour('upsert') },
  });
  const workers = async (count: number) => {
    await bench.db.query('truncate outgoing');
    at += DAY_MS;
    const side: CollectSide = {
      ...common,
      ...SLOW_SOURCE,
      at,
      way: 'seconds',
      seconds: SECONDS,
      startAt: realNowMs() + GET_READY_MS,
    };
    const ended = await Promise.all(
      Array.from({ length: count }, () => runChild<CollectResult>('collect-side.ts', side)),
    );
    return (await countCollected(bench, at)) / Math.max(...ended.map(({ seconds }) => seconds));
  };
  const two = await compare({
    name: 'collect: two worker processes over one, 50 ms a call, 4 calls of 25 products each',
    toReach: 1.5,
    a: { label: 'two', run: () => workers(2) },
    b: { label: 'one', run: () => workers(1) },
  });
  return [recorded, two];
}

export async function prepareCollecting(
  db: Database,
  input: { shape: typeof SHAPE; codes: readonly string[]; at: number },
): Promise<void> {
  const { shape, codes, at } = input;
  const accounts = await makeAccounts(db, ACCOUNTS);
  const accountIds = accounts.map(({ accountId }) => accountId);
  const log = createLog('warn');
  for (let from = 0; from < codes.length; from += 2_000) {
    const snapshots = codes.slice(from, from + 2_000).map((code) => snapshotOf(code, at));
    await recordSnapshots({ db, log }, snapshots);
  }
  await fillTracked(db, { ...shape, accountIds, at }, { whole: true });
  await db.query('drop table if exists plain_snapshots');
  await db.query(
    `create table plain_snapshots (
       code text collate "C" primary key, observed_at timestamptz, gtin text, brand text, name text,
       categories jsonb, price_cents bigint, seller_name text, offers jsonb, rank_position integer,
       rank_category text, rating real, reviews integer) with (fillfactor = 70)`,
  );
  await runLong(db, [{ text: 'vacuum analyze products' }]);
}

async function countCollected({ db }: Bench, at: number): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    'select count(*) as n from collection_schedule where last_collected_at = $1',
    [isoTime(at)],
  );
  return row?.n ?? Number.NaN;
}
