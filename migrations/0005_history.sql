-- What was: every look that was ever collected, packed. The newest lie in the product's own row, so that one
-- more look is one update of one row; from there they are moved into runs.
alter table products
  -- Looks newer than all in the runs, packed behind each other (history/packed-block.ts).
  add column tail bytea not null default '',
  add column tail_checksum bigint not null default 0,
  -- Time of the newest look in the runs; null while there are none.
  add column runs_until timestamptz,
  -- When the marketplace was asked for its own history of the product.
  add column backfilled_at timestamptz;
alter table products alter column tail set storage main;
-- The tail may take 1,200 bytes: rows stay whole in their page up to its size instead of 2 KB.
alter table products set (toast_tuple_target = 8160);

create table series_runs (
  lane smallint not null,
  -- What the run holds of its looks: see history/runs.ts.
  stream smallint not null check (stream between 0 and 2),
  looks integer not null check (looks > 0),
  first_at timestamptz not null,
  last_at timestamptz not null check (last_at >= first_at),
  checksum bigint not null,
  retailer_product_code text collate "C" not null,
  packed bytea not null,
  primary key (lane, retailer_product_code, stream, first_at)
);
-- Packed already: compressing again gains nothing, and out of line each run would be a second row.
alter table series_runs alter column packed set storage main;
alter table series_runs set (toast_tuple_target = 8160);
