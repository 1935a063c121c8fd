// doctor's check that each balance equals the sum of its ledger entries, some accounts at a time.
// An account with very many entries is summed in parts of its own.
import { FUNDING_KINDS, kindList, SPENDING_KINDS } from '../credits/entry-kind.ts';
import { plainArray } from '../database/array-parameter.ts';
import { type Database, inLanes, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import { unfinished } from './check-lanes.ts';
import type { Check, StoreContext } from './command.ts';
import { createParts, type Parts, STRICT } from './parts.ts';

const ACCOUNTS_PER_PART = 100;
/** An account with more entries than this is summed alone. */
const ENTRIES_TOGETHER_MAX = 5_000;
const ENTRIES_PER_PART = 50_000;
const FAULTS_MAX = 100;

export type LedgerFault = { accountId: string; fault: string };

type AccountKey = { lane: number; account_id: string };

const FIRST: AccountKey = { lane: -1, account_id: '00000000-0000-0000-0000-000000000000' };

/** Accounts with a balance in key order, some at a time, in the lanes of one group. */
export async function* walkBalances(
  db: Database,
  input: { lanes: readonly number[]; limit: number },
): AsyncGenerator<AccountKey[], void, undefined> {
  let after = FIRST;
  for (;;) {
    const page: AccountKey[] = await db.read<AccountKey>(
      `select b.lane, b.account_id from balances b
        where (b.lane, b.account_id) > ($2, $3::uuid) and ${inLanes('b.lane', '$1')}
        order by b.lane, b.account_id limit $4`,
      [plainArray(input.lanes), after.lane, after.account_id, input.limit],
    );
    if (page.length > 0) yield page;
    if (page.length < input.limit) return;
    after = page.at(-1) as AccountKey;
  }
}

const SUMS = `count(*) as entries,
  coalesce(-sum(credits) filter (where kind in ${kindList(SPENDING_KINDS)}), 0)::bigint as used_sum,
  coalesce(sum(credits) filter (where kind in ${kindList(FUNDING_KINDS)}), 0)::bigint as total_sum`;

type Sums = {
  account_id: string;
  used: number;
  total: number;
  entries: number;
  used_sum: number;
  total_sum: number;
};

/** Balances of some accounts with the sums of their entries, up to a number of entries each. */
const SUM_SOME = `
  select b.account_id, b.used, b.allocation + b.granted as total, sums.*
    from unnest($1::smallint[], $2::uuid[]) as n(lane, account_id)
    join balances b on b.lane = n.lane and b.account_id = n.account_id
     and ${inLanes('b.lane', '$1')}
   cross join lateral (
     select ${SUMS} from (
       select l.kind, l.credits from ledger_entries l
        where l.lane = n.lane and l.account_id = n.account_id and l.at >= b.period_start_at
          and ${inLanes('l.lane', '$1')}
        limit ${ENTRIES_TOGETHER_MAX + 1}) as part) as sums`;

/** Returns up to 100 accounts whose balance and ledger disagree. There must be none. */
export async function findLedgerFaults(
  db: Database,
  { parts = STRICT, onBalances }: { parts?: Parts; onBalances?: (count: number) => void } = {},
): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  let count = 0;
  for (let group = 0; group < db.groups.count(); group++) {
    const lanes = db.groups.lanesOf(group);
    await parts.run(`balances of lanes ${lanes[0]} to ${lanes.at(-1)}`, async () => {
      for await (const page of walkBalances(db, { lanes, limit: ACCOUNTS_PER_PART })) {
        count += page.length;
        const first = page[0] as AccountKey;
        parts.show(first.lane, count);
        const pageFaults = await parts.run(`balances from account ${first.account_id}`, () =>
          checkSome(db, page, parts),
        );
        faults.push(...(pageFaults ?? []));
      }
    });
  }
  onBalances?.(count);
  return faults.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1)).slice(0, FAULTS_MAX);
}

async function checkSome(
  db: Database,
  accounts: readonly AccountKey[],
  parts: Parts,
): Promise<LedgerFault[]> {
  const rows = await db.read<Sums>(SUM_SOME, [
    plainArray(accounts.map((account) => account.lane)),
    plainArray(accounts.map((account) => account.account_id)),
  ]);
  const faults: LedgerFault[] = [];
  for (const row of rows) {
    const sums =
      row.entries <= ENTRIES_TOGETHER_MAX
        ? row
        : await parts.run(`account ${row.account_id}`, () =>
            db.transaction((tx) => sumAlone(tx, row.account_id), { repeat: false }),
          );
    const fault = sums === undefined ? null : faultOf(sums);
    if (fault !== null) faults.push({ accountId: row.account_id, fault });
  }
  return faults;
}

/** Sums one account's entries in parts, all as of one instant, so that charges can go on. */
async function sumAlone(tx: Transaction, accountId: string): Promise<Sums> {
  await tx.query('set transaction isolation level repeatable read, read only');
  const key = [lane(accountId), accountId];
  const [balance] = await tx.query<{ used: number; total: number; period_start_at: number }>(
    `select used, allocation + granted as total, period_start_at from balances
      where lane = $1 and account_id = $2`,
    key,
  );
  const { used = 0, total = 0, period_start_at: startAtMs = 0 } = balance ?? {};
  const sums = { account_id: accountId, used, total, entries: 0, used_sum: 0, total_sum: 0 };
  let after = { at: isoTime(startAtMs - 1), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  for (;;) {
    const [part] = await tx.query<Sums & { at: string; id: string }>(
      `select ${SUMS}, (array_agg(at::text))[count(*)] as at, (array_agg(id))[count(*)] as id
         from (select kind, credits, at, id from ledger_entries
                where lane = $1 and account_id = $2 and (at, id) > ($3::timestamptz, $4::uuid)
                order by at, id limit ${ENTRIES_PER_PART}) as part`,
      [...key, after.at, after.id],
    );
    if (part === undefined || part.entries === 0) return sums;
    sums.entries += part.entries;
    sums.used_sum += part.used_sum;
    sums.total_sum += part.total_sum;
    after = { at: part.at, id: part.id };
  }
}

function faultOf({ used, total, used_sum, total_sum }: Sums): string | null {
  if (used === used_sum && total === total_sum && used <= total && used >= 0) return null;
  return `used ${used}, entries say ${used_sum}; total ${total}, entries say ${total_sum}`;
}

export async function checkLedger({ store }: StoreContext): Promise<Check> {
  const parts = createParts('balances');
  let count = 0;
  const onBalances = (balances: number) => {
    count = balances;
  };
  const faults = await findLedgerFaults(store.db, { parts, onBalances });
  parts.end();
  if (faults.length > 0) {
    return {
      name: 'ledger',
      ok: false,
      detail: faults.map((fault) => `${fault.accountId}: ${fault.fault}`).join('; '),
      advice: 'Stop the service, make a backup and examine the ledger.',
    };
  }
  if (parts.failures.length > 0) return unfinished('ledger', parts.failures);
  const detail = `${count} balances equal the sum of their entries`;
  return { name: 'ledger', ok: true, detail };
}
