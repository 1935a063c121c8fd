// Durable charges: group commits compared with one statement per charge; two processes with one, on
// the same twenty accounts; and with and without an account whose balance another session locks.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLedgerFaults } from '../src/cli/check-ledger.ts';
import { makeAccounts } from './accounts.ts';
import type { ChargeSide } from './charge-side.ts';
import { runChild } from './child.ts';
import { type Bench, compare, type Figure } from './figure.ts';

const CONCURRENT = 256;
const SECONDS = 2;

type BesideOptions = Partial<Pick<ChargeSide, 'concurrent' | 'heldId' | 'besideTransaction'>>;

export async function chargeBench(bench: Bench): Promise<Figure[]> {
  const accounts = await makeAccounts(bench.db, 1000);
  const accountIds = accounts.map((account) => account.accountId);
  const side = (
    way: ChargeSide['way'],
    ids: string[],
    { concurrent = CONCURRENT, ...beside }: BesideOptions = {},
  ) =>
    runChild<{ perSecond: number }>('charge-side.ts', {
      connection: bench.connection,
      way,
      accountIds: ids,
      concurrent,
      seconds: SECONDS,
      ...beside,
    }).then((result) => result.perSecond);

  const grouped = await compare({
    name: 'group-committed over one statement per charge, 256 at once over 1,000 accounts',
    toReach: 4,
    a: { label: 'grouped', run: () => side('group', accountIds) },
    b: { label: 'single', run: () => side('single', accountIds) },
  });
  const few = accountIds.slice(0, 20);
  const half = () => side('group', few, { concurrent: CONCURRENT / 2 });
  const two = await compare({
    name: 'two processes over one, on the same 20 accounts',
    toReach: 0.9,
    a: {
      label: 'two together',
      run: async () => {
        const both = await Promise.all([half(), half()]);
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
    a: { label: 'beside a locked one', run: () => side('group', others, { heldId }) },
    b: { label: 'without', run: () => side('group', others) },
  });
  // The difference that remains when both sides run beside an open transaction, which every lock
  // implies.
  const lockAlone = await compare({
    name: 'the same, over beside a transaction that locks nothing',
    toReach: 0.8,
    goal: 0.95,
    a: { label: 'beside a locked one', run: () => side('group', others, { heldId }) },
    b: {
      label: 'beside a transaction',
      run: () => side('group', others, { besideTransaction: true }),
    },
  });
  const deadlocks = readdirSync(bench.logFolder).filter((file) =>
    readFileSync(join(bench.logFolder, file), 'utf8').includes('deadlock'),
  );
  const faults = await findLedgerFaults(bench.db);
  process.stdout.write(
    `  deadlocks in the server log: ${deadlocks.length}, ledger faults: ${faults.length}\n`,
  );
  return [grouped, two, held, lockAlone];
}
