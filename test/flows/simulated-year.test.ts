// A simulated year of tracked products with outages, changes of tier, removals, empty balances and
// their refills, late and killed workers and restarts: at its end doctor finds nothing. Five days
// here; a year by SIMULATED_DAYS=365, see CONTRIBUTING.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findDayFaults } from '../../src/cli/check-days.ts';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { writeFact } from '../../src/database/service-facts.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { DAYS_SHOWN } from '../../src/tracking/settle-days.ts';
import { runInProcess } from '../support/command.ts';
import { runHistories } from '../support/day-histories.ts';

const DAYS = Number(process.env.SIMULATED_DAYS ?? 5);
const HISTORIES = Number(process.env.DAY_HISTORIES ?? 20);
const SEED = Number(process.env.DAY_SEED ?? 1);

it(
  `doctor finds nothing after ${DAYS} simulated days`,
  async () => {
    const outcome = await runHistories({
      seed: SEED,
      count: HISTORIES,
      days: DAYS,
      endMs: Number.POSITIVE_INFINITY,
      restartEveryHours: 20 * 24 + 7,
      settleEveryHours: 5,
    });
    const { app, database } = outcome.service;
    const { db } = app;
    const [sums] = await db.query<Record<string, unknown>>(
      `select count(*) filter (where reference like 'tracking:%') as charges,
              count(*) filter (where reference like 'promise:%') as refunds,
              count(*) filter (where kind = 'refresh') as refills,
              sum(credits) filter (where reference like 'tracking:%' or reference like 'promise:%') as credits,
              (select count(*) from paid_spans) as stretches, (select count(*) from tracked_days) as days_left,
              (select count(*) from served_days) as counts_left, (select count(*) from watch_spans) as spans_left
         from ledger_entries`,
    );
    console.log(`${DAYS} days, ${HISTORIES} histories, seed ${SEED}:`, {
      chargedDays: outcome.chargedDays,
      refundedDays: outcome.refundedDays,
      ...sums,
    });
    expect(outcome.faults).toEqual([]);
    const nowMs = app.clock.nowMs();
    // Stretches are deleted after 366 days.
    expect(
      await findDayFaults(db, nowMs, { daysRead: Math.min(DAYS + 3, DAYS_SHOWN - 2) }),
    ).toEqual([]);
    expect(await findLedgerFaults(db)).toEqual([]);

    // For the command the time is the end of the year.
    const realMs = realNowMs();
    const anchor = { businessMs: nowMs, realMs, speed: 3600, seenRealMs: realMs, stopped: true };
    await writeFact(db, 'time-lapse', JSON.stringify(anchor));
    const folder = await mkdtemp(join(tmpdir(), 'oversight-year-'));
    const env = { DATABASE_URL: database.url, DATA_DIR: folder };
    const doctor = await runInProcess(['doctor', '--json'], env).finally(() =>
      rm(folder, { recursive: true }),
    );
    const { checks } = JSON.parse(doctor.out) as { checks: { ok: boolean }[] };
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  },
  24 * 3_600_000,
);
