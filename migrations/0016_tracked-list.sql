-- An account's list, the newest first, a page at a time: without this every page sorted the whole list.
create index tracked_list on tracked_products (lane, account_id, created_at, tracked_id)
  where removed_at is null;
