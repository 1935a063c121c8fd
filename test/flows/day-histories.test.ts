// Every charged day is either kept and paid or refunded, never both and never neither, over random histories.
// DAY_HISTORIES sets how many (200 unless given), DAY_SEED which.
import { expect, it } from 'vitest';
import { findLedgerFaults } from '../../src/credits/ledger.ts';
import { runHistories } from '../support/day-histories.ts';

const COUNT = Number(process.env.DAY_HISTORIES ?? 200);
const SEED = Number(process.env.DAY_SEED ?? 1);
const DAYS = 3;
/** On one timeline; more than this go on a timeline each of their own. */
const AT_ONCE = 1_000;

it(
  `holds for ${COUNT} histories`,
  async () => {
    for (let done = 0; done < COUNT; done += AT_ONCE) {
      const count = Math.min(AT_ONCE, COUNT - done);
      const outcome = await runHistories({ seed: SEED + done, count, days: DAYS });
      expect(outcome.faults).toEqual([]);
      expect(outcome.chargedDays).toBeGreaterThan(count);
      expect(outcome.refundedDays).toBeGreaterThan(0);
      expect(await findLedgerFaults(outcome.service.app.db)).toEqual([]);
    }
  },
  240_000 * Math.ceil(COUNT / 200),
);
