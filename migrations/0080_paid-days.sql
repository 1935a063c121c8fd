-- What paid days pay for is shown for a year, and every charged day is settled exactly once. docs/decisions/0016.

-- 0: not settled yet, 1: final, 2: set aside in the quarantine, 3 and 4: judged before and to be kept or refunded. What
-- there is was settled up to the day that the settling loop had noted; what is charged from now on is open.
alter table tracked_days add column settlement smallint not null default 1
  constraint settlement_known check (settlement between 0 and 4);
alter table tracked_days alter column settlement set default 0;
update tracked_days set settlement = 0
 where not is_returned
   and day > coalesce((select value::integer from service_facts where name = 'tracking-settled-day'), 0);

-- Account family: days that were paid and are settled, as stretches at one tier. A product that is paid for a year
-- without a change is one row.
create table paid_spans (
  lane smallint not null,
  tier smallint not null check (tier between 0 and 4),
  -- Days since 1970, UTC, both inclusive.
  from_day integer not null,
  to_day integer not null,
  account_id uuid not null,
  retailer_product_code text collate "C" not null,
  primary key (lane, account_id, retailer_product_code, from_day),
  constraint span_has_days check (to_day >= from_day)
) with (fillfactor = 80);
create index paid_spans_end on paid_spans (lane, to_day);

-- Days that were charged before, as the ledger knows them; those that still have a row come from it.
insert into paid_spans (lane, tier, from_day, to_day, account_id, retailer_product_code)
select lane, tier, min(day), max(day), account_id, retailer_product_code
  from (select charged.*,
               day - row_number() over (partition by lane, account_id, retailer_product_code, tier order by day) as island
          from (select lane, account_id, retailer_product_code,
                       substring(reference from '^tracking:[^:]+:([0-9]{1,6}):')::integer as day,
                       min(substring(operation from '^tracking tier ([0-4])$')::smallint) as tier
                  from ledger_entries
                 where kind = 'tracking' and retailer_product_code is not null
                 group by 1, 2, 3, 4) charged
         where day is not null and tier is not null
           and exists (select 1 from accounts a where a.lane = charged.lane and a.account_id = charged.account_id)
           and not exists (select 1 from tracked_days d
                            where d.lane = charged.lane and d.account_id = charged.account_id
                              and d.retailer_product_code = charged.retailer_product_code and d.day = charged.day)
       ) islands
 group by lane, account_id, retailer_product_code, tier, island;

-- Product family: when slots were due to a watcher that is not as it was, so that a day can be settled though the
-- tier changed or the product was suspended or removed meanwhile. The present stretch is in the watcher's row.
create table watch_spans (
  lane smallint not null,
  tier smallint not null check (tier between 0 and 4),
  from_at timestamptz not null,
  to_at timestamptz not null,
  account_id uuid not null,
  tracked_id uuid not null,
  retailer_product_code text collate "C" not null,
  primary key (lane, retailer_product_code, account_id, tracked_id, from_at),
  constraint span_has_length check (to_at > from_at)
);
create index watch_spans_end on watch_spans (lane, to_at);

-- Slots that were served on days that the watcher's row does not remember any more and that are not settled.
create table served_days (
  lane smallint not null,
  slots_served smallint not null check (slots_served > 0),
  -- Days since 1970, UTC.
  day integer not null,
  account_id uuid not null,
  tracked_id uuid not null,
  retailer_product_code text collate "C" not null,
  primary key (lane, retailer_product_code, account_id, day, tracked_id)
);
create index served_days_day on served_days (lane, day);
