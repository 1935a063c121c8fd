-- Outside a transaction: the index is built beside the traffic.
-- The events of a digest; few deliveries have one.
create index concurrently if not exists deliveries_in_digest on deliveries (lane, account_id, digest_id)
  where digest_id is not null;
