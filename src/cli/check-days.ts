// doctor's check of charged days: each is settled in time, either kept or refunded, and its ledger
// entries match its tracked_days row.
import { plainArray } from '../database/array-parameter.ts';
import { type Database, inLanes } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import { GRACE_MS } from '../tracking/served-slot.ts';
import { dayOf } from '../tracking/slot.ts';
import { walkBalances } from './check-ledger.ts';
import { type Parts, STRICT } from './parts.ts';

/** A settlement may be this late, for example after an outage, before it is reported. */
const LATE_MS = DAY_MS;
/** Days of ledger entries to read. */
const DAYS_READ = 35;
export const FAULTS_MAX = 100;
export const NOT_SETTLED = 'is not settled';

export type DayFault = { accountId: string; code: string; day: number; fault: string };

/**
 * Returns charged days that are overdue for settlement or contradict their ledger entries, some
 * accounts at a time.
 */
export async function findDayFaults(
  db: Database,
  nowMs: number,
  { daysRead = DAYS_READ, parts = STRICT }: { daysRead?: number; parts?: Parts } = {},
): Promise<DayFault[]> {
  const upToDay = dayOf(nowMs - GRACE_MS - LATE_MS) - 1;
  const fromDay = dayOf(nowMs) - daysRead;
  const rows: FaultRow[] = [];
  let count = 0;
  for (let group = 0; group < db.groups.count(); group++) {
    const lanes = db.groups.lanesOf(group);
    const named = `lanes ${lanes[0]} to ${lanes.at(-1)}`;
    const overdue = await parts.run(`overdue days of ${named}`, () =>
      db.read<FaultRow>(OVERDUE, [upToDay, FAULTS_MAX, plainArray(lanes)]),
    );
    rows.push(...(overdue ?? []));
    await parts.run(`accounts of ${named}`, async () => {
      for await (const page of walkBalances(db, { lanes, limit: ACCOUNTS_PER_PART })) {
        count += page.length;
        parts.show(page[0]?.lane ?? 0, count);
        rows.push(...(await contradictions(db, page, { fromDay, parts })));
      }
    });
  }
  return rows.toSorted(byDay).slice(0, FAULTS_MAX).map(faultFrom);
}

const ACCOUNTS_PER_PART = 50;

type AccountKey = { lane: number; account_id: string };

/** If accounts cannot be read together, as within the timeout, each is read alone. */
async function contradictions(
  db: Database,
  accounts: readonly AccountKey[],
  { fromDay, parts }: { fromDay: number; parts: Parts },
): Promise<FaultRow[]> {
  const read = (some: readonly AccountKey[]) =>
    db.read<FaultRow>(CONTRADICTORY, [
      plainArray(some.map(({ lane }) => lane)),
      plainArray(some.map(({ account_id }) => account_id)),
      // A day's charges are booked no earlier than its start.
      isoTime(fromDay * DAY_MS),
      fromDay,
      FAULTS_MAX,
    ]);
  const together = await read(accounts).catch(() => null);
  if (together !== null) return together;
  const faults: FaultRow[] = [];
  for (const account of accounts) {
    const alone = await parts.run(`days of account ${account.account_id}`, () => read([account]));
    faults.push(...(alone ?? []));
  }
  return faults;
}

const OVERDUE = `
  select late.*, '${NOT_SETTLED}' as fault
    from unnest($3::smallint[]) as lanes(lane)
   cross join lateral (
     select d.account_id, d.retailer_product_code as code, d.day from tracked_days d
      where d.lane = lanes.lane and ${inLanes('d.lane', '$3')} and d.day <= $1
        and d.settlement <> 1 and d.settlement <> 2
      order by d.day, d.account_id, d.retailer_product_code limit $2) as late
   limit $2`;

const CONTRADICTORY = `
  with booked as (
    select l.lane, l.account_id, split_part(l.reference, ':', 2) as code,
           split_part(l.reference, ':', 3)::integer as day,
           coalesce(-sum(l.credits) filter (where l.credits < 0), 0) as charged,
           coalesce(sum(l.credits) filter (where l.credits > 0), 0) as refunded,
           count(*) filter (where l.credits > 0) as refunds
      from unnest($1::smallint[], $2::uuid[]) as n(lane, account_id)
      join ledger_entries l on l.lane = n.lane and l.account_id = n.account_id
       and ${inLanes('l.lane', '$1')} and l.at >= $3 and l.kind <> 'request'
       and (l.reference like 'tracking:%' or l.reference like 'promise:%')
     group by 1, 2, 3, 4)
  select b.account_id, b.code, b.day,
         format('charged %s, refunded %s (%s entries), row %s', b.charged, b.refunded, b.refunds,
                case when d.day is null then 'gone'
                     else format('says %s, settlement %s, refunded %s', d.credits_charged,
                                 d.settlement, d.is_returned) end) as fault
    from booked b
    left join tracked_days d on d.lane = b.lane and d.account_id = b.account_id
     and d.retailer_product_code = b.code and d.day = b.day and ${inLanes('d.lane', '$1')}
   where b.day >= $4
     -- A refund may be less than the charge: a part of it expired with its billing period.
     and (b.refunds > 1 or b.refunded > b.charged
          or (b.refunds > 0 and d.settlement = 1 and not d.is_returned)
          or d.credits_charged <> b.charged
          or (d.day is null and not exists (
                select 1 from paid_spans s
                 where s.lane = b.lane and s.account_id = b.account_id and ${inLanes('s.lane', '$1')}
                   and s.retailer_product_code = b.code and b.day between s.from_day and s.to_day)))
   order by b.day, b.account_id, b.code limit $5`;

type FaultRow = { account_id: string; code: string; day: number; fault: string };

const byDay = (a: FaultRow, b: FaultRow) => a.day - b.day;

const faultFrom = (row: FaultRow): DayFault => ({
  accountId: row.account_id,
  code: row.code,
  day: row.day,
  fault: row.fault,
});
