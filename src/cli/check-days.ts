// doctor's check of charged days: each is settled in time, either kept or refunded, and its ledger
// entries match its tracked_days row.
import type { Database } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import { GRACE_MS } from '../tracking/served-slot.ts';
import { dayOf } from '../tracking/slot.ts';

/** A settlement may be this late, for example after an outage, before it is reported. */
const LATE_MS = DAY_MS;
/** Days of ledger entries to read. */
const DAYS_READ = 35;
export const FAULTS_MAX = 100;
export const NOT_SETTLED = 'is not settled';

export type DayFault = { accountId: string; code: string; day: number; fault: string };

/** Returns charged days that are overdue for settlement or contradict their ledger entries. */
export async function findDayFaults(
  db: Database,
  nowMs: number,
  daysRead = DAYS_READ,
): Promise<DayFault[]> {
  const overdue = await db.read<FaultRow>(
    `select d.account_id, d.retailer_product_code as code, d.day, '${NOT_SETTLED}' as fault
       from tracked_days d
      where d.day <= $1 and d.settlement not in (1, 2)
      order by d.day, d.account_id, d.retailer_product_code limit $2`,
    [dayOf(nowMs - GRACE_MS - LATE_MS) - 1, FAULTS_MAX],
  );
  const fromDay = dayOf(nowMs) - daysRead;
  const contradictory = await db.read<FaultRow>(
    `with booked as (
       select l.lane, l.account_id, split_part(l.reference, ':', 2) as code,
              split_part(l.reference, ':', 3)::integer as day,
              coalesce(-sum(l.credits) filter (where l.credits < 0), 0) as charged,
              coalesce(sum(l.credits) filter (where l.credits > 0), 0) as refunded,
              count(*) filter (where l.credits > 0) as refunds
         from ledger_entries l
        where l.at >= $1 and (l.reference like 'tracking:%' or l.reference like 'promise:%')
        group by 1, 2, 3, 4)
     select b.account_id, b.code, b.day,
            format('charged %s, refunded %s (%s entries), row %s', b.charged, b.refunded, b.refunds,
                   case when d.day is null then 'gone'
                        else format('says %s, settlement %s, refunded %s', d.credits_charged, d.settlement,
                                    d.is_returned) end) as fault
       from booked b
       left join tracked_days d on d.lane = b.lane and d.account_id = b.account_id
        and d.retailer_product_code = b.code and d.day = b.day
      where b.day >= $2
        -- A refund may be less than the charge: a part of it expired with its billing period.
        and (b.refunds > 1 or b.refunded > b.charged
             or (b.refunds > 0 and d.settlement = 1 and not d.is_returned)
             or d.credits_charged <> b.charged
             or (d.day is null and not exists (
                   select 1 from paid_spans s
                    where s.lane = b.lane and s.account_id = b.account_id
                      and s.retailer_product_code = b.code and b.day between s.from_day and s.to_day)))
      order by b.day, b.account_id, b.code limit $3`,
    // A day's charges are booked no earlier than its start.
    [isoTime(fromDay * DAY_MS), fromDay, FAULTS_MAX],
  );
  return [...overdue, ...contradictory].map((row) => ({
    accountId: row.account_id,
    code: row.code,
    day: row.day,
    fault: row.fault,
  }));
}

type FaultRow = { account_id: string; code: string; day: number; fault: string };
