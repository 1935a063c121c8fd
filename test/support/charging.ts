// Charging on separate database connections, and comparisons of its outcomes with the ledger.
import { expect } from 'vitest';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import type { ChargeOutcome } from '../../src/credits/book-entries.ts';
import { type Charging, createCharging } from '../../src/credits/charge.ts';
import { LEDGER_TABLE, listEntries, readBalances } from '../../src/credits/ledger.ts';
import { openAccount } from '../../src/credits/open-account.ts';
import { createPlans } from '../../src/credits/plans.ts';
import { type LedgerEntry, remainingCredits } from '../../src/credits/settlement.ts';
import type { UnresolvedJournal } from '../../src/credits/unresolved-journal.ts';
import {
  type ConnectionSettings,
  type Database,
  openDatabase,
} from '../../src/database/database.ts';
import { readLaneGroups } from '../../src/database/lane-groups.ts';
import { createPartitionKeeper, type PartitionKeeper } from '../../src/database/partitions.ts';
import { realClock } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { atEnd } from './at-end.ts';

const silent = createLog('silent');

/** Call it inside a test; it is closed when the test ends. */
export async function openCharging(
  connection: ConnectionSettings,
  options: {
    unknownMaxMs?: number;
    heldMaxMs?: number;
    plansRead?: boolean;
    journal?: UnresolvedJournal;
  } = {},
): Promise<Charging> {
  const { plansRead = true, journal, ...limits } = options;
  const db = openDatabase(connection, silent);
  db.groups.set(await readLaneGroups(db));
  const plans = createPlans(db);
  const ledgerPartitions = createPartitionKeeper(db, LEDGER_TABLE);
  await ledgerPartitions.ready(realClock.nowMs());
  if (plansRead) await plans.list();
  const deps = { db, plans, ledgerPartitions, clock: realClock, log: silent, ...limits };
  const charging = createCharging(deps, journal);
  atEnd(async () => {
    await charging.close();
    await db.close();
  });
  return charging;
}

const keepers = new WeakMap<Database, PartitionKeeper>();

/** Opens an account with this many credits per month. */
export async function accountWith(db: Database, credits: number): Promise<string> {
  const ledgerPartitions = keepers.get(db) ?? createPartitionKeeper(db, LEDGER_TABLE);
  keepers.set(db, ledgerPartitions);
  const { accountId } = await openAccount(
    { db, ledgerPartitions, clock: realClock },
    {
      email: `${newId()}@example.com`,
      plan: { name: 'Free', monthlyCredits: credits, trackedProductsMax: 0, position: 1 },
    },
  );
  return accountId;
}

export function chargeOf(accountId: string, cost: number): LedgerEntry {
  const id = newId();
  return {
    accountId,
    id,
    reference: id,
    atMs: realClock.nowMs(),
    kind: 'request',
    credits: -cost,
    operation: 'test',
    productCode: null,
  };
}

export async function entriesOf(db: Database, accountId: string): Promise<LedgerEntry[]> {
  const entries = await listEntries(db, { accountId, limit: 100_000 });
  return entries.filter((entry) => entry.kind !== 'refresh').reverse();
}

export async function usedBy(db: Database, accountId: string): Promise<number | undefined> {
  return (await readBalances(db, [accountId])).get(accountId)?.used;
}

/** Expects the entries of a charge and of its reversal, which add up to zero. */
export async function expectRefunded(db: Database, charge: LedgerEntry): Promise<void> {
  const entries = await entriesOf(db, charge.accountId);
  const related = entries.filter((entry) => entry.reference.endsWith(charge.reference));
  expect(related.sort((a, b) => a.credits - b.credits)).toEqual([
    charge,
    expect.objectContaining({
      kind: 'refund',
      credits: -charge.credits,
      reference: `reversal:${charge.reference}`,
    }),
  ]);
  expect(await findLedgerFaults(db)).toEqual([]);
}

export type Charged = { entry: LedgerEntry; outcome: ChargeOutcome };

/**
 * Expects the ledger to have each booked charge once, and refusals only where credits were short.
 */
export async function compareWithLedger(
  db: Database,
  account: { accountId: string; credits: number },
  charged: readonly Charged[],
): Promise<void> {
  const { accountId, credits } = account;
  const booked = charged.filter(({ outcome }) => outcome.booked).map(({ entry }) => entry);
  const cost = booked.reduce((sum, entry) => sum - entry.credits, 0);
  const entries = await entriesOf(db, accountId);
  const written = (entry: LedgerEntry) => `${entry.reference} ${entry.credits}`;
  expect(entries.map(written).sort()).toEqual(booked.map(written).sort());

  const balance = (await readBalances(db, [accountId])).get(accountId);
  const left = balance === undefined ? -1 : remainingCredits(balance);
  expect(left).toBe(credits - cost);
  expect(left).toBeGreaterThanOrEqual(0);
  for (const { entry, outcome } of charged) {
    if (outcome.booked) {
      expect(outcome.remaining).toBeGreaterThanOrEqual(left);
      expect(outcome.remaining).toBeLessThanOrEqual(credits + entry.credits);
    } else {
      expect(outcome).toMatchObject({ required: -entry.credits });
      expect(-entry.credits).toBeGreaterThan('remaining' in outcome ? outcome.remaining : 0);
      expect(-entry.credits).toBeGreaterThan(left); // the remaining credits never grow here
    }
  }
  expect(await findLedgerFaults(db)).toEqual([]);
}

/** Expects that some serial order of the charges gives the same outcomes. */
export function expectSerial(credits: number, charged: readonly Charged[]): void {
  const booked = charged
    .flatMap(({ entry, outcome }) =>
      outcome.booked ? [{ cost: -entry.credits, remaining: outcome.remaining }] : [],
    )
    .sort((a, b) => b.remaining - a.remaining);
  const levels = [credits];
  for (const { cost, remaining } of booked) {
    expect(remaining).toBe((levels.at(-1) as number) - cost);
    levels.push(remaining);
  }
  for (const { outcome } of charged) {
    if (!outcome.booked) expect(levels).toContain('remaining' in outcome && outcome.remaining);
  }
}
