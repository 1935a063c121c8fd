-- What search and the finder read: facts of each product as numbers, its words, and all words there are.
-- docs/decisions/0025.

-- Values are whole numbers, scaled as search/fact.ts says. An index holds the products that have the fact, then the tie
-- by which equal ones are sorted, so that a page is read in order and no large group is sorted. Facts of which more is
-- better are indexed by their negative: best sellers come first among equals.
create table product_facts (
  lane smallint not null,
  retailer_product_code text collate "C" not null,
  -- The rank, or a number above all ranks that follows from the code.
  tie integer not null,
  -- Hashes of texts without case and accents.
  brand_key bigint,
  buybox_seller_key bigint,
  category_keys bigint[] not null,
  buybox_seller text,
  price integer,
  price_change_1d integer,
  price_change_7d integer,
  price_change_30d integer,
  price_change_90d integer,
  rank integer,
  rank_change_1d integer,
  rank_change_7d integer,
  rank_change_30d integer,
  rank_change_90d integer,
  sellers integer,
  stock integer,
  rating integer,
  reviews integer,
  units_per_day integer,
  out_of_stock_30d integer,
  out_of_stock_90d integer,
  lowest_in_days integer,
  -- The part of the last 90 days that was observed, in hundredths of a percent.
  observed_90d integer not null,
  -- The last observation that the facts include, and when they were computed.
  observed_at timestamptz not null,
  refreshed_at timestamptz not null,
  primary key (lane, retailer_product_code)
) with (fillfactor = 80);

create index product_facts_price on product_facts (price, tie) where price is not null;
create index product_facts_price_1d on product_facts (price_change_1d, tie) where price_change_1d is not null;
create index product_facts_price_7d on product_facts (price_change_7d, tie) where price_change_7d is not null;
create index product_facts_price_30d on product_facts (price_change_30d, tie) where price_change_30d is not null;
create index product_facts_price_90d on product_facts (price_change_90d, tie) where price_change_90d is not null;
create index product_facts_rank on product_facts (rank, tie) where rank is not null;
create index product_facts_rank_1d on product_facts (rank_change_1d, tie) where rank_change_1d is not null;
create index product_facts_rank_7d on product_facts (rank_change_7d, tie) where rank_change_7d is not null;
create index product_facts_rank_30d on product_facts (rank_change_30d, tie) where rank_change_30d is not null;
create index product_facts_rank_90d on product_facts (rank_change_90d, tie) where rank_change_90d is not null;
create index product_facts_sellers on product_facts (sellers, tie) where sellers is not null;
create index product_facts_stock on product_facts ((-stock), tie) where stock is not null;
create index product_facts_rating on product_facts ((-rating), tie) where rating is not null;
create index product_facts_reviews on product_facts ((-reviews), tie) where reviews is not null;
create index product_facts_units on product_facts ((-units_per_day), tie) where units_per_day is not null;
create index product_facts_out_30d on product_facts ((-out_of_stock_30d), tie) where out_of_stock_30d is not null;
create index product_facts_out_90d on product_facts ((-out_of_stock_90d), tie) where out_of_stock_90d is not null;
create index product_facts_lowest on product_facts ((-lowest_in_days), tie) where lowest_in_days is not null;
-- Products without the fact they are sorted by.
create index product_facts_tie on product_facts (tie);
create index product_facts_brand on product_facts (brand_key) where brand_key is not null;
create index product_facts_seller on product_facts (buybox_seller_key) where buybox_seller_key is not null;
create index product_facts_categories on product_facts using gin (category_keys);

-- The words of a product's name, brand and categories. Apart from the facts, because words seldom change.
create table product_words (
  lane smallint not null,
  retailer_product_code text collate "C" not null,
  words tsvector not null,
  -- Best sellers first: the power of two at or below the rank, 32 without one. It swings little, so that a page of
  -- results stays in order while it is read.
  rank_band smallint not null,
  primary key (lane, retailer_product_code)
);
create index product_words_words on product_words using gin (words);
create index product_words_best on product_words (rank_band, retailer_product_code);

-- Every word of a product, for correcting typing errors. In the lane of the word.
create table search_words (
  lane smallint not null,
  word text collate "C" not null,
  primary key (lane, word)
);

-- A managed server may not let us: search then finds no misspelt words, and doctor says how to change that.
do $$
begin
  create extension if not exists pg_trgm;
  create index search_words_similar on search_words using gin (word gin_trgm_ops);
exception when others then
  raise notice 'search without correction of typing errors: %', sqlerrm;
end $$;
