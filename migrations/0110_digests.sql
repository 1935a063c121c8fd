-- Digests: one delivery for all events of an hour or a day (webhooks/digest-period.ts). Null: each event by itself.
alter table webhooks add column digest jsonb;
-- The digest that an event goes out with. Such a delivery is never sent by itself: nothing is left to do for it, and it
-- keeps the event from a second digest.
alter table deliveries add column digest_id uuid;

-- The digest of a webhook that gathers events at the moment.
create table webhook_digests (
  lane smallint not null,
  account_id uuid not null,
  webhook_id uuid not null,
  -- Its start; without events, the end of the digest before.
  from_at timestamptz not null,
  -- When it is sent; null without events.
  ends_at timestamptz,
  -- Its events were recorded after this.
  after_at timestamptz,
  primary key (lane, account_id, webhook_id),
  foreign key (lane, account_id, webhook_id) references webhooks on delete cascade,
  constraint digest_has_a_length check (ends_at > from_at),
  constraint digest_is_whole check ((ends_at is null) = (after_at is null))
);

do $$
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $citus$
      select create_distributed_table('webhook_digests', 'lane', colocate_with := 'accounts')
        from pg_dist_partition where logicalrelid = 'accounts'::regclass $citus$;
  end if;
end $$;
