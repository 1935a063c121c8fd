// The schedule in steady state: claiming and rescheduling a batch of 500 of 1,000,000 products,
// compared with 10,000, each in its own schema; and the WAL that each writes.
import { COLLECT_LIMITS } from '../src/collection/collect-due.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { monotonicMs, realNowMs } from '../src/foundation/clock.ts';
import { newId } from '../src/foundation/id.ts';
import { createLog } from '../src/foundation/log.ts';
import { claimDue, lockScheduleEntries, moveToNextSlot } from '../src/tracking/schedule.ts';
import type { Due, ScheduleEntry } from '../src/tracking/schedule-row.ts';
import { nextSlot, phaseMs } from '../src/tracking/slot.ts';
import { type Bench, type Measure, measured, ROUNDS } from './figure.ts';
import { duePerSecond, fillTracked } from './tracked.ts';

const SIZES = { few: 10_000, many: 1_000_000 };
const FIRST_CODE = 610_000_000;
const WARM_UP_BATCHES = 20;
const BATCHES_PER_ROUND = 80;
const AT_MOST = 2;

export async function scheduleBench(bench: Bench): Promise<Measure[]> {
  const few = await openSide(bench, SIZES.few);
  const many = await openSide(bench, SIZES.many);
  try {
    await few.work(WARM_UP_BATCHES);
    await many.work(WARM_UP_BATCHES);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b] = [await many.work(BATCHES_PER_ROUND), await few.work(BATCHES_PER_ROUND)];
      ratios.push(a.microseconds / b.microseconds);
      process.stdout.write(
        `  of ${SIZES.many}: ${describe(a)}; of ${SIZES.few}: ${describe(b)}; ratio ${ratios.at(-1)?.toFixed(2)}\n`,
      );
    }
    ratios.sort((x, y) => x - y);
    return [
      measured({
        name: `schedule: claiming and rescheduling a batch of ${COLLECT_LIMITS.claimMax}, a product's cost of ${SIZES.many} over ${SIZES.few}, ${ROUNDS * BATCHES_PER_ROUND} batches`,
        value: ratios[Math.floor(ROUNDS / 2)] as number,
        atMost: AT_MOST,
        goal: 1.3,
      }),
    ];
  } finally {
    await few.close();
    await many.close();
  }
}

/** Cost per product that was claimed and rescheduled. */
type Cost = { microseconds: number; walBytes: number; products: number };

const describe = (cost: Cost) =>
  `${cost.microseconds.toFixed(0)} µs and ${cost.walBytes.toFixed(0)} bytes of WAL a product (${cost.products})`;

/** Opens a schedule with `products` entries; each batch advances its clock until 500 are due. */
async function openSide(bench: Bench, products: number) {
  const schema = `schedule_of_${products}`;
  await bench.db.query(`create schema ${schema}`);
  const connection = { ...bench.connection, options: `-c search_path=${schema}` };
  const db = openDatabase(connection, createLog('warn'));
  await migrate(db, realNowMs());
  let now = realNowMs();
  await fillTracked(
    db,
    { firstCode: FIRST_CODE, products, accountIds: [newId()], at: now },
    { whole: false },
  );
  const stepMs = (COLLECT_LIMITS.claimMax / duePerSecond(products)) * 1_000;
  return {
    async work(batches: number): Promise<Cost> {
      const [walBefore, startedAtMs] = [await walPosition(db), monotonicMs()];
      let moved = 0;
      for (let batch = 0; batch < batches; batch++) {
        now += stepMs;
        moved += await claimAndReschedule(db, Math.floor(now));
      }
      const elapsedMs = monotonicMs() - startedAtMs;
      return {
        microseconds: (elapsedMs * 1_000) / moved,
        walBytes: ((await walPosition(db)) - walBefore) / moved,
        products: moved,
      };
    },
    async close() {
      await db.query(`drop schema ${schema} cascade`);
      await db.close();
    },
  };
}

/** Does what collecting does, without fetching and recording: one transaction per call. */
async function claimAndReschedule(db: Database, now: number): Promise<number> {
  const token = newId();
  const { claimMax, perCall } = COLLECT_LIMITS;
  const due = await claimDue(db, {
    nowMs: now,
    realNowMs: realNowMs(),
    token,
    lanes: db.groups.lanesOf(0),
    limit: claimMax,
    isTracked: true,
  });
  for (let from = 0; from < due.length; from += perCall) {
    await rescheduleCall(db, { token, now, call: due.slice(from, from + perCall) });
  }
  return due.length;
}

async function rescheduleCall(
  db: Database,
  { token, now, call }: { token: string; now: number; call: readonly Due[] },
): Promise<void> {
  const codes = call.map(({ code }) => code);
  await db.transaction(async (tx) => {
    const entries = await lockScheduleEntries(tx, codes);
    await moveToNextSlot(
      tx,
      codes.map((code) => {
        const { leaseToken, intervalSeconds } = entries.get(code) as ScheduleEntry;
        if (leaseToken !== token) throw new Error('a lease was lost');
        const nextDueAtMs = nextSlot(now, phaseMs(code), intervalSeconds * 1_000);
        return { code, atMs: now, nextDueAtMs };
      }),
    );
  });
}

async function walPosition(db: Database): Promise<number> {
  const [row] = await db.read<{ bytes: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint as bytes`,
  );
  return row?.bytes ?? Number.NaN;
}
