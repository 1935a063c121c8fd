-- Outside a transaction: the index is built beside the traffic.
-- Products whose tracking ends; few have a time.
create index concurrently if not exists tracked_ending on tracked_products (lane, ends_at)
  where ends_at is not null and removed_at is null;
