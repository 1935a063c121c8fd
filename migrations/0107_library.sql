-- Responses that an account bought in the dashboard, so that every device shows them and nothing fresh is paid twice.
-- docs/decisions/0029.
create table library_entries (
  lane smallint not null,
  account_id uuid not null,
  -- Follows from the account, the operation and its parameters: a newer response replaces an older one.
  entry_id uuid not null,
  operation text not null,
  -- null: not about one product (search, finder).
  retailer_product_code text,
  parameters jsonb not null,
  bought_at timestamptz not null,
  -- When the data was observed.
  as_of timestamptz not null,
  credits integer not null check (credits >= 0),
  buybox_cents integer,
  headers jsonb,
  -- The compressed JSON. Without a body the response was too large to store: while it is fresh, it is made again for free.
  body bytea,
  encoding text,
  body_bytes integer not null,
  primary key (lane, account_id, entry_id),
  check ((body is null) = (encoding is null))
);
-- Compressed already.
alter table library_entries alter column body set storage external;
create index library_entries_newest on library_entries (lane, account_id, bought_at desc, entry_id desc);
create index library_entries_old on library_entries (lane, bought_at);

do $$
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $citus$
      select create_distributed_table('library_entries', 'lane', colocate_with := 'accounts')
        from pg_dist_partition where logicalrelid = 'accounts'::regclass $citus$;
  end if;
end $$;
