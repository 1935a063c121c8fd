-- What is on the shelf: products as last observed, and the GTINs that find them.
create table products (
  lane smallint not null,
  retailer_product_code text collate "C" not null check (retailer_product_code ~ '^[0-9]{1,20}$'),
  -- The GTIN that is shown; every GTIN ever given finds the product.
  gtin text collate "C" check (gtin ~ '^[0-9]{14}$'),
  brand text,
  product_name text,
  -- An array of texts; as jsonb it is read by JSON.parse: 0.4 µs, as an array's text 1.5 µs.
  categories jsonb not null check (jsonb_typeof(categories) = 'array'),
  -- null: nobody has the box.
  buybox_price_cents bigint check (buybox_price_cents > 0),
  buybox_seller_name text,
  -- Current offers, packed into the row: one write for a look, whatever the number of sellers.
  offers jsonb not null check (jsonb_typeof(offers) = 'array'),
  offers_complete boolean not null,
  rank_position integer check (rank_position > 0),
  rank_category text,
  customer_rating real check (customer_rating between 1 and 5),
  number_of_reviews integer check (number_of_reviews >= 0),
  shipping_weight_lb real check (shipping_weight_lb > 0),
  seller_type text check (seller_type in ('marketplace', 'fulfilled', 'first_party')),
  observed_at timestamptz not null,
  primary key (lane, retailer_product_code)
) with (fillfactor = 70); -- no index on what changes, and room for it: updates stay HOT

-- Lane of the GTIN. One key for UPC and EAN: both are a GTIN-14 with zeros in front.
create table product_gtins (
  lane smallint not null,
  gtin text collate "C" not null check (gtin ~ '^[0-9]{14}$'),
  retailer_product_code text collate "C" not null,
  primary key (lane, gtin, retailer_product_code)
);
