-- Outside a transaction: indexes are built beside the traffic.
-- An account's list, the newest first, a page at a time: without this every page sorted the whole list.
create index concurrently if not exists tracked_list
  on tracked_products (lane, account_id, created_at, tracked_id) where removed_at is null;
-- Accounts that were closed or reopened and not all that follows is done, and those whose waiting period ends.
create index concurrently if not exists accounts_settling on accounts (lane, account_id)
  where is_settling;
create index concurrently if not exists accounts_to_delete on accounts (delete_at)
  where delete_at is not null;
