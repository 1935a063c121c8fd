-- What the queries of big tables need beside indexes. docs/decisions/0022.

-- The power of two at or below rank_position. Ranks change with most observations, this seldom does, so that it can be
-- indexed and updates stay HOT.
alter table products add column rank_band smallint;

-- When the first hundred attempts of a delivery began: they are found by their key, without an index of their own. Null
-- on deliveries that were attempted before this column.
alter table deliveries add column attempt_times timestamptz[];

-- The lane follows from the account. Without this PostgreSQL expects a 256th of an account's rows, and sorts all of them
-- instead of reading a page from the index. New partitions take it over from their table.
do $$
declare
  part regclass;
begin
  for part in
    select coalesce(tree.relid, big.name)
      from unnest(array['tracked_products', 'tracked_days', 'paid_spans', 'ledger_entries', 'events', 'deliveries',
                        'delivery_attempts']::regclass[]) as big(name)
      left join lateral pg_partition_tree(big.name) as tree on true
  loop
    execute format('create statistics %I (dependencies) on lane, account_id%s from %s',
                   (select relname from pg_class where oid = part) || '_lane',
                   case when part::text like 'delivery_attempts%' then ', webhook_id' else '' end, part);
  end loop;
end $$;
