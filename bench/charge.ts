// Durable charges: gathered into group commits against one statement each, two processes on the same twenty accounts
// against one, and beside an account whose balance another session holds against without.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLedgerFaults } from '../src/credits/ledger.ts';
import { makeAccounts } from './accounts.ts';
import type { ChargeSide } from './charge-side.ts';
import { runChild } from './child.ts';
import { type Bench, compare, type Figure } from './figure.ts';

const CONCURRENT = 256;
const SECONDS = 2;

export async function chargeBench(bench: Bench): Promise<Figure[]> {
  const accounts = await makeAccounts(bench.db, 1000);
  const accountIds = accounts.map((account) => account.accountId);
  const side = (way: ChargeSide['way'], ids: string[], concurrent = CONCURRENT, heldId?: string) =>
    runChild<{ perSecond: number }>('charge-side.ts', {
      ...{ connection: bench.connection, way, accountIds: ids, concurrent, seconds: SECONDS },
      heldId,
    }).then((result) => result.perSecond);

  const grouped = await compare({
    name: 'group-committed over one statement per charge, 256 at once over 1,000 accounts',
    toReach: 4,
    a: { label: 'grouped', run: () => side('group', accountIds) },
    b: { label: 'single', run: () => side('single', accountIds) },
  });
  const few = accountIds.slice(0, 20);
  const two = await compare({
    name: 'two processes over one, on the same 20 accounts',
    toReach: 0.9,
    a: {
      label: 'two together',
      run: async () => {
        const both = await Promise.all([side('group', few, 128), side('group', few, 128)]);
        return both[0] + both[1];
      },
    },
    b: { label: 'one', run: () => side('group', few) },
  });
  const [heldId = '', ...others] = accountIds;
  const held = await compare({
    name: 'charges of 999 accounts beside one whose balance is locked, over without',
    toReach: 0.8,
    goal: 0.95,
    a: { label: 'beside a locked one', run: () => side('group', others, CONCURRENT, heldId) },
    b: { label: 'without', run: () => side('group', others) },
  });
  const deadlocks = readdirSync(bench.logFolder).filter((file) =>
    readFileSync(join(bench.logFolder, file), 'utf8').includes('deadlock'),
  );
  const faults = await findLedgerFaults(bench.db);
  process.stdout.write(
    `  deadlocks in the server log: ${deadlocks.length}, ledger faults: ${faults.length}\n`,
  );
  return [grouped, two, held];
}
