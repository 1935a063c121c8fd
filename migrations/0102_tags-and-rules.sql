-- Tags and data of the customer's own on tracked products; rules for many products; webhooks limited to tags.
alter table tracked_products
  add column tags text[] not null default '{}',
  -- Any JSON object of at most 300 bytes, sent with the product's events.
  add column metadata jsonb;
-- Only events of products with one of these tags; null: of all.
alter table webhooks add column tags text[];

-- Rules for all products of an account, or for those with one of some tags.
create table account_rules (
  lane smallint not null,
  account_id uuid not null,
  rule_id uuid not null,
  created_at timestamptz not null,
  name text not null,
  -- null: all products.
  tags text[],
  -- Thresholds that differ from the defaults, as on tracked products.
  rules jsonb,
  -- A condition of the customer's own (events/condition.ts).
  condition text,
  primary key (lane, account_id, rule_id),
  foreign key (lane, account_id) references accounts
);
-- The conditions that apply to a watcher, and what is kept between observations to evaluate them.
alter table watchers
  add column conditions jsonb,
  add column condition_state text;

do $$
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $citus$
      select create_distributed_table('account_rules', 'lane', colocate_with := 'accounts')
        from pg_dist_partition where logicalrelid = 'accounts'::regclass $citus$;
  end if;
end $$;
