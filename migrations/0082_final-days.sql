-- Runs outside a transaction.
create index concurrently if not exists tracked_days_final on tracked_days (lane, day) where settlement = 1;
