-- Runs outside a transaction.
create index concurrently if not exists tracked_days_open
  on tracked_days (lane, day, account_id, retailer_product_code) where settlement <> 1;
