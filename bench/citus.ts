// Charging and collecting on a Citus cluster compared with plain PostgreSQL on the same machine.
// Opt-in: BENCH_CITUS_URL and BENCH_PLAIN_URL name two databases that may be filled, the first on a
// coordinator whose workers are joined, both with the same settings.
import { openDatabase } from '../src/database/database.ts';
import { distribute } from '../src/database/distribute.ts';
import { readLaneGroups } from '../src/database/lane-groups.ts';
import { migrate, withMigrationTurn } from '../src/database/migrate.ts';
import { realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { DAY_MS, HOUR_MS } from '../src/foundation/time.ts';
import { makeAccounts } from './accounts.ts';
import type { ChargeResult, ChargeSide } from './charge-side.ts';
import { runChild } from './child.ts';
import { prepareCollecting } from './collect.ts';
import type { CollectResult, CollectSide } from './collect-side.ts';
import { compare, type Figure, type Measure, measured } from './figure.ts';
import { codesOf } from './histories.ts';
import { startOfDayMs } from './tracked.ts';

const ACCOUNTS = 1_000;
const SHAPE = { firstCode: 640_000_000, products: 5_000 };
const SECONDS = 3;

export async function citusBench(): Promise<(Figure | Measure)[]> {
  const { BENCH_CITUS_URL, BENCH_PLAIN_URL } = process.env;
  if (BENCH_CITUS_URL === undefined || BENCH_PLAIN_URL === undefined) {
    process.stdout.write('  skipped: set BENCH_CITUS_URL and BENCH_PLAIN_URL\n');
    return [];
  }
  const citus = await prepare(BENCH_CITUS_URL, true);
  const plain = await prepare(BENCH_PLAIN_URL, false);
  const figures: (Figure | Measure)[] = [];
  let trips = 0;
  for (const concurrent of [256, 1_024]) {
    const charge = async ({ connection, accountIds }: Prepared) => {
      const side = { connection, accountIds, way: 'group', concurrent, seconds: SECONDS } as const;
      const result = await runChild<ChargeResult>('charge-side.ts', side satisfies ChargeSide);
      if (connection === citus.connection) trips = result.statementsPerThousand;
      return result.perSecond;
    };
    figures.push(
      await compare({
        name: `charges on Citus over plain PostgreSQL, ${concurrent} at once over 1,000 accounts`,
        toReach: 0.8,
        a: { label: 'Citus', run: () => charge(citus) },
        b: { label: 'plain', run: () => charge(plain) },
      }),
      measured({
        name: `round trips per 1,000 charges on Citus, ${concurrent} at once`,
        value: trips,
        atMost: 30,
      }),
    );
  }
  const collect = async (side: Prepared) => {
    side.atMs += 3 * HOUR_MS;
    const work: CollectSide = {
      connection: side.connection,
      codes: side.codes,
      at: side.atMs,
      way: 'collect',
      hours: 1,
      warmUpHours: 1,
    };
    const { products, seconds } = await runChild<CollectResult>('collect-side.ts', work);
    return products / seconds;
  };
  figures.push(
    await compare({
      name: 'collect: claimed, fetched from memory and recorded, on Citus over plain PostgreSQL',
      toReach: 0.6,
      a: { label: 'Citus', run: () => collect(citus) },
      b: { label: 'plain', run: () => collect(plain) },
    }),
  );
  return figures;
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

async function prepare(url: string, isDistributed: boolean) {
  const connection = { connectionString: url, application_name: 'oversight-command' };
  const db = openDatabase({ ...connection, query_timeout: 0 }, createLog('warn'));
  await migrate(db, realNowMs());
  if (isDistributed) {
    await withMigrationTurn(db, (client) => distribute(client, { shards: null }));
    db.groups.set(await readLaneGroups(db));
  }
  const accounts = await makeAccounts(db, ACCOUNTS);
  const codes = codesOf(SHAPE);
  const atMs = startOfDayMs(realNowMs()) + DAY_MS / 2;
  await prepareCollecting(db, { shape: SHAPE, codes, at: atMs });
  await db.close();
  return { connection, codes, atMs, accountIds: accounts.map(({ accountId }) => accountId) };
}
