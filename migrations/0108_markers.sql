-- Markers: which rows the indexes of migration 109 hold (src/database/markers.ts). Rows without a word are markers, so
-- those of before and of processes of the release before are found as well. docs/decisions/0022.

-- charge_what_fits (migration 94) that takes which entries are markers. Before the tables change: Citus creates no
-- function in a transaction that has changed distributed tables.
create function charge_and_mark(
  shard_lane smallint, lanes smallint[], account_ids uuid[], ats timestamptz[], ids uuid[], kinds text[],
  credit_counts bigint[], operations text[], codes text[], reference_texts text[], markers boolean[],
  latest_at timestamptz, lock_wait text)
returns table (account_id uuid, remaining bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  -- Short, because the index scan for each balance compares with it.
  few smallint[] := array(select distinct l from unnest(lanes) as list(l));
  seen uuid[];
  remainings bigint[];
  starts jsonb;
begin
  if lock_wait is not null then perform set_config('lock_timeout', lock_wait, true); end if;
  execute format($charge$
    with due as (
           select lane, account_id, (-sum(credits))::bigint as cost
             from unnest($1, $2, $3) as entry(lane, account_id, credits) group by 1, 2),
         locked as materialized (
           select b.lane, b.account_id, due.cost
             from due join balances b
               on b.lane = due.lane and b.account_id = due.account_id and b.lane = any($4)
            order by b.lane, b.account_id
              for no key update of b %s),
         paid as (
           update balances b
              set used = b.used + locked.cost, updated_at = greatest(b.updated_at, $5)
             from locked
            where b.lane = locked.lane and b.account_id = locked.account_id and b.lane = any($4)
              and b.used + locked.cost <= b.allocation + b.granted and b.period_end_at > $5
           returning b.account_id, b.period_start_at,
                     b.allocation + b.granted - b.used as remaining),
         result as (
           select account_id, null::bigint as remaining, null::timestamptz as start_at from locked
           union all select account_id, remaining, period_start_at from paid)
    select array_agg(account_id), array_agg(remaining),
           jsonb_object_agg(account_id, start_at) filter (where start_at is not null)
      from result $charge$, case when lock_wait is null then 'skip locked' else '' end)
    into seen, remainings, starts
    using lanes, account_ids, credit_counts, few, latest_at;
  if starts is not null then
    insert into ledger_entries (lane, account_id, at, id, kind, credits, operation,
                                retailer_product_code, reference, is_marker)
    select entry.lane, entry.account_id,
           greatest(entry.at, (starts ->> entry.account_id::text)::timestamptz), entry.id, entry.kind,
           entry.credits, entry.operation, entry.code, entry.reference,
           entry.is_marker or entry.at < (starts ->> entry.account_id::text)::timestamptz
      from unnest(lanes, account_ids, ats, ids, kinds, credit_counts, operations, codes,
                  reference_texts, markers)
             as entry(lane, account_id, at, id, kind, credits, operation, code, reference, is_marker)
     where starts ? entry.account_id::text;
  end if;
  return query select * from unnest(seen, remainings);
end $$;

alter table ledger_entries add column is_marker boolean not null default true;
alter table delivery_attempts add column is_marker boolean not null default true;
