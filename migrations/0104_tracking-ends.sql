-- When tracking of a product ends by itself; null: never. The watcher is not served from then on.
alter table tracked_products add column ends_at timestamptz;
alter table watchers add column ends_at timestamptz;
