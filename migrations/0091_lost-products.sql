-- What the guard remembers of a product that was observed without all its offers, or not at all, whoever observed it.
-- They hold while they are not older than the last observation: what is recorded later needs no write here.
-- lost_since: the first of the observations in a row that lost it and wait to be confirmed; lost_count: how many there
-- were. delisted_at: when it was confirmed that the marketplace no longer lists it.
alter table products
  add column lost_since timestamptz,
  add column lost_count smallint,
  add column delisted_at timestamptz;
alter table products add constraint lost_is_counted
  check ((lost_since is null) = (lost_count is null) and coalesce(lost_count, 1) > 0) not valid;
