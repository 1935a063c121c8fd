-- Units sold: what was learned from all products, and each product's estimated days.
alter table products
  -- Days since 1970: from here on, looks came that the estimates do not know; null: they know all.
  add column sales_stale_from integer;

-- Each fit of what the market as a whole teaches.
create table sales_knowledge (
  version integer primary key check (version > 0),
  fitted_at timestamptz not null,
  -- How much it was learned from.
  products integer not null,
  looks bigint not null,
  body jsonb not null
);

-- The estimated days of a product, packed (history/packed-days.ts), a row for each calendar year.
create table sales_years (
  lane smallint not null,
  year smallint not null,
  retailer_product_code text collate "C" not null,
  packed bytea not null,
  primary key (lane, retailer_product_code, year)
);
alter table sales_years alter column packed set storage main;

-- What the whole history of a product says about any of its days, and with which knowledge that was worked out.
create table sales_habits (
  lane smallint not null,
  knowledge_version integer not null,
  retailer_product_code text collate "C" not null,
  habit jsonb not null,
  primary key (lane, retailer_product_code)
);
