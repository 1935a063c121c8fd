-- Charged days in a partition for each UTC day, so that a settled day is dropped instead of deleted row by row. The rows
-- there are, and days without a partition, are in the default one. docs/decisions/0022.
alter table tracked_days rename to tracked_days_rest;
alter index tracked_days_pkey rename to tracked_days_rest_pkey;
alter index tracked_days_open rename to tracked_days_rest_open;
alter index tracked_days_final rename to tracked_days_rest_final;

create table tracked_days (like tracked_days_rest including defaults including constraints) partition by range (day);
alter table tracked_days add primary key (lane, account_id, retailer_product_code, day);
create index tracked_days_open on tracked_days (lane, day, account_id, retailer_product_code) where settlement <> 1;
create statistics tracked_days_parts_lane (dependencies) on lane, account_id from tracked_days;

-- On Citus a distributed table can only be a partition of a distributed one.
do $$
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $citus$
      select create_distributed_table('tracked_days', 'lane', colocate_with := 'accounts')
        from pg_dist_partition where logicalrelid = 'tracked_days_rest'::regclass $citus$;
  end if;
end $$;
alter table tracked_days attach partition tracked_days_rest default;
