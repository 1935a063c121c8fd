// One side of the charge bench, in its own process: group commits, or one statement per charge.
import { buildApp } from '../src/app.ts';
import { type ConnectionSettings, openDatabase, statement } from '../src/database/database.ts';
import { lane } from '../src/database/families.ts';
import { readLaneGroups } from '../src/database/lane-groups.ts';
import { isoTime, realClock } from '../src/foundation/clock.ts';
import { newId } from '../src/foundation/id.ts';
import { createLog } from '../src/foundation/log.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';
import { readWork } from './child.ts';

export type ChargeSide = {
  connection: ConnectionSettings;
  way: 'group' | 'single';
  accountIds: string[];
  concurrent: number;
  seconds: number;
  /**
   * An account whose balance another session keeps locked while it goes on buying. Its charges are
   * not counted.
   */
  heldId?: string;
  /**
   * Another session keeps a transaction open, so that PostgreSQL cannot prune old row versions.
   */
  besideTransaction?: boolean;
};

export type ChargeResult = { perSecond: number; statementsPerThousand: number };

/** The simplest implementation: one request updates the balance and inserts an entry. */
const SINGLE = statement(
  'bench-single-charge',
  `with paid as (
     update balances set used = used + 1, updated_at = $3
      where lane = $1 and account_id = $2 and used + 1 <= allocation + granted
        and period_end_at > $3
     returning lane, account_id)
   insert into ledger_entries (lane, account_id, at, id, kind, credits, operation,
                               retailer_product_code, reference)
   select lane, account_id, $3, $4, 'request', -1, 'details', '510000001', $5 from paid`,
);

const side = await readWork<ChargeSide>();
const log = createLog('silent');
let statements = 0;
const db = openDatabase(side.connection, log, {
  observe: () => {
    statements += 1;
  },
});
db.groups.set(await readLaneGroups(db));
const source = createSimulatedSource({ clock: realClock });
const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
await app.ledgerPartitions.ready(realClock.nowMs());

async function chargeOnce(accountId: string): Promise<void> {
  const [id, atMs] = [newId(), realClock.nowMs()];
  if (side.way === 'single') {
    await db.query(SINGLE, [lane(accountId), accountId, isoTime(atMs), id, id]);
    return;
  }
  const outcome = await app.charging.charge({
    accountId,
    id,
    atMs,
    kind: 'request',
    credits: -1,
    operation: 'details',
    productCode: '510000001',
    reference: id,
  });
  if (!outcome.booked) throw new Error('a charge was refused');
}

const HELD_CONCURRENT = 20;
let count = 0;
let running = true;
const holder = await db.connect();
await holder.query('begin');
if (side.besideTransaction === true) await holder.query('select pg_current_xact_id()');
if (side.heldId !== undefined) {
  await holder.query('select from balances where account_id = $1 for update', [side.heldId]);
}
const chargeHeld = async (accountId: string) => {
  while (running) await chargeOnce(accountId).catch(() => {});
};
const heldWorkers = Array.from({ length: HELD_CONCURRENT }, () =>
  side.heldId === undefined ? undefined : chargeHeld(side.heldId),
);
const work = async (worker: number) => {
  for (let turn = worker; running; turn += 104_729) {
    await chargeOnce(side.accountIds[turn % side.accountIds.length] as string);
    count += 1;
  }
};
const workers = Array.from({ length: side.concurrent }, (_, index) => work(index));
await new Promise((resolve) => setTimeout(resolve, 300));
const [startMs, startCount, startStatements] = [performance.now(), count, statements];
await new Promise((resolve) => setTimeout(resolve, side.seconds * 1000));
const charges = count - startCount;
const perSecond = charges / ((performance.now() - startMs) / 1000);
const statementsPerThousand = ((statements - startStatements) / charges) * 1000;
running = false;
await holder.query('rollback');
holder.release();
await Promise.all([...workers, ...heldWorkers]);
await app.close();
await db.close();
const result: ChargeResult = { perSecond, statementsPerThousand };
process.stdout.write(JSON.stringify(result));
