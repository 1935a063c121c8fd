// Every charged day is either kept and paid or refunded, never both and never neither, over random
// histories. DAY_HISTORIES sets how many (default 200), DAY_SEED which, DAY_SECONDS how long
// at most.
import { expect, it } from 'vitest';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { monotonicMs } from '../../src/foundation/clock.ts';
import { runHistories } from '../support/day-histories.ts';

const COUNT = Number(process.env.DAY_HISTORIES ?? 200);
const SEED = Number(process.env.DAY_SEED ?? 1);
/** A busy machine tries fewer days, unless DAY_HISTORIES sets a number of histories. */
const SECONDS_MAX = Number(process.env.DAY_SECONDS ?? (process.env.DAY_HISTORIES ? 86_400 : 15));
const DAYS = 3;
/** Histories on one timeline; more than this are split over several timelines. */
const AT_ONCE = 1_000;

it(
  `holds for ${COUNT} histories`,
  async () => {
    const endMs = monotonicMs() + SECONDS_MAX * 1_000;
    let [histories, charged, refunded] = [0, 0, 0];
    while (histories < COUNT && (histories === 0 || monotonicMs() < endMs)) {
      const count = Math.min(AT_ONCE, COUNT - histories);
      const outcome = await runHistories({ seed: SEED + histories, count, days: DAYS, endMs });
      expect(outcome.faults).toEqual([]);
      expect(await findLedgerFaults(outcome.service.app.db)).toEqual([]);
      histories += count;
      charged += outcome.chargedDays;
      refunded += outcome.refundedDays;
    }
    if (process.env.DAY_HISTORIES) {
      console.log(`${histories} histories, seed ${SEED}: ${charged} days, ${refunded} refunded`);
    }
    expect(charged).toBeGreaterThan(0);
    if (monotonicMs() < endMs) expect(refunded).toBeGreaterThan(0);
  },
  SECONDS_MAX * 1_000 + 240_000,
);
